//===- Ops/Logarithm.h - log, log1p and log10 -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_LOGARITHM_H
#define KEXPR_OPS_LOGARITHM_H

#include "Ops/Double/Logarithm.h"
#include "Ops/Fast.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

struct Log {
  static constexpr OpInfo info{.name = "log",
                               .doc = "ln(x)",
                               .ulp = {0.94, 0.51, 0.55, 2},
                               .domain = {0, 100}};

  template <class R> static R reference(R x) { return log(x); }

  template <class V> static V formula(V x) {
    return mostly(single::isRareInLogarithms(x), of(single::split(x)),
                  [x] { return logarithmEdges(x, of(single::splitAny(x))); });
  }

  template <class V> static V accurate(V x) {
    V result = wide::log(x.template to<double>()).template to<float>();
    return logarithmEdges(x, result);
  }

  template <IsDouble V> static V formula(V x) { return f64::log(x); }

private:
  template <class V> static V of(single::Split<V> x) {
    V tail = single::logTail(x.f);
    return fma(x.e, 0x1.62e43p-24f, fma(x.f * x.f, tail, x.f));
  }
};

struct Log1p {
  static constexpr OpInfo info{.name = "log1p",
                               .doc = "ln(1 + x)",
                               .ulp = {0.51, 0.51, 0.55, 2},
                               .domain = {-1, 100}};

  template <class R> static R reference(R x) { return log1p(x); }

  template <class V> static V formula(V x) {
    V result = wide::log1p(x.template to<double>()).template to<float>();
    // The sign of -0 is lost in adding e ln 2.
    return logarithmEdges(x + 1.0f, copySign(result, x));
  }

  template <class V> static V fast(V x) { return fast::log1p(x); }

  template <IsDouble V> static V formula(V x) { return f64::log1p(x); }
};

/// Hidden: of a sum in f64 whose logarithm becomes f32.
struct Log1pOf {
  static constexpr OpInfo info{.name = "log1p_of",
                               .doc = "ln(1 + x) for x >= 0, in f64 with an "
                                      "error of 2^-35 of itself",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0x1p18},
                               .domain = {0, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return log1p(x); }
  template <class V> static V formula(V x) { return Log1p::formula(x); }
  template <IsDouble V> static V formula(V x) {
    return select(x == x, wide::log1p(x), x);
  }
};

struct Log10 {
  static constexpr OpInfo info{.name = "log10",
                               .doc = "log10(x)",
                               .ulp = {0.92, 0.51, 0.55, 4},
                               .domain = {0, 100}};

  template <class R> static R reference(R x) { return log10(x); }

  template <class V> static V formula(V x) {
    return mostly(single::isRareInLogarithms(x), of(single::split(x)),
                  [x] { return logarithmEdges(x, of(single::splitAny(x))); });
  }

  template <class V> static V accurate(V x) {
    constexpr double log10e = 0x1.bcb7b1526e50ep-2;
    auto result = wide::log(x.template to<double>()) * log10e;
    return logarithmEdges(x, result.template to<float>());
  }

  template <class V> static V fast(V x) {
    return mostly(
        single::isRareInLogarithms(x), inShort(single::split(x)),
        [x] { return logarithmEdges(x, inShort(single::splitAny(x))); });
  }

  template <IsDouble V> static V formula(V x) { return f64::log10(x); }

private:
  /// log10(e) ln(1 + f) + e log10(2). The terms may cancel, by up to a factor
  /// of 2, so products and sum keep what they lose.
  template <class V> static V of(single::Split<V> x) {
    auto [e, f] = x;
    V square = f * f, tail = single::logTail(f);
    V y = fma(square, tail, f);
    V yLow = fma(square, tail, f - y);
    // log10(e) and log10(2) in two parts; e counts in units of 2^23.
    V a = e * 0x1.344136p-25f, b = y * 0x1.bcb7b2p-2f;
    V aLow = fma(e, -0x1.ec10cp-50f, fma(e, 0x1.344136p-25f, -a));
    V bLow = fma(yLow, 0x1.bcb7b2p-2f,
                 fma(y, -0x1.5b235ep-27f, fma(y, 0x1.bcb7b2p-2f, -b)));
    V sum = a + b;
    return sum + ((a - sum) + b + (aLow + bLow));
  }

  /// The same without what is lost.
  template <class V> static V inShort(single::Split<V> x) {
    V y = fma(x.f * x.f, single::logTail(x.f), x.f);
    return fma(x.e, 0x1.344136p-25f, y * 0x1.bcb7b2p-2f);
  }
};

struct Xlogy {
  static constexpr OpInfo info{.name = "xlogy",
                               .doc = "x * ln(y); 0 where x is 0, unless y is "
                                      "NaN",
                               .ulp = {0.51, 0.51, 1.01, 3},
                               .domain = {0, 100},
                               .pnnx = false};

  template <class R> static R reference(R x, R y) {
    return x == 0 && !isnan(y) ? R(0) : x * log(y);
  }

  template <class V> static V formula(V x, V y) {
    auto wide = y.template to<double>();
    auto log = logarithmEdges(wide, wide::log(wide));
    auto product = x.template to<double>() * log;
    return unlessZero(x, y, product.template to<float>());
  }

  template <class V> static V fast(V x, V y) {
    return unlessZero(x, y, x * Log::formula(y));
  }

  template <IsDouble V> static V formula(V x, V y) {
    return unlessZero(x, y, f64::xlogy(x, y));
  }

private:
  template <class V> static V unlessZero(V x, V y, V product) {
    return select((x == 0) & (y == y), 0, product);
  }
};

struct Logit {
  static constexpr OpInfo info{.name = "logit",
                               .doc = "ln(x / (1 - x))",
                               .ulp = {0.51, 0.51, 0.55},
                               .domain = {0, 1},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    R twice = x + x - 1;
    // The quotient is near 1 in the middle.
    return fabs(twice) < 0.5 ? 2 * atanh(twice) : log(x / (1 - x));
  }

  /// The quotient less 1 is (2 x - 1) / (1 - x): where no power of two is split
  /// off, this has the low bits that the quotient has lost.
  template <class V> static V formula(V x) {
    auto wide = x.template to<double>();
    auto inverse = 1.0 / (1.0 - wide);
    auto ratio = wide * inverse;
    auto [m, e] = wide::split(ratio);
    auto f = select(e == 0.0, fma(wide, 2.0, -1.0) * inverse, m - 1.0);
    auto result = wide::logReduced<false>(f, e);
    return logarithmEdges(ratio, result).template to<float>();
  }

  template <IsDouble V> static V formula(V x) {
    auto inside = (x > 0) & (x < 1);
    V ends = select(x == 0, -Infinity<V>,
                    select(x == 1, Infinity<V>, x.like(NaN<V>)));
    return select(inside, f64::logit(x), ends);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_LOGARITHM_H
