//===- Ops/Double/Trigonometry.h - sin, cos and tan in f64 ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The polynomials are in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_TRIGONOMETRY_H
#define KEXPR_OPS_DOUBLE_TRIGONOMETRY_H

#include "Ops/Double/QuarterTurns.h"

namespace kexpr::ops::f64 {

namespace turns {

inline constexpr std::int64_t SignBit =
    std::numeric_limits<std::int64_t>::min();

/// Whether the count of quarter turns is odd. By way of a sign: GCC finds no
/// vector form of a test of one bit.
template <class I> auto isOdd(I count) {
  constexpr auto one = __builtin_bit_cast(std::int64_t, 1.0);
  auto signedOne = ((count << 63) | one).template bits<double>();
  return signedOne < 0.0;
}

/// a, negated where the top bit of `sign` is set.
template <class D, class I> D negateWhere(I sign, D a) {
  return (a.template bits<std::int64_t>() ^ (sign & SignBit))
      .template bits<double>();
}

/// sin(high + low + count * pi / 2), negated by the top bit of `sign`. The low
/// part enters the square, so that the cosine is one polynomial whose last step
/// alone rounds at the result's size.
template <class D, class I>
D sine(Reduced<D> reduced, int quartersMore, I sign) {
  auto [r, low, shifted] = reduced.each;
  I count = shifted.template bits<std::int64_t>() + quartersMore;
  D z = fma(r, r, (r + r) * low);
  D tail = horner(z, -0x1.5555555555548p-3, 0x1.111111110f75p-7,
                  -0x1.a01a019bef8acp-13, 0x1.71de355c2fe61p-19,
                  -0x1.ae5e51e0cd1ap-26, 0x1.5d8d61aa7c5a3p-33);
  D even = fma(r * z, tail, low) + r;
  D odd = horner(z, 1.0, -0x1p-1, 0x1.555555555554cp-5, -0x1.6c16c16c15217p-10,
                 0x1.a01a019cbdf1ep-16, -0x1.27e4f811431fep-22,
                 0x1.1ee9f017a3216p-29, -0x1.8fb071159a5f6p-37);
  return negateWhere(sign ^ (count << 62), select(isOdd(count), odd, even));
}

/// tan(high + low + count * pi / 2), negated by the top bit of `sign`. With
/// t = tan(r / 2), tan(r) = 2 t / (1 - t^2) and tan(r + pi / 2) = -1 / tan(r).
/// Numerator and denominator are in two parts each; one division serves the
/// quotient and its correction.
template <class D, class I> D tangent(Reduced<D> reduced, I sign) {
  auto [r, low, shifted] = reduced.each;
  I count = shifted.template bits<std::int64_t>();
  D z = r * r;
  D tail = horner(
      z, 0x1.5555555555574p-4, 0x1.111111110d2aap-7, 0x1.ba1ba1bf8da31p-11,
      0x1.664f46a6f8ca8p-14, 0x1.226e90f5da837p-17, 0x1.d6be9a26c2bc6p-21,
      0x1.7f2460426c331p-24, 0x1.251960525856fp-27, 0x1.58d45fabc3789p-30);
  Pair<D> twice = quickTwoSum(r, fma(r * z, tail, low));
  D half = twice.high * 0.5;
  Pair<D> square = twoProduct(half, half);
  Pair<D> cosine = quickTwoSum(r.like(1), -square.high);
  D cosineLow = cosine.low - fma(half, twice.low, square.low);

  auto odd = isOdd(count);
  D above = select(odd, cosine.high, twice.high);
  D below = select(odd, twice.high, cosine.high);
  D aboveLow = select(odd, cosineLow, twice.low);
  D belowLow = select(odd, twice.low, cosineLow);
  D inverse = 1.0 / below;
  D quotient = above * inverse;
  D missing = fma(-quotient, belowLow, fma(-quotient, below, above) + aboveLow);
  return negateWhere(sign ^ (count << 63), fma(missing, inverse, quotient));
}

} // namespace turns

/// Small numbers, whose powers would be subnormal, are their own sine and
/// tangent.
template <class D> D sin(D x) {
  D a = abs(x);
  auto sign = x.template bits<std::int64_t>();
  D result = turns::sine(turns::reduceAny(atLeast(a, Tiny)), 0, sign);
  return select(a < Tiny, x, result);
}

template <class D> D cos(D x) {
  auto none = x.template likeAs<std::int64_t>(0);
  return turns::sine(turns::reduceAny(abs(x) + Tiny), 1, none);
}

template <class D> D tan(D x) {
  D a = abs(x);
  auto sign = x.template bits<std::int64_t>();
  D result = turns::tangent(turns::reduceAny(atLeast(a, Tiny)), sign);
  return select(a < Tiny, x, result);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_TRIGONOMETRY_H
