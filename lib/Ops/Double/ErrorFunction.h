//===- Ops/Double/ErrorFunction.h - erf, erfc, gelu in f64
//-------------------===//
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
#ifndef KEXPR_OPS_DOUBLE_ERRORFUNCTION_H
#define KEXPR_OPS_DOUBLE_ERRORFUNCTION_H

#include "Ops/Double/Exponential.h"

namespace kexpr::ops::f64 {

namespace errors {

/// erf(a) = a + a q(a^2 - 1/2) for 0 <= a <= 0.85. Counted from 1/2, the square
/// is small where q's roundings would show most.
template <class D> D erfNear(D a) {
  D q = horner(fma(a, a, -0.5), -0x1.1ae14dc348158p-5, -0x1.1fd16292151fbp-2,
               0x1.454368017ae82p-4, -0x1.2b902b7b315cap-6, 0x1.c82aa24aeeaep-9,
               -0x1.263991a2e602fp-11, 0x1.486635daac7d7p-14,
               -0x1.429f2c5a928c3p-17, 0x1.1ad60cd8ae17ep-20,
               -0x1.bce32efa19e99p-24, 0x1.6f0e33ee68bf8p-27);
  return fma(a, q, a);
}

/// erf(a) = 1 - 2^(c + u q(u)), u = a - 1.0756..., for 0.85 <= a <= 5.9375; the
/// exponent is log2(erfc(a)). Near 1, where it matters, u is small and exact.
template <class D> D erfFar(D a) {
  D u = a - 0x1.135ep0;
  D q = horner(
      u, -0x1.ff02bc61e760fp1, -0x1.3abe8f598308fp0, -0x1.c89ec205b86a9p-5,
      0x1.b7f389c8aa613p-7, -0x1.612a3397da0a7p-9, 0x1.75fdbb969bd87p-12,
      0x1.1b8542be12b2p-16, -0x1.ff74cb143e8c5p-16, 0x1.87cd77bce943dp-17,
      -0x1.6f0229a5a0f6dp-19, 0x1.2ebc3fa077b79p-22, 0x1.90858cc481fc7p-24,
      -0x1.0f0a7844f85fcp-24, 0x1.5e1f51cfcaddbp-26, -0x1.2bd8ccc488a76p-28,
      0x1.57b58613dbcdbp-31, -0x1.df8358b964897p-35, 0x1.33c3f5534eebp-39);
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
  constexpr double shift = 0x1.8p52;
  D shifted = fma(u, q, shift);
  // Taking the whole part off inside the fma spares the rounding of u q(u).
  D r = fma(u, q, shift - shifted);
  // 2^(r + c)
  D p = horner(
      r, 0x1.06925df837e0fp-3, 0x1.6c007177980f6p-4, 0x1.f89d117540aacp-6,
      0x1.d25ca8589748p-8, 0x1.4341e952023c6p-10, 0x1.6681064c77dd9p-13,
      0x1.4b53fb332ebe9p-16, 0x1.0677b0037c37fp-19, 0x1.6bdb36cbdfdfbp-23,
      0x1.c062b231c4007p-27, 0x1.f26baf9d8b637p-31, 0x1.ef535c59bc81fp-35);
  return fma(-p, powerOfTwo(shifted.template bits<std::int64_t>()), 1.0);
}

/// value * 2^n.
template <class D> struct Scaled {
  Pair<D> value;
  D shifted; ///< n + PowerRounder.
};

/// Shows in no tail that it is added to the argument of, and keeps powers of
/// the argument's square from being subnormal.
inline constexpr double TinyArgument = 0x1p-100;

/// P(-a), P the normal distribution, for 0 <= a <= 38.75:
/// e^(-a^2 / 2) 25/64 (a + 5) / (a + 2)^2 (1 + h(t)), t = (a - 5) / (a + 5).
/// The fraction is off by 4 % at most, so h needs no care; what the other
/// factors lose by rounding joins it in `slip`. `power` is -a^2 / 2, `low` what
/// a lost by rounding, if it did.
template <class D, class... Low>
Scaled<D> normalTail(Pair<D> power, D a, Low... low) {
  constexpr double scale = 25.0 / 64;
  auto [e, shifted] = exponential(power);
  D above = fma(a, scale, 5 * scale);
  D aboveLow = (fma(a, scale, 5 * scale - above) + ... + (low * scale));
  Pair<D> base = quickTwoSum(a.like(2), a);
  base.low = (base.low + ... + low);
  Pair<D> below = twoProduct(base.high, base.high);
  D belowLow = fma(base.high + base.high, base.low, below.low);

  D unit = 1.0 / above;
  D t = fma(a, scale, -5 * scale) * unit;
  D h = horner(
      t, -0x1.1fbcdde64e7b9p-5, -0x1.f3591116594dbp-8, 0x1.546f87cbb7388p-4,
      -0x1.cc4f280312a43p-7, -0x1.05fea61e1ba15p-6, 0x1.2eee52e6447d8p-6,
      -0x1.4e9281faf7439p-7, 0x1.5f25518044d9ap-9, 0x1.2bd16381e9eadp-11,
      -0x1.c4ff0ddced5aep-11, 0x1.577a2ed2e6fap-12, -0x1.81835a35cdb35p-21,
      -0x1.840ed99f4c937p-15, 0x1.809e517e6eb8ap-17, 0x1.37ff6bcffaf97p-18,
      -0x1.4cd3164a6d476p-19, -0x1.e80f0d05f6a6fp-22, 0x1.d61a77334277ep-22,
      0x1.fc7eed8509ce6p-25, -0x1.303b927c79004p-24, -0x1.b67d830b1c733p-27,
      0x1.15d9f4fbf4bdap-27, 0x1.4ba1e1faf797p-29);
  D inverse = 1.0 / below.high;
  D inverseSlip = fma(-belowLow, inverse, fma(-below.high, inverse, 1.0));
  D slip = fma(aboveLow, unit, inverseSlip) + h;

  Pair<D> numerator = product(e, above);
  Pair<D> result = product(numerator, inverse);
  return {{result.high, fma(result.high, slip, result.low)}, shifted};
}

} // namespace errors

template <class D> D erf(D x) {
  D a = abs(x);
  D far = errors::erfFar(atMost(a, 5.9375));
  return copySign(select(a > 0.85, far, errors::erfNear(a)), x);
}

/// x P(x), P the normal distribution: below 0 that is the tail, above it is
/// what the tail leaves of 1.
template <class D> D gelu(D x) {
  D a = atMost(abs(x), 38.75), some = a + errors::TinyArgument;
  Pair<D> square = twoProduct(some, some);
  auto [tail, shifted] =
      errors::normalTail(Pair<D>{square.high * -0.5, square.low * -0.5}, some);
  D least = atLeast(shifted, LeastBesideOne);
  Pair<D> rest = quickTwoSum(x.like(1), -scaleNormal(tail.high, least));
  D restLow = rest.low - scaleNormal(tail.low, least);

  auto below = x < 0;
  Pair<D> p = quickTwoSum(select(below, tail.high, rest.high),
                          select(below, tail.low, restLow));
  D result = fma(a, p.high, a * p.low);
  // Nothing but the last product may be subnormal.
  result = copySign(select(below, scale(result, shifted), result), x);
  result = select(x > 38, x, result);
  return select(x > -Infinity<D>, result, NaN<D>);
}

/// 2 P(-a) with a = sqrt(2) |x|, and what that leaves of 2 below 0.
template <class D> D erfc(D x) {
  constexpr double root = 0x1.6a09e667f3bcdp0, rootLow = -0x1.bdd3413b26456p-54;
  D t = atMost(abs(x) + errors::TinyArgument, 27.4);
  Pair<D> square = twoProduct(t, t), a = twoProduct(t, t.like(root));
  auto [tail, shifted] = errors::normalTail(Pair<D>{-square.high, -square.low},
                                            a.high, fma(t, rootLow, a.low));
  D high = tail.high + tail.high, low = tail.low + tail.low;
  D least = atLeast(shifted, LeastBesideOne);
  Pair<D> rest = quickTwoSum(x.like(2), -scaleNormal(high, least));
  D below = rest.high + (rest.low - scaleNormal(low, least));
  return select(x < 0, below, scale(high + low, shifted));
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_ERRORFUNCTION_H
