//===- Ops/Double/DoubleDouble.h - Numbers of two doubles -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What f64 formulas compute with where one double is not enough: an
/// unevaluated sum of two. Error bounds hold while nothing overflows and no low
/// part underflows; an infinity makes the low part NaN.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_DOUBLEDOUBLE_H
#define KEXPR_OPS_DOUBLE_DOUBLEDOUBLE_H

#include "Ops/Polynomial.h"

namespace kexpr::ops::f64 {

/// Less than half a unit in the last place of all that it is added to but the
/// tiny, whose powers it keeps from being subnormal.
inline constexpr double Tiny = 0x1p-240;

/// high + low. Normalised where |low| is at most half an ulp of high.
template <class D> struct Pair { D high, low; };

/// a + b exactly, by Dekker's Fast2Sum; needs |a| >= |b| or a = 0.
template <class D> Pair<D> quickTwoSum(D a, D b) {
  D sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly, by Knuth's TwoSum.
template <class D> Pair<D> twoSum(D a, D b) {
  D sum = a + b;
  D part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a * b exactly: an fma gives what the product's rounding loses.
template <class D> Pair<D> twoProduct(D a, D b) {
  D product = a * b;
  return {product, fma(a, b, -product)};
}

/// Error below 2^-105 of the sum.
template <class D> Pair<D> plus(Pair<D> a, D b) {
  Pair<D> sum = twoSum(a.high, b);
  return quickTwoSum(sum.high, sum.low + a.low);
}

/// Error below 2^-104 (|a| + |b|).
template <class D> Pair<D> plus(Pair<D> a, Pair<D> b) {
  Pair<D> sum = twoSum(a.high, b.high);
  return quickTwoSum(sum.high, sum.low + (a.low + b.low));
}

/// Error below 2^-102 of the product. Not normalised: low may be a few ulp of
/// high.
template <class D> Pair<D> product(Pair<D> a, D b) {
  Pair<D> exact = twoProduct(a.high, b);
  return {exact.high, fma(a.low, b, exact.low)};
}
template <class D> Pair<D> product(Pair<D> a, Pair<D> b) {
  Pair<D> exact = twoProduct(a.high, b.high);
  return {exact.high, fma(a.high, b.low, fma(a.low, b.high, exact.low))};
}

/// Error below 2^-102 of the product.
template <class D, class B> Pair<D> times(Pair<D> a, B b) {
  Pair<D> loose = product(a, b);
  return quickTwoSum(loose.high, loose.low);
}

/// Error below 2^-100 of the quotient; one division.
template <class D> Pair<D> quotient(Pair<D> a, Pair<D> b) {
  D inverse = 1.0 / b.high;
  D high = a.high * inverse;
  // The rest that it leaves is small enough to be nearly exact.
  D rest = fma(-high, b.high, a.high) + fma(-high, b.low, a.low);
  return quickTwoSum(high, rest * inverse);
}

/// Error below 2^-100 of the root; needs a > 0.
template <class D> Pair<D> squareRoot(Pair<D> a) {
  D root = sqrt(a.high);
  D rest = fma(-root, root, a.high) + a.low;
  return quickTwoSum(root, rest * (0.5 / root));
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_DOUBLEDOUBLE_H
