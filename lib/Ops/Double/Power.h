//===- Ops/Double/Power.h - pow, rsqrt and logaddexp in f64 ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A power multiplies the error of a logarithm by up to 745, so the logarithm
/// here is a more precise one. The coefficients are made by
/// utils/minimax/double_log.sollya and double_exp.sollya.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_POWER_H
#define KEXPR_OPS_DOUBLE_POWER_H

#include "Ops/Double/Exponential.h"
#include "Ops/Double/Logarithm.h"

namespace kexpr::ops::f64 {

/// log(x) for 0 < x < inf; error below 2^-66 of the result. As in Logarithm.h,
/// but with s^2 and 2/3 as pairs too.
template <class D> Pair<D> logPrecise(D x) {
  auto y = anyMantissaOf(x);
  Pair<D> s = halfAngle(Pair<D>{y.m - 1.0, x.like(0)});
  Pair<D> z = product(s, s);
  D next =
      horner(z.high, 0x1.9999999999998p-2, 0x1.24924924929e8p-2,
             0x1.c71c71c63c21dp-3, 0x1.745d17db09d1fp-3, 0x1.3b13792fdca61p-3,
             0x1.111d736391194p-3, 0x1.deb307acda469p-4, 0x1.e71029276a04bp-4);
  Pair<D> second = product(z, next);
  Pair<D> tail = quickTwoSum(x.like(0x1.5555555555555p-1), second.high);
  tail.low = tail.low + (second.low + 0x1.55807c8cc0146p-55);
  Pair<D> rest = product(product(s, z), tail);
  Pair<D> sum = quickTwoSum(s.high * 2.0, rest.high);
  sum.low = sum.low + fma(s.low, 2, rest.low);
  return plusMultiple(y.e, Ln2Split, sum);
}

/// x^y for x that is not negative.
template <class D> D powerOfPositive(D x, D y) {
  Pair<D> log = logPrecise(x);
  D high = select(x < Infinity<D>, log.high, x);
  high = select(x == 0, -Infinity<D>, high);
  // Less does not show, but in products that are subnormal.
  D exponent = copySign(atLeast(abs(y), 0x1p-400), y);
  Pair<D> product = twoProduct(exponent, high);
  D low = fma(exponent, log.low, product.low);
  // Beyond these the result is inf or 0 in any case. There, and where
  // infinities meet, the low part is meaningless.
  D clamped = atLeast(atMost(product.high, 800), -800);
  low = select(clamped == product.high, low, 0);
  // 1^y and x^0 are 1 for any other argument, NaN and inf included.
  auto isOne = (x == 1) | (y == 0);
  auto [value, shifted] =
      exponential(Pair<D>{select(isOne, 0, clamped), select(isOne, 0, low)});
  return scale(value.high, shifted);
}

/// |x|^y as e^(y ln|x|), then the sign that an odd y keeps.
template <class D> D pow(D x, D y) {
  D magnitude = powerOfPositive(abs(x), y);
  auto isInteger = floor(y) == y;
  D half = select(isInteger, y, y.like(0)) * 0.5;
  auto isEven = floor(half) == half;
  D result = select(isInteger & ~isEven, copySign(magnitude, x), magnitude);
  auto isNegative = (x < 0) & (x > -Infinity<D>);
  result = select(isNegative & ~isInteger, NaN<D>, result);
  // -1 to a power that is no number is none; |-1| made 1 of it.
  return select((x == -1) & (y != y), y, result);
}

/// With q = sqrt(x), rounded, and r = 1 / q, rounded: 1 / sqrt(x) is
/// r / (q r) / sqrt(1 + (x - q^2) / q^2), of which the two corrections are kept
/// to first order.
template <class D> D rsqrt(D x) {
  // The rest x - q^2 of a tiny x would underflow.
  auto isTiny = x < 0x1p-800;
  D scaled = select(isTiny, x * 0x1p200, x);
  D root = sqrt(scaled);
  D inverse = 1.0 / root;
  D ofRoot = fma(-root, root, scaled) * inverse;
  D correction = fma(ofRoot * -0.5, inverse, fma(-root, inverse, 1));
  D result = fma(inverse, correction, inverse);
  result = select((x > 0) & (x < Infinity<D>), result, inverse);
  return select(isTiny, result * 0x1p100, result);
}

/// e^x - 1 for |x| <= 1, error below 2^-98 of it: the exponential series at
/// x / 32, then five times (1 + e)^2 = 1 + e (e + 2).
template <class D> Pair<D> expm1Precise(Pair<D> x) {
  // 1 / 2!, ... 1 / 7!, and what they lack.
  constexpr double inverse[6][2] = {
      {0x1p-1, 0},
      {0x1.5555555555555p-3, 0x1.5555555555555p-57},
      {0x1.5555555555555p-5, 0x1.5555555555555p-59},
      {0x1.1111111111111p-7, 0x1.1111111111111p-63},
      {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
      {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
  };
  Pair<D> r{x.high * 0x1p-5, x.low * 0x1p-5};
  // 1 / 8!, ... 1 / 15!
  D far = horner(r.high, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19,
                 0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26,
                 0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33,
                 0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-41);
  Pair<D> sum = times(r, far);
  for (int i = 5; i >= 0; --i) {
    Pair<D> next{far.like(inverse[i][0]), far.like(inverse[i][1])};
    sum = times(r, plus(next, sum));
  }
  Pair<D> e = plus(r, times(r, sum));
  for (int i = 0; i < 5; ++i)
    e = times(e, plus(e, far.like(2)));
  return e;
}

/// e^x for |x| <= 1400, error below 2^-98 of it, or below 2^-1074.
template <class D> Pair<D> expPrecise(D x) {
  constexpr double ln2Last = 0x1.7b57a079a1934p-111;
  Reduced<D> reduced = reduce(Pair<D>{x, x.like(0)});
  D n = reduced.n;
  Pair<D> low = twoProduct(n, x.like(-Ln2Low));
  low.low = fma(n, -ln2Last, low.low);
  Pair<D> e = expm1Precise(plus(low, fma(n, -Ln2, x)));
  Pair<D> value = plus(e, x.like(1));
  // A low part is kept even where it is subnormal: it may be all that is left
  // of a sum.
  return {scale(value.high, reduced.shifted),
          scaleNormal(value.low, reduced.shifted)};
}

/// log(e^x + e^y) near 0, where x and the logarithm of 1 + e^(y - x) cancel:
/// log(1 + t) with t = (e^x - 1) + e^y. Needs y <= x and -1 <= x < 0. Within
/// one ulp; but where the result is below 2^-46 |x|, within 2^-100 |x|.
template <class D> D logaddexpNearZero(D x, D y) {
  Pair<D> more = expm1Precise(Pair<D>{x, x.like(0)});
  // The pieces of so small an x have underflowed.
  auto isSmall = x > -0x1p-200;
  more = {select(isSmall, x, more.high), select(isSmall, 0, more.low)};
  Pair<D> t = plus(more, expPrecise(atLeast(y, -800)));
  return select(abs(t.high) < 0x1p-60, t.high, log1p(t).high);
}

/// m + log(1 + e^-|x - y|), m the larger of x and y.
template <class D> D logaddexp(D x, D y) {
  D larger = select(x < y, y, x);
  D smaller = select(x < y, x, y);
  Pair<D> difference = twoSum(smaller, -larger);
  D high = select(x == y, 0, difference.high); // inf - inf
  D clamped = atLeast(high, -800);
  // Tiny, which shows in no bit, keeps both parts from being subnormal.
  D low = select(clamped == difference.high, difference.low + Tiny, 0);
  Pair<D> more = log1pExp(Pair<D>{clamped + Tiny, low});
  D sum = plus(more, larger).high;
  // Four times the sum, since a quarter of the larger may be subnormal.
  sum = rarely(abs(sum) * 4 < abs(larger), sum,
               [&] { return logaddexpNearZero(larger, smaller); });
  D result = select(abs(larger) < Infinity<D>, sum, larger);
  return select(high == high, result, high);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_POWER_H
