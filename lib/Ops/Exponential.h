//===- Ops/Exponential.h - exp and expm1 ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_EXPONENTIAL_H
#define KEXPR_OPS_EXPONENTIAL_H

#include "Ops/Double/Exponential.h"
#include "Ops/Fast.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

struct Exp {
  static constexpr OpInfo info{.name = "exp",
                               .doc = "e^x",
                               .ulp = {0.9, 0.51, 0.8, 3},
                               .domain = {-87, 88}};

  template <class R> static R reference(R x) { return exp(x); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(x + single::Tiny, single::Vanishing);
    // vscalefps makes infinity of all beyond, as the polynomial is positive.
    if (!x.hasExponents())
      clamped = atMost(clamped, 89.0f);
    auto [r, shifted] = single::reduce(clamped);
    return scale(single::exponential(r), shifted);
  }

  template <class V> static V accurate(V x) {
    V clamped = atLeast(atMost(x, 89.0f), -104.0f);
    return wide::exp(clamped.template to<double>()).template to<float>();
  }

  template <IsDouble V> static V formula(V x) { return f64::exp(x); }
};

/// Hidden: what softmax needs of exp. The difference is not rounded, which
/// would be an error of tens of units for differences of tens.
struct ExpOf {
  static constexpr OpInfo info{.name = "exp_of",
                               .doc = "e^(x - y) for x <= y",
                               .types = TypeRule::Floating,
                               .ulp = {1.2, 1.2, 1.2},
                               .pnnx = false};

  template <class R> static R reference(R x, R y) { return exp(x - y); }

  template <class V> static V formula(V x, V y) {
    V difference = x - y;
    auto [r, shifted] = single::reduce(atLeast(difference, single::Vanishing));
    V rest = select(difference > single::Vanishing, lost(x, y, difference),
                    difference.like(0));
    return scale(single::exponential(r + rest), shifted);
  }

  template <IsDouble V> static V formula(V x, V y) {
    V difference = x - y, power = f64::exp(difference);
    V rest = lost(x, y, difference);
    rest = select(abs(rest) < 0x1p-17, rest, rest.like(0));
    return fma(power, rest, power);
  }

private:
  /// What a difference lost by rounding (TwoSum). Beside infinities it is NaN,
  /// and where powers vanish it may be no small part of them.
  template <class V> static V lost(V x, V y, V difference) {
    V part = difference - x;
    return (x - (difference - part)) - (y + part);
  }
};

/// Hidden: a factor in two parts, as of a division by one number of many.
struct ScaleBy {
  static constexpr OpInfo info{.name = "scale_by",
                               .doc =
                                   "x (y + z), where y is much larger than z",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.51},
                               .pnnx = false};

  template <class R> static R reference(R x, R y, R z) { return x * (y + z); }
  template <class V> static V formula(V x, V y, V z) {
    return fma(x, y, x * z);
  }
};

struct Expm1 {
  static constexpr OpInfo info{.name = "expm1",
                               .doc = "e^x - 1",
                               .ulp = {0.51, 0.51, 0.8, 3},
                               .domain = {-30, 88}};

  template <class R> static R reference(R x) { return expm1(x); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x, 100.0f), -100.0f);
    V result = wide::expm1(clamped.template to<double>()).template to<float>();
    return copySign(result, x); // of -0
  }

  template <class V> static V fast(V x) { return fast::expm1(x); }

  template <IsDouble V> static V formula(V x) { return f64::expm1(x); }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_EXPONENTIAL_H
