//===- Ops/Double/Division.h - fmod, remainder, floor_divide in f64 -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Division with a whole quotient. A quotient rounded to the nearest double
/// leaves a rest that is a double, whatever its size; where it rounded up to a
/// whole number that it is not, the rest has the wrong sign, and the quotient
/// is one too large.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_DIVISION_H
#define KEXPR_OPS_DOUBLE_DIVISION_H

#include "Ops/Polynomial.h"

namespace kexpr::ops::f64 {

namespace quotients {

/// What x leaves when its quotient by y is taken off, but for the last bit of
/// the quotient. Each step takes 53 bits off it, or what there is.
template <int Steps, class D> D reduce(D x, D y) {
  for (int i = 0; i < Steps; ++i)
    x = fma(-trunc(x / y), y, x);
  return x;
}

/// The same for any x >= 0 and y >= 0. The quotient is below 2^2098, more than
/// a double holds: first x is divided by y times 2^1570, 2^1045 and 2^520. Both
/// are taken 2^-100 as large for that, since a multiple may overflow. One that
/// still does stands for one that x does not reach.
template <class D> D reduceHuge(D x, D y) {
  D scaled = x * 0x1p-100;
  for (D multiple : {y * 0x1p540 * 0x1p930, y * 0x1p945, y * 0x1p420}) {
    multiple = atMost(multiple, 0x1p1000);
    // What a step leaves may be negative.
    scaled = rarely(abs(scaled) >= multiple, scaled, [scaled, multiple] {
      return reduce<10>(scaled, multiple);
    });
  }
  // Below 2^-500 the scaled x may have lost bits, but its quotient is small.
  return reduce<11>(select(x < 0x1p-500, x, scaled * 0x1p100), y);
}

} // namespace quotients

/// x - y * trunc(x / y), exactly; has the sign of x.
template <class D> D fmod(D x, D y) {
  D a = abs(x), b = abs(y);
  // An infinite x and y = 0 give NaN by themselves.
  auto isFar = (a >= b * 0x1p53) & (a < Infinity<D>)&(b > 0);
  D rest = rarely(isFar, quotients::reduce<1>(a, b),
                  [&] { return quotients::reduceHuge(a, b); });
  rest = select(rest < 0, rest + b, rest);
  // Not only quicker: an infinite y leaves no rest to compute with.
  return select(a < b, x, copySign(rest, x));
}

/// x - y * floor(x / y); has the sign of y. A rest of 0 keeps the sign of x, as
/// in torch.
template <class D> D remainder(D x, D y) {
  D rest = fmod(x, y);
  auto opposed = ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0));
  return select(opposed, rest + y, rest);
}

/// floor(x / y), the quotient not rounded. An infinite dividend gives NaN, as
/// in torch, unless the divisor is 0.
template <class D> D floorDivide(D x, D y) {
  D quotient = floor(x / y);
  // Next to an infinity x is all that is left.
  D rest = select(abs(y) == Infinity<D>, x, fma(-quotient, y, x));
  auto opposed = ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0));
  D result = select(opposed, quotient - 1.0, quotient);
  return select((abs(x) == Infinity<D>)&(y != 0), NaN<D>, result);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_DIVISION_H
