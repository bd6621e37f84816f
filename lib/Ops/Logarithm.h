//===- Ops/Logarithm.h - log, log1p and log10 -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_LOGARITHM_H
#define KEXPR_OPS_LOGARITHM_H

#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <cmath>

namespace kexpr::ops {

struct Log {
  static constexpr OpInfo info{
      .name = "log", .doc = "ln(x)", .maxUlp = 0.94, .domain = {0, 100}};

  static double reference(double x) { return std::log(x); }

  /// x = m 2^e with 2/3 <= m < 4/3, and ln(x) = e ln 2 + ln(1 + f), f = m - 1.
  template <class V> static V formula(V x) {
    auto isTiny = x < 0x1p-126f;
    V normal = select(isTiny, x * 0x1p23f, x);
    auto bits = normal.template bits<std::int32_t>();
    auto exponent = (bits - 0x3f2aaaab) & static_cast<std::int32_t>(0xff800000);
    V f = (bits - exponent).template bits<float>() - 1.0f;
    V tail = horner(f, -0x1p-1, 0x1.555502p-2, -0x1.ffff14p-3, 0x1.99d1c6p-3,
                    -0x1.559802p-3, 0x1.1ec0dp-3, -0x1.f3a7dep-4, 0x1.1ec6e2p-3,
                    -0x1.06cdfap-3);
    V e = select(isTiny, exponent - (23 << 23), exponent).template to<float>();
    // e counts in units of 2^23.
    V result = fma(e, 0x1.62e43p-24f, fma(f * f, tail, f));
    return logarithmEdges(x, result);
  }
};

struct Log1p {
  static constexpr OpInfo info{
      .name = "log1p", .doc = "ln(1 + x)", .maxUlp = 0.51, .domain = {-1, 100}};

  static double reference(double x) { return std::log1p(x); }

  template <class V> static V formula(V x) {
    V result = wide::log1p(x.template to<double>()).template to<float>();
    // The sign of -0 is lost in adding e ln 2.
    return logarithmEdges(x, copySign(result, x), -1.0f);
  }
};

struct Log10 {
  static constexpr OpInfo info{
      .name = "log10", .doc = "log10(x)", .maxUlp = 0.51, .domain = {0, 100}};

  static double reference(double x) { return std::log10(x); }

  template <class V> static V formula(V x) {
    constexpr double log10e = 0x1.bcb7b1526e50ep-2;
    auto result = wide::log(x.template to<double>()) * log10e;
    return logarithmEdges(x, result.template to<float>());
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_LOGARITHM_H
