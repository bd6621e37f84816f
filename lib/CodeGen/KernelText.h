//===- CodeGen/KernelText.h - LLVM IR for readers -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_KERNELTEXT_H
#define KEXPR_CODEGEN_KERNELTEXT_H

#include <string>

namespace kexpr::codegen {

/// Text of LLVM IR in which every constant vector of equal elements is written
/// `splat (float 1.000000e+00)`, which LLVM reads as well and prints from its
/// next version on.
std::string shortenSplats(const std::string &text);

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_KERNELTEXT_H
