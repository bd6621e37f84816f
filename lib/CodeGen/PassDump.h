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

/// `Stage::Llvm`.
Expected<std::string> dumpEmitted(const semantics::Plan &plan,
                                  const Target &target, OptLevel level);

/// `Stage::LlvmOpt`. The passes are those that code is generated with, in a
/// manager of its own; so are those below, and of `dumpAfter`.
Expected<std::string> dumpSelected(const semantics::Plan &plan,
                                   const Target &target, OptLevel level);

/// `Stage::Mir`.
Expected<std::string> dumpMachine(const semantics::Plan &plan,
                                  const Target &target, OptLevel level);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_PASSDUMP_H
