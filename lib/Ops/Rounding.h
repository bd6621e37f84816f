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
                               .types = TypeRule::Number,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return floor(x); }

  template <class V> static V formula(V x) { return floor(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Ceil {
  static constexpr OpInfo info{.name = "ceil",
                               .doc = "the smallest whole number >= x",
                               .types = TypeRule::Number,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return ceil(x); }

  template <class V> static V formula(V x) { return ceil(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Trunc {
  static constexpr OpInfo info{.name = "trunc",
                               .doc = "the whole part of x",
                               .types = TypeRule::Number,
                               .ulp = Exact};

  template <class R> static R reference(R x) { return trunc(x); }

  template <class V> static V formula(V x) { return trunc(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Round {
  static constexpr OpInfo info{.name = "round",
                               .doc = "the nearest whole number, the even one "
                                      "of two",
                               .types = TypeRule::Number,
                               .ulp = Exact};

  template <class R> static R reference(R x) {
    R down = floor(x), up = ceil(x);
    if (x - down != up - x)
      return x - down < up - x ? down : up;
    return fmod(down, 2) == 0 ? down : up;
  }

  template <class V> static V formula(V x) { return roundEven(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ROUNDING_H
