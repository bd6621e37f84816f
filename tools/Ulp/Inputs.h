//===- Ulp/Inputs.h - The arguments that kernels are measured at --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_INPUTS_H
#define KEXPR_TOOLS_ULP_INPUTS_H

#include "Ops/Operator.h"
#include "kexpr/Tensor.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kexpr::tools {

/// A list of inputs, each a number for every operand, that is never held in
/// memory. The same at every run.
struct Inputs {
  std::uint64_t count = 0;
  /// Writes input `index` < count.
  std::function<void(std::uint64_t index, std::span<double> arguments)> at;
};

/// Where the numbers of one operand are drawn from, both ends included.
struct Range {
  double low = 0;
  double high = 0;
};

/// Zeros, subnormals, ones, infinities, NaN and the ends of the range of
/// `type`: what the tables of special values show.
std::vector<double> specialNumbers(DType type);

/// One out of every `step` bit patterns of an f32, at a place among them that
/// varies, so that the last bits do; all of them if `step` is 1. Then, unless
/// it is, the special numbers.
Inputs steppedFloats(std::uint32_t step);

/// All f32 numbers of a range.
Inputs floatsIn(const Range &range);

/// `count` inputs of an operator: half of them from a list (special numbers,
/// powers of two and their neighbours, small numbers and halves; pairs of such)
/// while it lasts, the others random: uniform in the domain, uniform over
/// exponents, near thresholds, random bits; of several operands, also equal,
/// opposite, nearly so, and far apart.
Inputs operatorInputs(DType type, unsigned arity, const ops::Domain &domain,
                      std::uint64_t count);

/// `count` inputs from a range for each operand: all corners, then by turns
/// uniform, uniform over exponents, and uniform over bit patterns.
Inputs inputsIn(DType type, std::vector<Range> ranges, std::uint64_t count);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_INPUTS_H
