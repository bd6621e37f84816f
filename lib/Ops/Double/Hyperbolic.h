//===- Ops/Double/Hyperbolic.h - sinh, cosh, tanh and inverses in f64 -----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With |x| = n ln 2 + r and t = 4^-n,
/// 2^(1-n) sinh|x| = (1 - t) cosh(r) + (1 + t) sinh(r) and
/// 2^(1-n) cosh(x) = (1 + t) cosh(r) + (1 - t) sinh(r).
/// The inverses are logarithms of 1 + f, f a pair. The coefficients are made by
/// utils/minimax/double_hyperbolic.sollya.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_HYPERBOLIC_H
#define KEXPR_OPS_DOUBLE_HYPERBOLIC_H

#include "Ops/Double/Exponential.h"
#include "Ops/Double/Logarithm.h"

namespace kexpr::ops::f64 {

/// What sinh and cosh are added up from: t = 4^-n, cosh(rest) = 1 + even,
/// sinh(rest) = r + odd.
template <class D> struct Hyperbolic {
  D t, r, even, odd;
  D shifted; ///< n + PowerRounder.

  /// (1 + u) cosh(rest) + (1 - u) sinh(rest) for u = t or -t; error below 2^-54
  /// of it.
  Pair<D> combine(D u) const {
    Pair<D> one = quickTwoSum(u.like(1), u);
    D linear = fma(-u, r, r);
    D lost = fma(-u, r, r - linear);
    Pair<D> sum = quickTwoSum(one.high, linear);
    D low = fma(one.high, even, (1.0 - u) * odd);
    return quickTwoSum(sum.high, sum.low + (one.low + lost + low));
  }
};

/// Needs 0 <= x <= 710.5.
template <class D> Hyperbolic<D> hyperbolic(D x) {
  Reduced<D> reduced = reduce(Pair<D>{x, x.like(0)});
  auto [r, low] = reduced.rest;
  D z = r * r;
  D even = horner(z, 0.5, 0x1.5555555555556p-5, 0x1.6c16c16c15ff6p-10,
                  0x1.a01a01a81b019p-16, 0x1.27e4d810d929ap-22,
                  0x1.1f78ef2169fd9p-29);
  D odd = horner(z, 0x1.5555555555556p-3, 0x1.111111111070bp-7,
                 0x1.a01a01a90243bp-13, 0x1.71de0a3c85967p-19,
                 0x1.af3f074ac3116p-26);
  // 2^-n, which beyond 2^-200 shows nowhere and might be out of range.
  D inverse =
      inversePower(0, atMost(reduced.shifted, PowerRounder<double> + 200));
  return {inverse * inverse, r, fma(z, even, low * r), fma(z * r, odd, low),
          reduced.shifted};
}

/// Small numbers, whose squares would be subnormal, are their own sinh.
template <class D> D sinh(D x) {
  D a = abs(x);
  auto isSmall = a < Tiny;
  auto parts = hyperbolic(atMost(select(isSmall, 0, a), 710.5));
  D value = scaleNormal(parts.combine(-parts.t).high * 0.5, parts.shifted);
  return copySign(select(isSmall, a, value), x);
}

template <class D> D cosh(D x) {
  auto parts = hyperbolic(atMost(abs(x) + Tiny, 710.5));
  return scaleNormal(parts.combine(parts.t).high * 0.5, parts.shifted);
}

/// It is 1 in f64 from 19.1 on, and at most |x|.
template <class D> D tanh(D x) {
  D a = abs(x);
  auto parts = hyperbolic(atMost(a + Tiny, 20));
  D ratio = quotient(parts.combine(-parts.t), parts.combine(parts.t)).high;
  return copySign(select(a < ratio, a, ratio), x);
}

/// log(1 + f), but log(2 x) where x is so large that 1 + f is 2 x and has
/// perhaps overflowed on the way.
template <class D> D areaLogarithm(D x, Pair<D> f) {
  auto isLarge = x > 0x1p100;
  Pair<D> argument{select(isLarge, x, f.high), select(isLarge, 0, f.low)};
  D result = log1p(argument, select(isLarge, x.like(1), 0)).high;
  return select(x < Infinity<D>, result, x);
}

/// log(1 + f) with f = x + (sqrt(x^2 + 1) - 1), x = |x|.
template <class D> D asinh(D x) {
  // The next term, x^3 / 6, is below the rounding error where x is small.
  D a = abs(x);
  auto isSmall = a <= 0x1p-28;
  D some = select(isSmall, 0, a);
  Pair<D> root = squareRoot(plus(twoProduct(some, some), x.like(1)));
  Pair<D> f = quickTwoSum(some, root.high - 1.0);
  D result = areaLogarithm(some, {f.high, f.low + root.low});
  return copySign(select(isSmall, a, result), x);
}

/// log(1 + f) with f = sqrt(x^2 - 1) + (x - 1).
template <class D> D acosh(D x) {
  Pair<D> root = squareRoot(plus(twoProduct(x, x), x.like(-1)));
  Pair<D> f = quickTwoSum(root.high, x - 1.0);
  D result = areaLogarithm(x, {f.high, f.low + root.low});
  D edge = select(x == 1, 0, x.like(NaN<D>));
  return select(x > 1, result, edge);
}

/// log(1 + f) / 2 with f = 2 |x| / (1 - |x|).
template <class D> D atanh(D x) {
  // The next term, x^3 / 3, is below the rounding error where x is small.
  D a = atMost(abs(x), 2);
  auto isSmall = a <= 0x1p-28;
  D some = select(isSmall, 0, a);
  Pair<D> f = quotient({some * 2.0, x.like(0)}, quickTwoSum(x.like(1), -some));
  D result = select(isSmall, a, log1p(f).high * 0.5);
  D edge = select(a == 1, Infinity<D>, a.like(NaN<D>));
  return copySign(select(a < 1, result, edge), x);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_HYPERBOLIC_H
