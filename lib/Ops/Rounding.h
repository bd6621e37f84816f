//===- Ops/Rounding.h - floor, ceil, trunc, round -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ROUNDING_H
#define KEXPR_OPS_ROUNDING_H

#include "Ops/Operator.h"

#include <math.h>

namespace kexpr::ops {

struct Floor {
  static constexpr OpInfo info{.name = "floor",
                               .doc = "the largest whole number <= x",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return floor(x); }

  template <class V> static V formula(V x) { return floor(x); }
};

struct Ceil {
  static constexpr OpInfo info{.name = "ceil",
                               .doc = "the smallest whole number >= x",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return ceil(x); }

  template <class V> static V formula(V x) { return ceil(x); }
};

struct Trunc {
  static constexpr OpInfo info{.name = "trunc",
                               .doc = "the whole part of x",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return trunc(x); }

  template <class V> static V formula(V x) { return trunc(x); }
};

struct Round {
  static constexpr OpInfo info{.name = "round",
                               .doc = "the nearest whole number, the even one "
                                      "of two",
                               .types = TypeRule::Numeric,
                               .ulp = Exact};

  template <class R> static R reference(R x) {
    R down = floor(x), up = ceil(x);
    if (x - down != up - x)
      return x - down < up - x ? down : up;
    return fmod(down, 2) == 0 ? down : up;
  }

  template <class V> static V formula(V x) { return roundEven(x); }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ROUNDING_H
