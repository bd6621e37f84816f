//===- CodeGen/PassDump.h - A kernel between LLVM's passes ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_PASSDUMP_H
#define KEXPR_CODEGEN_PASSDUMP_H

#include "CodeGen/CodeGen.h"

namespace kexpr::codegen {

/// Text of LLVM IR in which every constant vector of equal elements is written
/// `splat (float 1.000000e+00)`, which LLVM reads as well and prints from its
/// next version on.
std::string shortenSplats(const std::string &text);

/// `Stage::Llvm`, or `Stage::LlvmOpt` if `isSelected`. Passes are those that
/// code is generated with, in a manager of its own, here and below and in
/// `dumpAfter`.
Expected<std::string> dumpIr(const semantics::Plan &plan, const Target &target,
                             OptLevel level, bool isSelected);

/// `Stage::Mir`.
Expected<std::string> dumpMachine(const semantics::Plan &plan,
                                  const Target &target, OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_PASSDUMP_H
