//===- Ops/Binary.h - Powers and logarithms of two ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_BINARY_H
#define KEXPR_OPS_BINARY_H

#include "Ops/Double/Exponential.h"
#include "Ops/Double/Logarithm.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

struct Exp2 {
  static constexpr OpInfo info{.name = "exp2",
                               .doc = "2^x",
                               .ulp = {0.9, 0.51, 0.8},
                               .domain = {-126, 128},
                               .pnnx = false};

  template <class R> static R reference(R x) { return exp2(x); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x + single::Tiny, 129.0f), -254.0f);
    V shifted = clamped + PowerRounder<float>;
    V r = (clamped - (shifted - PowerRounder<float>)).named("reduced");
    return scale(single::powerOfTwo(r), shifted);
  }

  template <class V> static V accurate(V x) {
    V clamped = atLeast(atMost(x, 129.0f), -152.0f);
    return wide::exp2(clamped.template to<double>()).template to<float>();
  }

  template <IsDouble V> static V formula(V x) { return f64::exp2(x); }
};

struct Log2 {
  static constexpr OpInfo info{.name = "log2",
                               .doc = "log2(x)",
                               .ulp = {0.92, 0.51, 0.55, 3},
                               .domain = {0, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return log2(x); }

  template <class V> static V formula(V x) {
    return mostly(single::isRareInLogarithms(x), of(single::split(x)),
                  [x] { return logarithmEdges(x, of(single::splitAny(x))); });
  }

  template <class V> static V accurate(V x) {
    auto result = wide::log(x.template to<double>()) * wide::Log2e;
    return logarithmEdges(x, result.template to<float>());
  }

  template <class V> static V fast(V x) {
    return mostly(
        single::isRareInLogarithms(x), inShort(single::split(x)),
        [x] { return logarithmEdges(x, inShort(single::splitAny(x))); });
  }

  template <IsDouble V> static V formula(V x) { return f64::log2(x); }

private:
  /// log2(e) ln(1 + f) + e. The terms may cancel, by up to a factor of 2, so
  /// product and sum keep what they lose; e counts in units of 2^23.
  template <class V> static V of(single::Split<V> x) {
    auto [e, f] = x;
    V square = f * f, tail = single::logTail(f);
    V y = fma(square, tail, f);
    V yLow = fma(square, tail, f - y);
    V a = e * 0x1p-23f, b = y * 0x1.715476p0f;
    V bLow = fma(yLow, 0x1.715476p0f,
                 fma(y, 0x1.4ae0cp-26f, fma(y, 0x1.715476p0f, -b)));
    V sum = a + b;
    return sum + ((a - sum) + b + bLow);
  }

  /// The same without what is lost.
  template <class V> static V inShort(single::Split<V> x) {
    V y = fma(x.f * x.f, single::logTail(x.f), x.f);
    return fma(x.e, 0x1p-23f, y * 0x1.715476p0f);
  }
};

/// In f16 and bf16, too, of numbers beyond them.
struct Ldexp {
  static constexpr OpInfo info{.name = "ldexp",
                               .doc = "x * 2^y, rounded once where y is whole",
                               .ulp = {0.51, 0.51, 1.6},
                               .pnnx = false};

  /// In steps, so that no power leaves the range where the product does not.
  template <class R> static R reference(R x, R y) {
    if (!(fabs(y) < R(HUGE_VAL)))
      return x * exp2(y);
    const R power = exp2((y > 2300 ? R(2300) : y < -2300 ? R(-2300) : y) / 4);
    return x * power * power * power * power;
  }

  template <class V> static V formula(V x, V y) {
    auto power =
        wide::exp2(atLeast(atMost(y, 300.0f), -300.0f).template to<double>());
    V result = (x.template to<double>() * power).template to<float>();
    return withInfinities(x, y, result);
  }

  template <IsDouble V> static V formula(V x, V y) {
    V clamped = atLeast(atMost(y, 2200), -2200);
    V n = trunc(clamped);
    // What is left has the sign of n: on the side of 0 nothing overflows, and
    // what is rounded to a subnormal stays one.
    V part = f64::exp2(clamped - n);
    auto isLess = y < 0;
    V scaled = f64::timesPower(select(isLess, x * part, x), n);
    return withInfinities(x, y, select(isLess, scaled, scaled * part));
  }

private:
  /// x * 2^y where y is infinite or NaN.
  template <class V> static V withInfinities(V x, V y, V finite) {
    V power = select(y < 0, 0, y);
    return select(abs(y) < Infinity<V>, finite, x * power);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_BINARY_H
