//===- Ops/Double/Hypotenuse.h - Roots of sums of two squares -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_HYPOTENUSE_H
#define KEXPR_OPS_DOUBLE_HYPOTENUSE_H

#include "Ops/Double/DoubleDouble.h"

namespace kexpr::ops::f64 {

/// Computed by a power of two off, so that no square leaves the range. A result
/// that is subnormal is rounded twice.
template <class D> D hypot(D x, D y) {
  D a = abs(x), b = abs(y);
  D larger = select(a < b, b, a), smaller = select(a < b, a, b);
  auto isLarge = larger > 0x1p500, isSmall = larger < 0x1p-400;
  D scale = select(isLarge, 0x1p-600, select(isSmall, 0x1p600, x.like(1)));
  D back = select(isLarge, 0x1p600, select(isSmall, 0x1p-600, x.like(1)));
  larger = larger * scale;
  smaller = smaller * scale;
  // What is smaller still does not count, and its square may be subnormal.
  smaller = select(smaller < larger * 0x1p-60, 0, smaller);
  Pair<D> square = twoProduct(larger, larger),
          other = twoProduct(smaller, smaller);
  Pair<D> sum = quickTwoSum(square.high, other.high);
  D root = sqrt(sum.high);
  D rest = fma(-root, root, sum.high) + (sum.low + (square.low + other.low));
  D result = select(root > 0, root + rest * (0.5 / root), root) * back;
  auto isInfinite = (a == Infinity<D>) | (b == Infinity<D>);
  return select(isInfinite, Infinity<D>, result);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_HYPOTENUSE_H
