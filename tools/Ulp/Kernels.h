//===- Ulp/Kernels.h - One expression as every kernel that computes it --===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_KERNELS_H
#define KEXPR_TOOLS_ULP_KERNELS_H

#include "kexpr/Engine.h"

#include <optional>
#include <span>
#include <vector>

namespace kexpr::tools {

/// One kernel for each vector width, all at one precision; they must compute
/// the same bits.
struct KernelSet {
  Precision precision;
  std::vector<unsigned> widths;
  std::vector<Kernel> kernels;
  /// Nothing where it is not to be compared.
  std::optional<Kernel> interpreter = {};
};

/// The widths of vectors that this CPU has, ascending; none where machine code
/// cannot be made.
std::span<const unsigned> hostWidths();

/// Compiles machine code of `expression` over `operands` operands of `type`.
/// Errors: those of Engine::compile, and Unsupported for a width that this CPU
/// does not have.
Expected<KernelSet> compileKernels(const Expression &expression, DType type,
                                   Precision precision,
                                   std::span<const unsigned> widths,
                                   bool withInterpreter);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_KERNELS_H
