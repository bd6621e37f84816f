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

} // namespace kexpr::ops

#endif // KEXPR_OPS_LOGARITHM_H
