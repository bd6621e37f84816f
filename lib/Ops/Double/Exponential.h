//===- Ops/Double/Exponential.h - exp and expm1 in f64 --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// e^x is 2^n e^r with |r| <= ln 2 / 2. Beside r goes what its rounding loses;
/// 1 + r is added up without loss, so that of all roundings only the last one
/// is felt. The coefficients are made by utils/minimax/double_exp.sollya.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_EXPONENTIAL_H
#define KEXPR_OPS_DOUBLE_EXPONENTIAL_H

#include "Ops/Double/DoubleDouble.h"

namespace kexpr::ops::f64 {

/// ln 2 as the sum of two doubles.
inline constexpr double Ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double Ln2Low = 0x1.abc9e3b39803fp-56;
inline constexpr double Log2e = 0x1.71547652b82fep0;

/// From here on the factors of 2^n are 0, so that nothing underflows where much
/// does: at masks of -inf.
inline constexpr double Vanishing = -1418.2;

/// PowerRounder + n, 2^n showing nowhere beside 1 and being far from subnormal.
inline constexpr double LeastBesideOne = PowerRounder<double> - 900;

/// x = n * ln 2 + rest.
template <class D> struct Reduced {
  Pair<D> rest;
  D n, shifted; ///< The latter is n + PowerRounder.
};

/// Needs |x| <= 1419. The rest is off by less than 2^-105.
template <class D> Reduced<D> reduce(Pair<D> x) {
  D shifted = fma(x.high, Log2e, PowerRounder<double>);
  D n = shifted - PowerRounder<double>;
  // The first of these is exact: all terms are multiples of 2^-54.
  D high = fma(n, -Ln2, x.high);
  D low = fma(n, -Ln2Low, x.low);
  return {quickTwoSum(high, low), n, shifted};
}

/// 2^n, n in the low bits, for -1023 < n < 1024.
template <class I> auto powerOfTwo(I count) {
  constexpr std::int64_t one = 0x3ff0000000000000;
  return ((count << 52) + one).template bits<double>();
}

/// 2^(k - n), for a normal result.
template <class D> D inversePower(int k, D shifted) {
  auto count = shifted.template bits<std::int64_t>();
  return powerOfTwo(k + 2046 - count);
}

/// e^rest - 1 - rest.high; error below 2^-57. The square is half of it and
/// more, so what its rounding loses is kept.
template <class D> D expTail(Pair<D> rest) {
  D r = rest.high;
  Pair<D> square = twoProduct(r, r);
  D q = horner(r, 0x1.555555555555ap-3, 0x1.555555555552cp-5,
               0x1.111111110f164p-7, 0x1.6c16c16c28fbbp-10, 0x1.a01a01b1e54p-13,
               0x1.a01a0148a8a5ep-16, 0x1.71ddf3879076ap-19,
               0x1.27e5a1689e465p-22, 0x1.af66b8c1d8852p-26,
               0x1.1e486c129ddap-29);
  D small = fma(square.low, 0.5, fma(rest.low, r, rest.low));
  return fma(square.high, 0.5, fma(r * square.high, q, small));
}

/// e^x = value * 2^n; the value is off by less than 2^-56 of itself.
template <class D> struct Exponential {
  Pair<D> value;
  D shifted; ///< n + PowerRounder.

  Pair<D> product() const {
    // A low part that might be subnormal is left out.
    D least = atLeast(shifted, LeastBesideOne);
    D low = select(shifted == least, value.low, 0);
    return {scale(value.high, shifted), scaleNormal(low, least)};
  }
  /// For sums with numbers of about 1.
  Pair<D> besideOne() const {
    D least = atLeast(shifted, LeastBesideOne);
    return {scaleNormal(value.high, least), scaleNormal(value.low, least)};
  }
};

/// Needs |x| <= 1419.
template <class D> Exponential<D> exponential(Reduced<D> reduced) {
  D one = reduced.n.like(1);
  Pair<D> sum = quickTwoSum(one, reduced.rest.high);
  sum = quickTwoSum(sum.high, sum.low + expTail(reduced.rest));
  return {sum, reduced.shifted};
}
template <class D> Exponential<D> exponential(Pair<D> x) {
  return exponential(reduce(x));
}

template <class D> D exp(D x) {
  D clamped = atLeast(atMost(x + Tiny, 710), Vanishing);
  auto [value, shifted] = exponential(Pair<D>{clamped, x.like(0)});
  return scale(value.high, shifted);
}

template <class D> D exp2(D x) {
  D clamped = atLeast(atMost(x + Tiny, 1025), -2046);
  D shifted = clamped + PowerRounder<double>;
  D n = shifted - PowerRounder<double>, r = clamped - n;
  Pair<D> high = twoProduct(r, r.like(Ln2));
  Pair<D> rest = quickTwoSum(high.high, fma(r, Ln2Low, high.low));
  auto [value, power] = exponential(Reduced<D>{rest, n, shifted});
  return scale(value.high, power);
}

/// 2^n ((1 - 2^-n) + (e^r - 1)).
template <class D> D expm1(D x) {
  // So small an x would underflow, and -0 would lose its sign. Below -37.5 it
  // is -1 in f64; above 709.8 it is inf.
  auto isSmall = abs(x) < Tiny;
  D clamped = atLeast(atMost(select(isSmall, 0, x), 710), -38);
  Reduced<D> reduced = reduce(Pair<D>{clamped, x.like(0)});
  // Twice 2^-n: 2^-n itself is out of range for the largest n.
  D twice = inversePower(1, reduced.shifted);
  D one = fma(twice, -0.5, 1);
  D lost = fma(twice, -0.5, 1 - one);
  Pair<D> sum = quickTwoSum(one, reduced.rest.high);
  D value = sum.high + (sum.low + (lost + expTail(reduced.rest)));
  return select(isSmall, x, scaleNormal(value, reduced.shifted));
}

/// x * 2^n for a whole n, |n| <= 2200, rounded once: of three factors the last
/// alone makes a subnormal number of what is none, unless the result is 0.
template <class D> D timesPower(D x, D n) {
  const auto power = [](D count) {
    auto bits = (count + 0x1.8p52).template bits<std::int64_t>();
    return powerOfTwo(bits);
  };
  for (int step = 0; step < 2; ++step) {
    D part = select(n < -1022, -969, atLeast(atMost(n, 1023), 0));
    x = x * power(part);
    n = n - part;
  }
  return x * power(n);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_EXPONENTIAL_H
