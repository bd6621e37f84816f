//===- Ops/KnownDivisor.h - Division by a number known beforehand ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// x / y without a division, correctly rounded, where 1 / y is known as the sum
/// of two f32 numbers: fma(x, high, x * low). The form is Brisebarre's and
/// Muller's, "Accelerating correctly rounded floating-point division when the
/// divisor is known in advance". It is right for most y, and whether it is for
/// one can be proven in a fraction of a microsecond.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_KNOWNDIVISOR_H
#define KEXPR_OPS_KNOWNDIVISOR_H

#include "Ops/Operator.h"

#include <cstdint>
#include <optional>

namespace kexpr::ops {

/// 1 / y. Both parts have the sign of y, so that x * high and x * low have one
/// sign, and x = 0 and x = inf come out right.
struct SplitReciprocal {
  float high; ///< Rounded towards zero.
  float low;  ///< What is missing, rounded to nearest.
};

/// 1 / y if `DivBy` is right for every x; nothing if it is not, if y is a power
/// of two, 0, infinite or NaN, or if it is subnormal or above 2^32.
std::optional<SplitReciprocal> reciprocalToDivideBy(float y);

/// The form of a division by `divisor` that `DivBy` is; empty if it is not
/// right for that number.
LiteralForm divisionBy(double divisor);

/// Whether 0 < |x| < 2^-64.
template <class V> typename V::Mask isTinyDividend(V x) {
  // By twice the magnitude, as an integer, less 1, which makes zeros the
  // greatest of all; and with 2^31 off both sides, which are signed.
  constexpr std::int32_t least = -0x7fffffff - 1, limit = (127 - 64) << 24;
  return (x.template bits<std::int32_t>() << 1) + 0x7fffffff <
         least + limit - 1;
}

/// x / y where y is one value for many x: all that depends on y alone is
/// computed once. A quotient q that is off by less than a unit, and 1 / y as it
/// is rounded, give the rounded one, as q + (x - q y) (1 / y): Markstein,
/// "Computation of elementary functions on the IBM RISC System/6000".
template <class V> V quotientByOne(V x, V y) {
  using Bits = std::int32_t;
  constexpr auto exponent = 0x7f800000, one = 0x3f800000;
  auto bits = y.template bits<Bits>();
  // With the magnitude of y from 1 up to 2, for quotients overflow no earlier.
  V divisor = ((bits & ~exponent) | one).template bits<float>();
  V power = (bits.like(2 * one) - (bits & exponent)).template bits<float>();
  V inverse = 1.0f / divisor;
  // Below 1 / y in magnitude, so that both parts have its sign.
  V below = (inverse.template bits<Bits>() - 1).template bits<float>();
  V high = select(fma(-inverse, divisor, 1.0f) > 0, inverse, below);
  V low = fma(-high, divisor, 1.0f) * inverse;
  V magnitude = abs(y);
  auto isUsual = (magnitude >= 0x1p-126f) & (magnitude <= 0x1p32f);
  V q = fma(x, high, x * low), rest = fma(-q, divisor, x);
  // An infinity has no rest, and a zero keeps its sign.
  V quotient = select((rest < 0) | (rest > 0), fma(rest, inverse, q), q);
  return mostly(isTinyDividend(x) | ~isUsual, quotient * power,
                [=] { return x / y; });
}

/// What a division by a literal becomes; no expression can name it.
struct DivBy {
  static constexpr OpInfo info{
      .name = "div_by",
      .doc = "x / y, where 1 / y is z + w as reciprocalToDivideBy has it",
      .types = TypeRule::Single,
      .pnnx = false};

  template <class R> static R reference(R x, R y, R, R) { return x / y; }

  template <class V> static V formula(V x, V y, V high, V low) {
    // The product with `low`, or the quotient, could be too small to have all
    // its digits.
    return mostly(isTinyDividend(x), fma(x, high, x * low),
                  [=] { return x / y; });
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_KNOWNDIVISOR_H
