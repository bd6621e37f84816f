//===- Ops/Double/Logarithm.h - log, log1p and log10 in f64 ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With x = m 2^e, m = 1 + f and s = f / (2 + f),
/// ln(x) = e ln 2 + ln((1 + s) / (1 - s)) = e ln 2 + 2 s + s^3 (2/3 + ...).
/// The quotient s is a pair, and so is the sum of the first two terms; the rest
/// is small beside it. The coefficients are made by
/// utils/minimax/double_log.sollya.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_LOGARITHM_H
#define KEXPR_OPS_DOUBLE_LOGARITHM_H

#include "Ops/Double/Exponential.h"

namespace kexpr::ops::f64 {

/// A number as the sum of two doubles, the first of 42 bits: its product with a
/// whole number below 2^11 is exact.
struct Split42 {
  double high, low;
};
inline constexpr Split42 Ln2Split{0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};
inline constexpr Split42 Log10Of2Split{0x1.34413509f78p-2,
                                       0x1.fef311f12b358p-46};

/// y = m * 2^e with sqrt(1/2) <= m < sqrt(2).
template <class D> struct Mantissa {
  D m, e;
  typename D::template As<std::int64_t> biased; ///< e + 1023

  /// 2^(1 - e); 2^-e may be out of range.
  D twiceInverse() const {
    return ((2047 - biased) << 52).template bits<double>();
  }
};

/// Needs a positive normal y.
template <class D> Mantissa<D> mantissaOf(D y) {
  constexpr std::int64_t one = 0x3ff0000000000000;
  constexpr std::int64_t rootHalf = 0x3fe6a09e667f3bcd;
  auto i = y.template bits<std::int64_t>() + (one - rootHalf);
  auto biased = shiftRightLogical(i, 52);
  auto m = (i & 0x000fffffffffffff) + rootHalf;
  // A small integer in the low bits of 2^52 is 2^52 plus that integer.
  auto e = (biased | 0x4330000000000000).template bits<double>();
  return {m.template bits<double>(), e - (0x1p52 + 1023), biased};
}

/// The mantissa of y, which may be subnormal.
template <class D> Mantissa<D> anyMantissaOf(D y) {
  auto isTiny = y < 0x1p-1022;
  // In units of 2^-1074: as in mantissaOf. A product would be slow.
  auto bits = y.template bits<std::int64_t>() | 0x4330000000000000;
  D whole = bits.template bits<double>() - 0x1p52;
  Mantissa<D> result = mantissaOf(select(isTiny, whole, y));
  result.e = result.e - select(isTiny, y.like(1074), 0);
  return result;
}

/// f / (2 + f)
template <class D> Pair<D> halfAngle(Pair<D> f) {
  Pair<D> below = quickTwoSum(f.high.like(2), f.high);
  return quotient(f, {below.high, below.low + f.low});
}

/// log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2); error below 2^-57 of it. Not
/// normalised: low may be 2^-6 of high.
template <class D> Pair<D> logOfMantissa(Pair<D> f) {
  Pair<D> s = halfAngle(f);
  D z = s.high * s.high;
  D tail =
      horner(z, 0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f0ap-2,
             0x1.c71c725c1a9e6p-3, 0x1.745cdb8fd40c5p-3, 0x1.3b2153e9d7c74p-3,
             0x1.0f4a9962f9b9ap-3, 0x1.101eace2abe86p-3);
  return {s.high * 2.0, fma(s.high * z, tail, s.low * 2.0)};
}

/// e * unit + x for |x| <= unit / 2.
template <class D> Pair<D> plusMultiple(D e, Split42 unit, Pair<D> x) {
  Pair<D> sum = quickTwoSum(e * unit.high, x.high);
  return quickTwoSum(sum.high, sum.low + fma(e, unit.low, x.low));
}

/// ln(x) for 0 < x < inf.
template <class D> Pair<D> logPair(D x) {
  auto y = anyMantissaOf(x);
  Pair<D> mantissa = logOfMantissa(Pair<D>{y.m - 1.0, x.like(0)});
  return plusMultiple(y.e, Ln2Split, mantissa);
}

template <class D> D log(D x) { return logarithmEdges(x, logPair(x).high); }

template <class D> D log2(D x) {
  constexpr double log2eLow = 0x1.777d0ffda0d24p-56;
  auto y = anyMantissaOf(x);
  Pair<D> l = logOfMantissa(Pair<D>{y.m - 1.0, x.like(0)});
  l = product(Pair<D>{x.like(Log2e), x.like(log2eLow)}, l);
  return logarithmEdges(x, plusMultiple(y.e, Split42{1, 0}, l).high);
}

/// x ln(y).
template <class D> D xlogy(D x, D y) {
  Pair<D> l = logPair(y);
  // Beside an infinite x it would have a sign of its own.
  D small = select(abs(x) < Infinity<D>, x * l.low, 0);
  return fma(x, logarithmEdges(y, l.high), small);
}

/// ln(x / (1 - x)) for 0 < x < 1, as -ln(1 - x) + ln(x) of the smaller one, b.
/// With the quotient (1 - b) / b = 2^e (1 + f), f = ((1 - b) 2^-e - b) / b.
template <class D> D logit(D x) {
  auto isUpper = x > 0.5;
  D exact = select(isUpper, 1.0 - x, x), isTinyBy = exact.like(0);
  auto isTiny = exact < 0x1p-900;
  D b = select(isTiny, exact * 0x1p200, exact);
  isTinyBy = select(isTiny, 200, isTinyBy);
  Pair<D> rest = quickTwoSum(b.like(1), -exact);
  auto ratio = mantissaOf(rest.high / b);
  D power = ratio.twiceInverse();
  Pair<D> half = plus(Pair<D>{rest.high * power, rest.low * power}, b * -2.0);
  Pair<D> f = quotient(half, {b * 2.0, b.like(0)});
  Pair<D> result = plusMultiple(ratio.e + isTinyBy, Ln2Split, logOfMantissa(f));
  return select(isUpper, result.high, x.like(0) - result.high);
}

template <class D> D log10(D x) {
  constexpr double log10e = 0x1.bcb7b1526e50ep-2;
  constexpr double log10eLow = 0x1.95355baaafad3p-57;
  auto y = anyMantissaOf(x);
  Pair<D> l = logOfMantissa(Pair<D>{y.m - 1.0, x.like(0)});
  l = product(Pair<D>{x.like(log10e), x.like(log10eLow)}, l);
  return logarithmEdges(x, plusMultiple(y.e, Log10Of2Split, l).high);
}

/// log((1 + x) 2^shift) for x > -1 that does not lie below 2^-960 in magnitude;
/// error below 2^-56 of the result.
template <class D> Pair<D> log1p(Pair<D> x, D shift) {
  Pair<D> sum = twoSum(x.high, x.high.like(1));
  auto y = mantissaOf(sum.high);
  // Where no power of two is split off, x itself serves: 1 + x has lost bits.
  auto isWhole = y.e == 0.0;
  // Where it is smaller, what it is multiplied with does not show.
  D low = ((sum.low + x.low) * 0.5) * atLeast(y.twiceInverse(), 0x1p-900);
  Pair<D> f{select(isWhole, x.high, y.m - 1.0), select(isWhole, x.low, low)};
  return plusMultiple(y.e + shift, Ln2Split, logOfMantissa(f));
}

template <class D> Pair<D> log1p(Pair<D> x) { return log1p(x, x.high.like(0)); }

/// log(1 + e^x) for -1400 <= x <= 700; error below 2^-56 of the result.
template <class D> Pair<D> log1pExp(Pair<D> x) {
  // So small an e would underflow in the formula, and e^2 / 2 is below the
  // rounding error.
  Pair<D> e = exponential(x).product();
  auto isSmall = x.high < -40.0;
  Pair<D> result =
      log1p(Pair<D>{select(isSmall, 0, e.high), select(isSmall, 0, e.low)});
  return {select(isSmall, e.high, result.high),
          select(isSmall, e.low, result.low)};
}

template <class D> D log1p(D x) {
  // So small an x would underflow in the formula; -0 would lose its sign.
  auto isSmall = abs(x) < 0x1p-54;
  D result = log1p(Pair<D>{select(isSmall, 0, x), x.like(0)}).high;
  result = select(isSmall, x, result);
  return logarithmEdges(x + 1.0, result);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_LOGARITHM_H
