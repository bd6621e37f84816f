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

/// Hidden: what a softmax adds and divides. The difference is not rounded,
/// which would be an error of tens of units for differences of tens. Powers
/// have a factor by which what shows beside e^0 is normal in f32; those below
/// are 0, as for masks, since no product with 0 is slow.
struct ExpOf {
  static constexpr OpInfo info{.name = "exp_of",
                               .doc = "2^64 e^(x - y) for x <= y",
                               .types = TypeRule::Floating,
                               .ulp = {1.2, 1.2, 1.2},
                               .pnnx = false};
  static constexpr int Scale = 64;

  template <class R> static R reference(R x, R y) {
    return exp(x - y) * 0x1p64;
  }

  /// What x is above a multiple of ln 2 is exact, and what y is above one is
  /// taken off that, so that nothing of x - y is lost. Those of a large y are
  /// first made differences from it, which are exact themselves where the power
  /// is not too small to matter.
  template <class V> static V formula(V x, V y) {
    // Powers of two end where quotients do; the rest of the factor is in the
    // polynomial.
    constexpr int lowest = 151;
    constexpr float rounder = single::Rounder + lowest;
    constexpr double factor = 0x1p64 / (1 << (lowest - 127));
    constexpr float vanishing = -lowest * single::Ln2High;
    V origin = select(abs(y) < 512.0f, -single::Tiny, y), top = y - origin;
    auto [rest, turns] = single::reduce(top);
    V least = top + vanishing, moved = x - origin;
    moved = select(moved < least, least, moved);
    V shifted = fma(moved - top, single::InverseLn2, rounder);
    V n = shifted - (rounder - (turns - PowerRounder<float>));
    V r = fma(n, -single::Ln2Low, fma(n, -single::Ln2High, moved) - rest);
    return single::exponential(r, factor) * single::powerIn(shifted);
  }

  template <IsDouble V> static V formula(V x, V y) {
    V difference = x - y, rest = lost(x, y, difference);
    rest = select(abs(rest) < 0x1p-17, rest, 0);
    V clamped = atLeast(difference + f64::Tiny, -746);
    auto [value, shifted] = f64::exponential(f64::Pair<V>{clamped, rest});
    V power = scaleNormal(value.high, shifted + Scale);
    return select(clamped == -746, 0, power);
  }

private:
  /// What a difference lost by rounding (TwoSum). Beside infinities it is NaN,
  /// and where powers vanish it may be no small part of them.
  template <class V> static V lost(V x, V y, V difference) {
    V part = difference - x;
    return (x - (difference - part)) - (y + part);
  }
};

/// Hidden: of a difference in f64 from a largest f32, or from 0 where that is
/// infinite, for a sum of powers.
struct ExpBelow {
  static constexpr OpInfo info{.name = "exp_below",
                               .doc = "e^x of x within 700 of 0, or of the "
                                      "nearest such, off by 2^-50 of itself",
                               .types = TypeRule::Floating,
                               .ulp = {0.9, 0.9, 8},
                               .domain = {-690, 0},
                               .pnnx = false};

  template <class R> static R reference(R x) { return exp(x); }
  template <class V> static V formula(V x) { return Exp::formula(x); }
  template <IsDouble V> static V formula(V x) {
    V clamped = select(x < -700.0, -700.0, select(x > 700.0, 700.0, x));
    return wide::expPrecise(clamped);
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
