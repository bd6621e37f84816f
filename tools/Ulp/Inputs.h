//===- Ulp/Inputs.h - The numbers that kernels are measured at -----------===//
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

/// `x` rounded to `type`, F32 or F64.
double roundTo(DType type, double x);

/// The ordinal of a number, which is no NaN, among all of its type: 0 for 0, -1
/// for -0, one more for the next.
std::int64_t ordinalOf(DType type, double x);

/// The number that has this ordinal.
double numberAt(DType type, std::int64_t ordinal);

/// The number that many ordinals further, infinity at most; NaN stays NaN.
double neighbour(DType type, double x, std::int64_t steps);

/// A list of inputs, each a number for every operand, that is never held in
/// memory. The same at every run.
struct Inputs {
  std::uint64_t count = 0;
  /// Writes input `index` < count. For any thread.
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

/// One out of every `step` bit patterns of an f32, at a random offset, so that
/// the last bits vary; all of them if `step` is 1. Then, unless it is, the
/// special numbers.
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
