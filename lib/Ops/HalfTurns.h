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

#include "Ops/HugeTurns.h"

namespace kexpr::ops::turns {

inline constexpr double Pi = 0x1.921fb54442d18p1;
inline constexpr double PiLow = 0x1.1a62633145c07p-53;
inline constexpr double InversePi = 0x1.45f306dc9c883p-2;
/// Added, it rounds to a whole number and leaves it in the low bits.
inline constexpr double Rounder = 0x1.8p52;
/// Largest |x| of `reduce`; `reduceHuge` takes larger ones.
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

/// The same for 2 <= |x| < infinity; of pi / Parts where `reduce` has pi.
template <bool Quarter, int Parts = 1, class V> auto reduceHuge(V x) {
  auto turns = hugeTurns<Parts, Quarter>(x);
  auto count = turns.count.template to<std::int64_t>();
  auto rest = wideRest(turns);
  return Reduced<decltype(rest)>{{rest, count.template bits<double>()}};
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
