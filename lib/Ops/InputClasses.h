//===- Ops/InputClasses.h - Inputs that something may be slow on ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What no operator is to be much slower on than on ordinary numbers. Tests
/// count what is slow there, and `CliffsBenchmark` measures it.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_INPUTCLASSES_H
#define KEXPR_OPS_INPUTCLASSES_H

#include <cmath>
#include <cstddef>
#include <limits>

namespace kexpr::ops {

/// One number for f32 and one for f64.
struct InputClass {
  const char *name;
  double single, twice;
  bool isSpread = false; ///< The benchmark takes random numbers up to it.
  /// Logarithms of p and of 1 - p, in turns of the operands, whose logaddexp
  /// nearly vanishes: a class of all operands at once.
  bool isOfSums = false;

  /// Whether it is put in an operand, or in all of several, for which the
  /// number of operands stands.
  bool isPutIn(std::size_t operand, std::size_t operands) const {
    return operand < operands ? !isOfSums : operands > 1;
  }

  /// That of an operand; `part`, of (0, 1), says which of many.
  template <class T> T number(std::size_t operand, double part) const {
    if (isOfSums)
      return static_cast<T>(operand % 2 ? std::log1p(-part) : std::log(part));
    const double number = sizeof(T) == 8 ? twice : single;
    return static_cast<T>(isSpread ? number * part : number);
  }
};

inline constexpr double InfiniteInput = std::numeric_limits<double>::infinity();

inline constexpr InputClass InputClasses[] = {
    {"0", 0, 0},
    {"-0", -0.0, -0.0},
    {"subnormal", 1e-38, 2e-308, true},
    {"least", 1.2e-38, 2.3e-308},
    {"90", 90, 710},
    {"-90", -90, -710},
    {"100", 100, 740},
    {"-100", -100, -740},
    {"1e9", 1e9, 1e9},
    {"-1e9", -1e9, -1e9},
    {"max", 3e38, 1e308},
    {"inf", InfiniteInput, InfiniteInput},
    {"-inf", -InfiniteInput, -InfiniteInput},
    {"nan", std::numeric_limits<double>::quiet_NaN(),
     std::numeric_limits<double>::quiet_NaN()},
    {"ln p", 0, 0, false, true},
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_INPUTCLASSES_H
