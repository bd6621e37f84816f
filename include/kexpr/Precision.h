//===- kexpr/Precision.h - How exactly functions are computed ---*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PRECISION_H
#define KEXPR_PRECISION_H

#include <cstdint>

namespace kexpr {
inline namespace v2 {

/// How exactly f32 functions are computed. What IEEE rounds correctly (add,
/// sub, mul, div, sqrt) is so at each of them, and f64 knows one way only, sums
/// and means aside: of any floating-point type, those that an expression names
/// are correctly rounded at `Accurate`. docs/accuracy.md has the measured
/// errors.
enum class Precision : std::uint8_t {
  Default,  ///< At most 1 unit in the last place; activations at most 2.
  Accurate, ///< At most 0.51 units: nearly always the correctly rounded value.
  Fast,     ///< At most 4 units, in the least time.
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_PRECISION_H
