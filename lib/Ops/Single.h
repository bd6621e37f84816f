//===- Ops/Single.h - Exponentials in single precision --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the f32 formulas of exp, sigmoid, silu and tanh share. Polynomials are
/// in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_SINGLE_H
#define KEXPR_OPS_SINGLE_H

#include "Ops/Polynomial.h"

namespace kexpr::ops::single {

/// Added, it rounds to a whole number and leaves it in the low bits.
inline constexpr float Rounder = 0x1.8p23f;

/// Less than half a unit in the last place of all that it is added to but the
/// tiny, which it keeps from being subnormal: some processors take 150 cycles
/// for each product that is.
inline constexpr float Tiny = 0x1p-60f;

/// The same, and what it leaves is n in the exponent field of f32.
inline constexpr float FieldRounder = Rounder + 127;

/// 2^n of n + FieldRounder, for a normal result.
template <class V> V powerIn(V shifted) {
  return (shifted.template bits<std::int32_t>() << 23)
      .template bits<float>()
      .named("power");
}

/// From here on the factors of 2^n in `scale` are 0, so that nothing underflows
/// where much does: at masks of -inf.
inline constexpr float Vanishing = -176.06f;

/// x = n ln 2 + r with |r| <= ln 2 / 2.
template <class V> struct Reduced {
  V r, shifted; ///< The latter is n + PowerRounder.
};

inline constexpr float InverseLn2 = 0x1.715476p0f;
/// ln 2 in two parts: one alone is 2 ulp off at the largest n. x - n Ln2High is
/// exact where that is less than 1 and |x| <= 1000.
inline constexpr float Ln2High = 0x1.62e43p-1f, Ln2Low = -0x1.05c61p-29f;

/// Needs |x| <= 1000.
template <class V> Reduced<V> reduce(V x) {
  V shifted = fma(x, InverseLn2, PowerRounder<float>);
  V n = shifted - PowerRounder<float>;
  V r = fma(n, -Ln2Low, fma(n, -Ln2High, x)).named("reduced");
  return {r, shifted};
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, z = r^2; error in e^r below 2^-27.
template <class V> V expTail(V r, V z) {
  V low = fma(r, 0x1.555492p-3f, 0x1.fffffap-2f).named("poly");
  V high = fma(r, 0x1.12397cp-7f, 0x1.555a26p-5f).named("poly");
  V higher = fma(z, 0x1.694c82p-10f, high).named("poly");
  return fma(z, higher, low).named("poly");
}

/// factor e^r from the same polynomial: a step less in sum, but more in a row.
/// The factor is a power of two.
template <class V> V exponential(V r, double factor = 1) {
  return horner(r, factor, factor, 0x1.fffffap-2 * factor,
                0x1.555492p-3 * factor, 0x1.555a26p-5 * factor,
                0x1.12397cp-7 * factor, 0x1.694c82p-10 * factor);
}

/// 2^r for |r| <= 1/2; error below 2^-27.
template <class V> V powerOfTwo(V r) {
  return horner(r, 0x1p0, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af72p-5,
                0x1.3b309p-7, 0x1.5f0e12p-10, 0x1.3fb5f2p-13);
}

/// r (1 + rest), unrounded.
template <class V> struct Quotient { V r, rest; };

/// Up to here functions whose slope is 1 at 0 are taken for their argument, as
/// what would be subnormal on the way is slow on some processors.
inline constexpr float Linear = 0x1p-40f;

/// What `sigmoid` is to be multiplied with, so that no value is subnormal.
inline constexpr int SigmoidPower = -64;
inline constexpr float SigmoidUnit = 0x1p-64f;

/// a 2^power for a >= 0, rounded once; no subnormal result is slow where there
/// are instructions for exponents, and none that is 0 anywhere.
template <class V> V timesTwoTo(V a, int power) {
  if (a.hasExponents())
    return scale(a, a.like(PowerRounder<float> + static_cast<float>(power)));
  auto vanishes = a < __builtin_ldexpf(1, -150 - power);
  return a * select(vanishes, 0.0f, a.like(__builtin_ldexpf(1, power)));
}

/// 2^48 / (1 + e^-x) for -115 <= x <= 50. The denominator is 2^-48 (1 + s + s
/// m) with s = 2^n and m = e^r - 1; what each of its sums and the division lose
/// goes into `rest`. If Precise, the rounding of r and that of m do, too.
template <bool Precise, class V> Quotient<V> sigmoid(V x) {
  constexpr float rounder = FieldRounder - 64;
  V shifted = fma(x, -0x1.715476p0f, rounder);
  V n = shifted - rounder;
  V first = fma(n, -Ln2High, -x); // exact
  V r = fma(n, -Ln2Low, first).named("reduced");
  V z = r * r;
  V q = expTail(r, z);
  V tail = fma(n, -Ln2Low, z * q);
  V m = Precise ? first + tail : fma(z, q, r);
  V s = powerIn(shifted);
  V high = fma(s, m, s + SigmoidUnit);
  // What the sum and the fma have lost. For s from 2^-24 up to 2^25 the bracket
  // is exact; beyond, 1 or s is so small that this shows little.
  V low = fma(s, m, (s - high) + SigmoidUnit);
  if constexpr (Precise)
    low = fma(s, (first - m) + tail, low);
  V inverse = 1.0f / high;
  return {inverse, fma(-inverse, low, fma(-inverse, high, 1.0f))};
}

/// tanh(a) / a - 1 for 2^-40 <= a <= 0.94; error relative to 1 below 2^-28.
template <class V> V tanhNearZero(V a) {
  V z = a * a;
  V p = horner(z, -0x1.555548p-2, 0x1.110e16p-3, -0x1.b9a558p-5, 0x1.61dbb6p-6,
               -0x1.0ab674p-7, 0x1.433226p-9, -0x1.b0edacp-12);
  return z * p;
}

/// tanh(a) as 1 - 2 / (1 + e^2a) for 0.93 <= a <= 9.02. The denominator is
/// 1 + s + s m with s = 2^n and m = e^2r - 1. It is large enough for one part
/// of ln 2, and for its own rounding error, to weigh little in the result.
template <class V> V tanhAwayFromZero(V a) {
  V shifted = fma(a, 0x1.715476p1f, FieldRounder);
  V r = fma(shifted - FieldRounder, -0x1.62e43p-2f, a);
  V q = horner(r, 0x1p1, 0x1.fffffap0, 0x1.555492p0, 0x1.555a26p-1,
               0x1.12397cp-2, 0x1.694c82p-4); // m = r q
  V s = powerIn(shifted);
  return 1.0f - 2.0f / fma(s * r, q, s + 1.0f);
}

template <class V> V tanh(V x) {
  V a = abs(x), normal = atLeast(a, Linear);
  // From 9.02 on it is 1; what is smaller than normal is its own tangent.
  V near = fma(tanhNearZero(normal), normal, normal);
  near = select(near < a, near, a);
  V result = select(a > 0.9375f, tanhAwayFromZero(atMost(normal, 9.02f)), near);
  return copySign(result, x);
}

/// (asin(t) / t - 1) / z for z = t^2 <= 1/4; error in asin(t) / t below 2^-27.
template <class V> V arcsineTail(V z) {
  return horner(z, 0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bb8p-5, 0x1.8c3e5p-6,
                0x1.595c6p-5);
}

/// Whether x is not a positive normal number: of those alone the bits are so
/// far from either end.
template <class V> typename V::Mask isRareInLogarithms(V x) {
  return x.template bits<std::int32_t>() + 0x7f800000 > -0x01000001;
}

/// x = (1 + f) 2^e with 2/3 <= 1 + f < 4/3; e in units of 2^23, as it stands in
/// the bits.
template <class V> struct Split { V e, f; };

/// For a positive normal x.
template <class V> Split<V> split(V x) {
  auto bits = x.template bits<std::int32_t>();
  auto e = (bits - 0x3f2aaaab) & static_cast<std::int32_t>(0xff800000);
  V f = (bits - e).template bits<float>() - 1.0f;
  return {e.template to<float>(), f};
}

/// For any positive x: a subnormal one is a whole number of 2^-149.
template <class V> Split<V> splitAny(V x) {
  if constexpr (requires { V::Algebra::template mantissa<float>(x.rep); })
    if (x.hasExponents()) {
      auto [e, f] = split(x.mantissa());
      return {fma(x.exponent(), 0x1p23f, e), f};
    }
  auto isSubnormal = x < 0x1p-126f;
  V whole = x.template bits<std::int32_t>().template to<float>();
  auto [e, f] = split(select(isSubnormal, whole, x));
  return {select(isSubnormal, e - 149 * 0x1p23f, e), f};
}

/// (ln(1 + f) - f) / f^2; error in the logarithm below 2^-27.
template <class V> V logTail(V f) {
  return horner(f, -0x1p-1, 0x1.555502p-2, -0x1.ffff14p-3, 0x1.99d1c6p-3,
                -0x1.559802p-3, 0x1.1ec0dp-3, -0x1.f3a7dep-4, 0x1.1ec6e2p-3,
                -0x1.06cdfap-3);
}

} // namespace kexpr::ops::single

#endif // KEXPR_OPS_SINGLE_H
