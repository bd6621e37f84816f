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

#include <limits>

namespace kexpr::ops {

/// One number for f32 and one for f64.
struct InputClass {
  const char *name;
  double single, twice;
  bool isSpread = false; ///< The benchmark takes random numbers up to it.
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
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_INPUTCLASSES_H
