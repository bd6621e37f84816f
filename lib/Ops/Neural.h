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

#include "Ops/Double/ErrorFunction.h"
#include "Ops/Double/Exponential.h"
#include "Ops/Double/Sigmoids.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <math.h>

namespace kexpr::ops {

struct Sigmoid {
  static constexpr OpInfo info{.name = "sigmoid",
                               .doc = "1 / (1 + e^-x)",
                               .ulp = {0.97, 0.51, 0.8},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return 1 / (1 + exp(-x)); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x + single::Tiny, 50.0f), -105.0f);
    auto [r, rest] = single::sigmoid<false>(clamped);
    // 0, so that nothing underflows where much does: at masks of -inf.
    V unit = select(x <= -105.0f, 0.0f, x.like(single::SigmoidUnit));
    return fma(r, rest, r) * unit;
  }

  template <class V> static V accurate(V x) {
    auto clamped = atLeast(atMost(x, 110.0f), -110.0f).template to<double>();
    return (1.0 / (wide::exp(-clamped) + 1.0)).template to<float>();
  }

  template <IsDouble V> static V formula(V x) { return f64::sigmoid(x); }
};

struct Silu {
  static constexpr OpInfo info{.name = "silu",
                               .doc = "x / (1 + e^-x)",
                               .types = TypeRule::Floating,
                               .ulp = {0.95, 0.51, 0.8},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return x / (1 + exp(-x)); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x, 50.0f), -115.0f);
    auto [r, rest] = single::sigmoid<true>(clamped);
    V unit = select(x > -115.0f, single::SigmoidUnit, x.like(0));
    unit = select(x > -Infinity<V>, unit, NaN<V>);
    V result = fma(clamped, r, clamped * r * rest) * unit;
    return select(x > 50.0f, x, result);
  }

  template <class V> static V accurate(V x) {
    V low = atLeast(x, -115.0f);
    auto clamped = atMost(low, 110.0f).template to<double>();
    auto result = low.template to<double>() / (wide::exp(-clamped) + 1.0);
    return select(x > -Infinity<V>, result.template to<float>(), NaN<V>);
  }

  template <IsDouble V> static V formula(V x) { return f64::silu(x); }
};

struct Gelu {
  static constexpr OpInfo info{.name = "gelu",
                               .doc = "x / 2 * (1 + erf(x / sqrt(2)))",
                               .types = TypeRule::Floating,
                               .ulp = {0.56, 0.51, 0.85},
                               .domain = {-15, 15},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x * erfc(-x / sqrt(R(2))) / 2;
  }

  template <class V> static V formula(V x) {
    return compute(x, [](auto t) {
      return horner(
          t, 0x1.b30b5307f65a5p-1, -0x1.78fb942ee0bbdp-6, -0x1.8ac5dc57d270ep-4,
          0x1.08005cf5aecdfp-3, -0x1.862e4d651709bp-4, 0x1.6b888c294a2d6p-5,
          -0x1.589319cb8e429p-7, -0x1.4ab4a1d1359c6p-10, 0x1.99257ea6f6dbcp-10,
          -0x1.e5e2415a4f54cp-15, -0x1.342b0dffcadfdp-13);
    });
  }

  template <class V> static V accurate(V x) {
    return compute(x, [](auto t) {
      return horner(
          t, 0x1.b30b52fe9b7f8p-1, -0x1.78fbb71a3ee49p-6, -0x1.8ac5bf8261bc5p-4,
          0x1.0800f7b8983a2p-3, -0x1.862fad9b7139bp-4, 0x1.6b6ffe6e08fa3p-5,
          -0x1.58816c25a8ff9p-7, -0x1.3e607902b42c6p-10, 0x1.9e08528d26e55p-10,
          -0x1.0e10722a6ac22p-13, -0x1.a69d4959f73b1p-13, 0x1.31ee978f23675p-16,
          0x1.3c5b8ee57517fp-16);
    });
  }

  template <IsDouble V> static V formula(V x) { return f64::gelu(x); }

private:
  /// x P(x), P the normal distribution. Below 0 that is the tail P(-a), above
  /// it is 1 - P(-a), with a = |x|. With t = (a - 4) / (a + 4) and
  /// 0 <= a <= 14.6, P(-a) = e^(-a^2 / 2) h(t) / (1 + 2 a); h varies little.
  template <class V, class H> static V compute(V x, H h) {
    auto a = atMost(abs(x), 14.6f).template to<double>();
    auto p =
        wide::exp(a * a * -0.5) * h((a - 4.0) / (a + 4.0)) / fma(a, 2.0, 1.0);
    auto positive = x.template to<double>() * (1.0 - p);
    V result = select(x < 0.0f, -a * p, positive).template to<float>();
    return select(x > -Infinity<V>, result, NaN<V>);
  }
};

struct Softplus {
  static constexpr OpInfo info{.name = "softplus",
                               .doc = "ln(1 + e^x), x above 20",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.8},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x > 20 ? x : log1p(exp(x));
  }

  template <class V> static V formula(V x) {
    auto clamped = atLeast(atMost(x, 20.0f), -110.0f).template to<double>();
    V result = wide::log1p(wide::exp(clamped)).template to<float>();
    return select(x <= 20.0f, result, x);
  }

  template <IsDouble V> static V formula(V x) { return f64::softplus(x); }
};

struct Mish {
  static constexpr OpInfo info{.name = "mish",
                               .doc = "x * tanh(ln(1 + e^x))",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.8},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return x * tanh(log1p(exp(x))); }

  /// tanh(ln(1 + e)) is n / (n + 2) with n = e (e + 2), e = e^x.
  template <class V> static V formula(V x) {
    V low = atLeast(x, -115.0f);
    auto e = wide::exp(atMost(low, 40.0f).template to<double>());
    auto n = e * (e + 2.0);
    auto result = low.template to<double>() * n / (n + 2.0);
    return select(x > -Infinity<V>, result.template to<float>(), NaN<V>);
  }

  template <IsDouble V> static V formula(V x) { return f64::mish(x); }
};

struct Elu {
  static constexpr OpInfo info{.name = "elu",
                               .doc = "x where x > 0, y * (e^x - 1) elsewhere",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 1.7},
                               .domain = {-20, 20},
                               .pnnx = false};

  template <class R> static R reference(R x, R alpha) {
    return x > 0 ? x : alpha * expm1(x);
  }

  template <class V> static V formula(V x, V alpha) {
    auto e =
        wide::expm1(atLeast(atMost(x, 1.0f), -40.0f).template to<double>());
    V result = (e * alpha.template to<double>()).template to<float>();
    return select(x > 0, x, select(x == 0, x * alpha, result));
  }

  template <IsDouble V> static V formula(V x, V alpha) {
    return select(x > 0, x, f64::expm1(x) * alpha);
  }
};

struct Selu {
  static constexpr double Alpha = 1.6732632423543772848170429916717;
  static constexpr double Scale = 1.0507009873554804934193349852946;

  static constexpr OpInfo info{.name = "selu",
                               .doc = "1.0507 * elu(x, 1.67326), to all digits "
                                      "of Klambauer et al.",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 1.9},
                               .domain = {-20, 20},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return Scale * (x > 0 ? x : Alpha * expm1(x));
  }

  template <class V> static V formula(V x) {
    auto wide = x.template to<double>();
    auto e = wide::expm1(atLeast(atMost(wide, 1.0), -40.0));
    auto negative = select(wide == 0, wide, e * Alpha);
    return (select(wide > 0, wide, negative) * Scale).template to<float>();
  }

  template <IsDouble V> static V formula(V x) {
    return select(x > 0, x, f64::expm1(x) * Alpha) * Scale;
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_NEURAL_H
