//===- Ops/HalfTurns.h - Arguments of sin, cos and tan modulo pi ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every finite f32 x as a whole number of half turns and a rest, in double:
/// the rest is off by less than 2^-33 of itself, also next to a multiple of pi,
/// which no f32 but 0 comes closer to than about 2^-31.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_HALFTURNS_H
#define KEXPR_OPS_HALFTURNS_H

#include "Ops/Algebra/Value.h"

#include <initializer_list>

namespace kexpr::ops::turns {

inline constexpr double Pi = 0x1.921fb54442d18p1;
inline constexpr double PiLow = 0x1.1a62633145c07p-53;
inline constexpr double InversePi = 0x1.45f306dc9c883p-2;
/// Added, it rounds to a whole number and leaves it in the low bits.
inline constexpr double Rounder = 0x1.8p52;
/// Largest |x| of `reduce`; `reduceHuge` takes every argument.
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

/// A sum that keeps what rounding loses.
template <class D> struct Sum { D high, low; };

template <class D> Sum<D> plus(Sum<D> sum, D x) {
  D high = sum.high + x;
  D part = high - sum.high;
  D lost = (sum.high - (high - part)) + (x - part);
  return {high, sum.low + lost};
}

/// x / pi modulo 2. Each product of x with 29 bits of 1 / pi is exact, and so
/// is its rest modulo 2; what follows the last is below 2^-75.
template <class D> Sum<D> halfTurns(D x) {
  Sum<D> sum{x.like(0), x.like(0)};
  for (double piece :
       {0x1.45f306cp-2, 0x1.c9c882ap-30, 0x1.4fe13aap-60, 0x1.e8fa9a6p-88,
        0x1.dc0db62p-117, 0x1.2b32788p-146, 0x1.c820ff2p-176}) {
    D product = x * piece;
    sum = plus(sum, fma(roundEven(product * 0.5), -2.0, product));
  }
  return sum;
}

/// Payne and Hanek's reduction, for any x; infinities give NaN.
template <bool Quarter, class D> Reduced<D> reduceHuge(D x) {
  Sum<D> sum = halfTurns(x);
  if constexpr (Quarter)
    sum = plus(sum, x.like(0.5));
  D shifted = sum.high + Rounder;
  return {{((sum.high - (shifted - Rounder)) + sum.low) * Pi, shifted}};
}

/// x = n * pi / 2 + rest and n + Rounder; needs |x| <= ReduceLimit.
template <class D> Reduced<D> reduceQuarter(D x) {
  D shifted = fma(x, 2 * InversePi, Rounder);
  D n = shifted - Rounder;
  return {{fma(n, -PiLow / 2, fma(n, -Pi / 2, x)), shifted}};
}

/// The same for any finite x.
template <class D> Reduced<D> reduceHugeQuarter(D x) {
  Sum<D> sum = halfTurns(x);
  D high = sum.high * 2.0;
  D shifted = high + Rounder;
  return {{fma(sum.low, 2.0, high - (shifted - Rounder)) * (Pi / 2), shifted}};
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
