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
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x) { return floor(x); }

  template <class V> static V formula(V x) { return floor(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Ceil {
  static constexpr OpInfo info{.name = "ceil",
                               .doc = "the smallest whole number >= x",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x) { return ceil(x); }

  template <class V> static V formula(V x) { return ceil(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Trunc {
  static constexpr OpInfo info{.name = "trunc",
                               .aliases = {"fix"},
                               .doc = "the whole part of x",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x) { return trunc(x); }

  template <class V> static V formula(V x) { return trunc(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Round {
  static constexpr OpInfo info{.name = "round",
                               .doc = "the nearest whole number, the even one "
                                      "of two",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .isSignless = true};

  template <class R> static R reference(R x) {
    R down = floor(x), up = ceil(x);
    if (x - down != up - x)
      return x - down < up - x ? down : up;
    return fmod(down, 2) == 0 ? down : up;
  }

  template <class V> static V formula(V x) { return roundEven(x); }
  template <IsInteger V> static V formula(V x) { return x; }
};

struct Frac {
  static constexpr OpInfo info{.name = "frac",
                               .doc = "x - trunc(x); NaN for infinities",
                               .types = TypeRule::Floating,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x) { return x - R(trunc(x)); }

  template <class V> static V formula(V x) { return x - trunc(x); }
};

/// What a result in f64 becomes before it is converted to f16 or bf16, which
/// goes by way of f32: it is then rounded there once. No expression can name
/// it.
struct RoundToOdd {
  static constexpr OpInfo info{
      .name = "round_to_odd",
      .doc = "x, or of the two f32 on its sides that of which the last bit is "
             "1; an f32 is itself",
      .types = TypeRule::Floating,
      .ulp = Exact,
      .pnnx = false};

  template <class R> static R reference(R x) {
    const auto nearest = static_cast<float>(x);
    if (isnan(x) || nearest == x)
      return x;
    const float zero = nextafterf(nearest, 0),
                cut = fabs(nearest) > fabs(x) ? zero : nearest;
    const R away = nextafterf(cut, x > 0 ? HUGE_VALF : -HUGE_VALF);
    return __builtin_bit_cast(std::uint32_t, cut) & 1 ? R(cut) : away;
  }

  template <class V> static V formula(V x) { return x; }
  template <IsDouble V> static V formula(V x) {
    auto nearest = x.template to<float>();
    auto bits = nearest.template bits<std::int32_t>();
    V back = nearest.template to<double>();
    auto cut = select(abs(back) > abs(x), bits - 1, bits);
    auto odd = select(back != x, cut | 1, bits);
    return odd.template bits<float>().template to<double>();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ROUNDING_H
