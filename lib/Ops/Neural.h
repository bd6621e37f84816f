//===- Ops/Neural.h - Activations of neural networks ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// PNNX keeps these as operators of their own; they are here for graphs that
/// fuse them. The values are PyTorch's, its NaN at -inf where the definition
/// multiplies inf by 0 included.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_NEURAL_H
#define KEXPR_OPS_NEURAL_H

#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <cmath>

namespace kexpr::ops {

struct Sigmoid {
  static constexpr OpInfo info{.name = "sigmoid",
                               .doc = "1 / (1 + e^-x)",
                               .maxUlp = 0.51,
                               .domain = {-100, 100},
                               .pnnx = false};

  static double reference(double x) { return 1 / (1 + std::exp(-x)); }

  template <class V> static V formula(V x) {
    auto clamped = atLeast(atMost(x, 110.0f), -110.0f).template to<double>();
    return (1.0 / (wide::exp(-clamped) + 1.0)).template to<float>();
  }
};

struct Silu {
  static constexpr OpInfo info{.name = "silu",
                               .doc = "x / (1 + e^-x)",
                               .maxUlp = 0.51,
                               .domain = {-100, 100},
                               .pnnx = false};

  static double reference(double x) { return x / (1 + std::exp(-x)); }

  template <class V> static V formula(V x) {
    V low = atLeast(x, -115.0f);
    auto clamped = atMost(low, 110.0f).template to<double>();
    auto result = low.template to<double>() / (wide::exp(-clamped) + 1.0);
    return select(x > -Infinity<V>, result.template to<float>(), NaN<V>);
  }
};

struct Gelu {
  static constexpr OpInfo info{.name = "gelu",
                               .doc = "x / 2 * (1 + erf(x / sqrt(2)))",
                               .maxUlp = 0.56,
                               .domain = {-15, 15},
                               .pnnx = false};

  static double reference(double x) {
    return x * (0.5 * std::erfc(-x * std::sqrt(0.5)));
  }

  /// x P(x), P the normal distribution. Below 0 that is the tail P(-a), above
  /// it is 1 - P(-a), with a = |x|.
  template <class V> static V formula(V x) {
    auto a = atMost(abs(x), 14.6f).template to<double>();
    auto p = tail(a);
    auto positive = x.template to<double>() * (1.0 - p);
    V result = select(x < 0.0f, -a * p, positive).template to<float>();
    return select(x > -Infinity<V>, result, NaN<V>);
  }

private:
  /// P(-a) = e^(-a^2 / 2) h(t) / (1 + 2 a) with t = (a - 4) / (a + 4), for
  /// 0 <= a <= 14.6; h varies little.
  template <class D> static D tail(D a) {
    D t = (a - 4.0) / (a + 4.0);
    D h = horner(
        t, 0x1.b30b5307f65a5p-1, -0x1.78fb942ee0bbdp-6, -0x1.8ac5dc57d270ep-4,
        0x1.08005cf5aecdfp-3, -0x1.862e4d651709bp-4, 0x1.6b888c294a2d6p-5,
        -0x1.589319cb8e429p-7, -0x1.4ab4a1d1359c6p-10, 0x1.99257ea6f6dbcp-10,
        -0x1.e5e2415a4f54cp-15, -0x1.342b0dffcadfdp-13);
    return wide::exp(a * a * -0.5) * h / fma(a, 2.0, 1.0);
  }
};

struct Relu {
  static constexpr OpInfo info{
      .name = "relu", .doc = "max(x, 0)", .maxUlp = 0, .pnnx = false};

  /// -0 stays -0. Said with the sign bit: Clang 19 loses that of
  /// `x < 0 ? 0 : x` where it inlines it.
  static double reference(double x) {
    return std::signbit(x) && x != 0 && !std::isnan(x) ? 0 : x;
  }

  template <class V> static V formula(V x) { return select(x < 0.0f, 0.0f, x); }
};

/// This and hardswish round as often as PyTorch does, in the same order.
struct Hardsigmoid {
  static constexpr OpInfo info{.name = "hardsigmoid",
                               .doc = "min(max(x + 3, 0), 6) / 6",
                               .maxUlp = 1.01,
                               .domain = {-5, 5},
                               .pnnx = false};

  static double reference(double x) {
    return std::isnan(x) ? x : std::min(std::max(x + 3, 0.0), 6.0) / 6;
  }

  template <class V> static V formula(V x) {
    return atMost(atLeast(x + 3.0f, 0.0f), 6.0f) / 6.0f;
  }
};

struct Hardswish {
  static constexpr OpInfo info{.name = "hardswish",
                               .doc = "x * min(max(x + 3, 0), 6) / 6",
                               .maxUlp = 1.92,
                               .domain = {-5, 5},
                               .pnnx = false};

  /// The product overflows f32 before the division, as it does in PyTorch.
  static double reference(double x) {
    if (std::isnan(x))
      return x;
    double product = x * std::min(std::max(x + 3, 0.0), 6.0);
    return product > 0x1.ffffffp127 ? INFINITY : product / 6;
  }

  template <class V> static V formula(V x) {
    return x * atMost(atLeast(x + 3.0f, 0.0f), 6.0f) / 6.0f;
  }
};

struct Softplus {
  static constexpr OpInfo info{.name = "softplus",
                               .doc = "ln(1 + e^x), x above 20",
                               .maxUlp = 0.51,
                               .domain = {-100, 100},
                               .pnnx = false};

  static double reference(double x) {
    return x > 20 ? x : std::log1p(std::exp(x));
  }

  template <class V> static V formula(V x) {
    auto clamped = atLeast(atMost(x, 20.0f), -110.0f).template to<double>();
    V result = wide::log1p(wide::exp(clamped)).template to<float>();
    return select(x <= 20.0f, result, x);
  }
};

struct Mish {
  static constexpr OpInfo info{.name = "mish",
                               .doc = "x * tanh(ln(1 + e^x))",
                               .maxUlp = 0.51,
                               .domain = {-100, 100},
                               .pnnx = false};

  static double reference(double x) {
    return x * std::tanh(std::log1p(std::exp(x)));
  }

  /// tanh(ln(1 + e)) is n / (n + 2) with n = e (e + 2), e = e^x.
  template <class V> static V formula(V x) {
    V low = atLeast(x, -115.0f);
    auto e = wide::exp(atMost(low, 40.0f).template to<double>());
    auto n = e * (e + 2.0);
    auto result = low.template to<double>() * n / (n + 2.0);
    return select(x > -Infinity<V>, result.template to<float>(), NaN<V>);
  }
};

struct LeakyRelu {
  static constexpr OpInfo info{.name = "leaky_relu",
                               .doc = "x where x > 0, x * y elsewhere",
                               .pnnx = false};

  static double reference(double x, double slope) {
    return x > 0 ? x : x * slope;
  }

  template <class V> static V formula(V x, V slope) {
    return select(x > 0.0f, x, x * slope);
  }
};

struct Clamp {
  static constexpr OpInfo info{
      .name = "clamp", .doc = "min(max(x, y), z)", .maxUlp = 0, .pnnx = false};

  static double reference(double x, double low, double high) {
    if (std::isnan(x) || std::isnan(low) || std::isnan(high))
      return NAN;
    return std::min(std::max(x, low), high);
  }

  template <class V> static V formula(V x, V low, V high) {
    V raised = select((x >= low) | (x != x), x, low);
    return select((raised <= high) | (raised != raised), raised, high);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_NEURAL_H
