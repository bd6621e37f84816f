//===- Ops/HalfTurns.h - Arguments of sin, cos and tan modulo pi ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every finite f32 x as a whole number of half turns, or of quarters, and a
/// rest, in double: the rest is off by less than 2^-33 of itself, also next to
/// a multiple of pi / 2, which no f32 but 0 comes closer to than about 2^-31.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_HALFTURNS_H
#define KEXPR_OPS_HALFTURNS_H

#include "Ops/Double/QuarterTurns.h"

#include <initializer_list>

namespace kexpr::ops::turns {

inline constexpr double Pi = 0x1.921fb54442d18p1;
inline constexpr double PiLow = 0x1.1a62633145c07p-53;
inline constexpr double InversePi = 0x1.45f306dc9c883p-2;
/// Added, it rounds to a whole number and leaves it in the low bits.
inline constexpr double Rounder = 0x1.8p52;
/// Largest |x| of `reduce`, which `reduceHuge` is as good for from 2 on.
inline constexpr float ReduceLimit = 0x1p37f;

/// x = (n - 1/2 if Quarter) * pi + rest, |rest| <= pi / 2 but for rounding: the
/// rest, and n in the low bits.
template <class D> using Reduced = Several<D, 2>;

/// Cody and Waite's reduction; needs |x| <= ReduceLimit.
template <bool Quarter, class D> Reduced<D> reduce(D x) {
  D shifted = x;
  D n = x;
  if constexpr (Quarter) {
    shifted = fma(x, InversePi, 0.5) + Rounder;
    n = (shifted - Rounder) - 0.5;
  } else {
    shifted = fma(x, InversePi, Rounder);
    n = shifted - Rounder;
  }
  return {{fma(n, -PiLow, fma(n, -Pi, x)), shifted}};
}

/// Parts / pi for f32 numbers of exponents from 16 i + 1 to 16 i + 16: 53 bits
/// from the first on whose product with such a number may be no multiple of
/// 2 Parts, and as many more.
struct InverseWords {
  double first[8], second[8];
};
template <int Parts> consteval InverseWords inverseWords() {
  InverseWords words{};
  for (int i = 0; i < 8; ++i) {
    int weight = 22 - 16 * i;
    for (double *word : {&words.first[i], &words.second[i]})
      for (int left = 53; left > 0; --left, --weight) {
        const int bit = -2 - weight;
        const auto power = static_cast<std::uint64_t>(1023 + weight) << 52;
        if (bit >= 0 &&
            f64::turns::InverseHalfPiBits[bit / 64] >> (63 - bit % 64) & 1)
          *word += Parts * __builtin_bit_cast(double, power);
      }
  }
  return words;
}

/// Payne and Hanek's reduction of f32 numbers, 2 <= |x| < infinity, where
/// `reduce` has no more than Cody's and Waite's; of pi / Parts instead of pi.
/// The product with the first word is below 2^41 and of multiples of 2^-52, so
/// that what is no whole number of it is exact.
template <bool Quarter, int Parts = 1, class D> Reduced<D> reduceHuge(D x) {
  static constexpr InverseWords words = inverseWords<Parts>();
  auto index = x.template bits<std::int64_t>() >> 56;
  D first = index.lookUp(words.first);
  D shifted = x, n = x;
  if constexpr (Quarter && Parts == 1) {
    shifted = fma(x, first, 0.5) + Rounder;
    n = (shifted - Rounder) - 0.5;
  } else {
    constexpr double rounder = Rounder + (Quarter ? 1 : 0);
    shifted = fma(x, first, rounder);
    n = shifted - rounder;
  }
  D rest = fma(x, index.lookUp(words.second), fma(x, first, -n));
  return {{rest * (Pi / Parts), shifted}};
}

/// The rest, negated where the count is odd: its sine is that of x, or the
/// cosine of x if Quarter.
template <class D> D alternate(Reduced<D> reduced) {
  auto bits = reduced.each[0].template bits<std::int64_t>();
  auto count = reduced.each[1].template bits<std::int64_t>();
  return (bits ^ (count << 63)).template bits<double>();
}

} // namespace kexpr::ops::turns

#endif // KEXPR_OPS_HALFTURNS_H
