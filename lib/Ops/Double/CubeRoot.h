//===- Ops/Double/CubeRoot.h - Cube roots in double lanes -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_CUBEROOT_H
#define KEXPR_OPS_DOUBLE_CUBEROOT_H

#include "Ops/Double/DoubleDouble.h"

namespace kexpr::ops::f64 {

/// a^(-1/3) within 2^-6 for a positive normal a: a third of the exponent is
/// nearly a third of what the upper half of the bits says as a whole number.
template <class D> D roughInverseCubeRoot(D a) {
  auto upper = shiftRightLogical(a.template bits<std::int64_t>(), 32);
  // A small integer in the low bits of 2^52 is 2^52 plus that integer.
  D whole = (upper | 0x4330000000000000).template bits<double>() - 0x1p52;
  D third = fma(whole, -1.0 / 3, 0x1p52 + 1430217000);
  return (third.template bits<std::int64_t>() << 32).template bits<double>();
}

/// The same, nearly rounded. Terms are those of (1 - e)^(-1/3), e being what a
/// guess misses.
template <class D> D inverseCubeRoot(D a) {
  D z = roughInverseCubeRoot(a);
  D e = fma(-a * z, z * z, 1.0);
  z = fma(z * e, horner(e, 1.0 / 3, 2.0 / 9, 14.0 / 81, 35.0 / 243), z);
  e = fma(-a * z, z * z, 1.0);
  return fma(z * e, horner(e, 1.0 / 3, 2.0 / 9), z);
}

template <class D> D cbrt(D x) {
  D a = abs(x);
  // So that no part of a cube is subnormal, and none overflows.
  auto isSmall = a<0x1p-600, isLarge = a> 0x1p600;
  D one = a.like(1);
  D scaled = a * select(isSmall, 0x1p300, select(isLarge, 0x1p-300, one));
  D z = inverseCubeRoot(scaled);
  D square = z * z, y = scaled * square;
  // One step of Newton's by the exact cube.
  Pair<D> squared = twoProduct(y, y);
  Pair<D> cube = twoProduct(squared.high, y);
  D rest = (scaled - cube.high) - fma(squared.low, y, cube.low);
  D root = fma(rest, square * (1.0 / 3), y);
  root = root * select(isSmall, 0x1p-100, select(isLarge, 0x1p100, one));
  return copySign(select(a < Infinity<D>, root, a), x);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_CUBEROOT_H
