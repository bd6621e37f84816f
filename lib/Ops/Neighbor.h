//===- Ops/Neighbor.h - The next number of a type -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nextafter, and what it is in f16 and bf16, whose numbers are f32 inside a
/// loop. References know no type: they are a neighbour in their own, or x.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_NEIGHBOR_H
#define KEXPR_OPS_NEIGHBOR_H

#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <math.h>
#include <type_traits>

namespace kexpr::ops {

/// `stepped`, where x and y are different numbers.
template <class V> V unlessEqual(V x, V y, V stepped) {
  return select((x == x) & (y == y), select(x == y, y, stepped), NaN<V>);
}

/// x with `unit` added to its bits or taken off, towards y; not for x = y.
template <class V> V neighborByBits(V x, V y, IntOf<ElementOf<V>> unit) {
  auto bits = x.template bits<IntOf<ElementOf<V>>>();
  auto isInward = (y > x) ^ (x > 0);
  V stepped =
      select(isInward, bits - unit, bits + unit).template bits<ElementOf<V>>();
  V least = x.template likeAs<IntOf<ElementOf<V>>>(unit)
                .template bits<ElementOf<V>>();
  return select(x == 0, copySign(least, y), stepped);
}

struct Nextafter {
  static constexpr OpInfo info{
      .name = "nextafter",
      .doc = "the next number of the type after x towards y",
      .types = TypeRule::Floating,
      .ulp = {1, 1, 1},
      .pnnx = false,
      .ofF16 = "nextafter_f16(@0,@1)",
      .ofBF16 = "nextafter_bf16(@0,@1)"};

  template <class R> static R reference(R x, R y) {
    if constexpr (std::is_same_v<R, double>)
      return nextafter(x, y);
    else
      return isnan(x) || isnan(y) ? x + y : x == y ? y : x;
  }

  template <class V> static V formula(V x, V y) {
    return unlessEqual(x, y, neighborByBits(x, y, 1));
  }
};

/// Of f32 that are numbers of bf16, which has the same exponents.
struct NextafterBF16 {
  static constexpr OpInfo info{.name = "nextafter_bf16",
                               .doc = "the next number of bf16 after x",
                               .types = TypeRule::Single,
                               .ulp = {65536, 65536, 0},
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return Nextafter::reference(x, y);
  }

  template <class V> static V formula(V x, V y) {
    return unlessEqual(x, y, neighborByBits(x, y, 1 << 16));
  }
};

/// Of f32 that are numbers of f16.
struct NextafterF16 {
  static constexpr OpInfo info{.name = "nextafter_f16",
                               .doc = "the next number of f16 after x",
                               .types = TypeRule::Single,
                               .ulp = {8192, 8192, 0},
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return Nextafter::reference(x, y);
  }

  template <class V> static V formula(V x, V y) {
    V stepped = neighborByBits(x, y, 1 << 13);
    // Subnormal numbers are 2^-24 apart; their zeros have the sign of x.
    auto isSmall = (abs(x) < 0x1p-14) | (abs(stepped) < 0x1p-14);
    V moved = x + copySign(0x1p-24f, y - x);
    stepped =
        select(isSmall, select(moved == 0, copySign(moved, x), moved), stepped);
    // The largest is 65504.
    stepped = select(abs(x) == Infinity<V>, copySign(65504.0f, x), stepped);
    stepped = select(abs(stepped) > 65504, copySign(Infinity<V>, x), stepped);
    return unlessEqual(x, y, stepped);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_NEIGHBOR_H
