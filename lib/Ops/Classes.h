//===- Ops/Classes.h - What kind of number x is ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests for NaN, infinities and signs, and what goes by their results. PNNX
/// writes none of them. The sign of a NaN is not defined here: processors
/// disagree on that of inf - inf, and results must not tell them apart.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_CLASSES_H
#define KEXPR_OPS_CLASSES_H

#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <math.h>

namespace kexpr::ops {

constexpr OpInfo classification(std::string_view name, std::string_view doc,
                                bool isSignless = true) {
  return {.name = name,
          .doc = doc,
          .types = TypeRule::Numeric,
          .result = ResultRule::Bool,
          .ulp = Exact,
          .pnnx = false,
          .isSignless = isSignless};
}

struct Isnan {
  static constexpr OpInfo info = classification("isnan", "whether x is NaN");

  template <class R> static bool reference(R x) { return isnan(x); }

  template <class V> static typename V::Mask formula(V x) { return x != x; }
};

struct Isinf {
  static constexpr OpInfo info =
      classification("isinf", "whether x is infinite");

  template <class R> static bool reference(R x) {
    return fabs(x) == R(HUGE_VAL);
  }

  template <class V> static typename V::Mask formula(V x) {
    return abs(x) == Infinity<V>;
  }
  template <IsWhole V> static typename V::Mask formula(V x) { return x != x; }
};

struct Isfinite {
  static constexpr OpInfo info =
      classification("isfinite", "whether x is neither infinite nor NaN");

  template <class R> static bool reference(R x) {
    return fabs(x) < R(HUGE_VAL);
  }

  template <class V> static typename V::Mask formula(V x) {
    return abs(x) < Infinity<V>;
  }
  template <IsWhole V> static typename V::Mask formula(V x) { return x == x; }
};

struct Isposinf {
  static constexpr OpInfo info = classification("isposinf", "whether x is inf");

  template <class R> static bool reference(R x) { return x == R(HUGE_VAL); }

  template <class V> static typename V::Mask formula(V x) {
    return x == Infinity<V>;
  }
  template <IsWhole V> static typename V::Mask formula(V x) { return x != x; }
};

struct Isneginf {
  static constexpr OpInfo info =
      classification("isneginf", "whether x is -inf");

  template <class R> static bool reference(R x) { return x == R(-HUGE_VAL); }

  template <class V> static typename V::Mask formula(V x) {
    return x == -Infinity<V>;
  }
  template <IsWhole V> static typename V::Mask formula(V x) { return x != x; }
};

struct Signbit {
  static constexpr OpInfo info = classification(
      "signbit", "whether x is below 0, or is -0; false for any NaN", false);

  template <class R> static bool reference(R x) {
    return signbit(x) && !isnan(x);
  }

  template <class V> static typename V::Mask formula(V x) {
    auto isNegative = x.template bits<IntOf<ElementOf<V>>>() < 0;
    return isNegative & (x == x);
  }
  template <IsInteger V> static typename V::Mask formula(V x) { return x < 0; }
  template <IsBool V> static typename V::Mask formula(V x) { return x != x; }
};

struct Copysign {
  static constexpr OpInfo info{
      .name = "copysign",
      .doc = "|x| with the sign of y, which is + for any NaN",
      .ulp = Exact,
      .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return isnan(y) ? R(fabs(x)) : R(copysign(x, y));
  }

  template <class V> static V formula(V x, V y) {
    return select(y == y, copySign(x, y), abs(x));
  }
};

struct Heaviside {
  static constexpr OpInfo info{.name = "heaviside",
                               .doc = "y where x is 0, 1 where x > 0, 0 "
                                      "elsewhere, also for NaN",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return x == 0 ? y : R(x > 0);
  }

  template <class V> static V formula(V x, V y) {
    return select(x == 0, y, select(x > 0, 1, x.like(0)));
  }
};

struct NanToNum {
  static constexpr OpInfo info{.name = "nan_to_num",
                               .doc = "x, but y for NaN, z for inf and the "
                                      "fourth for -inf; 0 and the largest "
                                      "numbers if left out",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false,
                               .defaults = {3, {0, Largest, -Largest}},
                               .isSignless = true};

  template <class R> static R reference(R x, R nan, R above, R below) {
    return isnan(x)            ? nan
           : x == R(HUGE_VAL)  ? above
           : x == R(-HUGE_VAL) ? below
                               : x;
  }

  template <class V> static V formula(V x, V nan, V above, V below) {
    V finite =
        select(x == Infinity<V>, above, select(x == -Infinity<V>, below, x));
    return select(x == x, finite, nan);
  }
  template <IsWhole V> static V formula(V x, V, V, V) { return x; }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_CLASSES_H
