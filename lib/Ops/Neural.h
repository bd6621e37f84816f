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
#include "Ops/Fast.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <math.h>

namespace kexpr::ops {

struct Sigmoid {
  static constexpr OpInfo info{.name = "sigmoid",
                               .doc = "1 / (1 + e^-x)",
                               .ulp = {0.97, 0.51, 0.8, 4},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return 1 / (1 + exp(-x)); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x + single::Tiny, 40.0f), -105.0f);
    auto [r, rest] = single::sigmoid<false>(clamped);
    // 0, so that nothing underflows where much does: at masks of -inf.
    V unit = select(x <= -105.0f, 0.0f, x.like(single::SigmoidUnit));
    return fma(r, rest, r) * unit;
  }

  template <class V> static V accurate(V x) {
    auto clamped = atLeast(atMost(x, 110.0f), -110.0f).template to<double>();
    return (1.0 / (wide::exp(-clamped) + 1.0)).template to<float>();
  }

  template <class V> static V fast(V x) { return fast::sigmoid(x); }

  template <IsDouble V> static V formula(V x) { return f64::sigmoid(x); }
};

struct Silu {
  static constexpr OpInfo info{.name = "silu",
                               .doc = "x / (1 + e^-x)",
                               .types = TypeRule::Floating,
                               .ulp = {0.95, 0.51, 0.8, 4},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return x / (1 + exp(-x)); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x, 40.0f), -115.0f);
    auto [r, rest] = single::sigmoid<true>(clamped + single::Tiny);
    V unit = select(x > -115.0f, single::SigmoidUnit, x.like(0));
    unit = select(x > -Infinity<V>, unit, NaN<V>);
    V result = fma(clamped, r, clamped * r * rest) * unit;
    return select(x > 40.0f, x, result);
  }

  template <class V> static V accurate(V x) {
    V low = atLeast(x, -115.0f);
    auto clamped = atMost(low, 110.0f).template to<double>();
    auto result = low.template to<double>() / (wide::exp(-clamped) + 1.0);
    return select(x > -Infinity<V>, result.template to<float>(), NaN<V>);
  }

  template <class V> static V fast(V x) { return fast::silu(x); }

  template <IsDouble V> static V formula(V x) { return f64::silu(x); }
};

struct Gelu {
  static constexpr OpInfo info{.name = "gelu",
                               .doc = "x / 2 * (1 + erf(x / sqrt(2)))",
                               .types = TypeRule::Floating,
                               .ulp = {0.75, 0.51, 0.85},
                               .domain = {-15, 15},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x * erfc(-x / sqrt(R(2))) / 2;
  }

  template <class V> static V formula(V x) {
    return compute(
        x,
        [](auto a, auto square) {
          return fma(a, 0x1.cap2, square) /
                 fma(a, 0x1.3e8p3, square + 0x1.b34p4);
        },
        [](auto y) {
          return horner(y, 0x1.e691536fa343dp0, -0x1.085f3a6b2851p2,
                        0x1.5780497dd7974p2, -0x1.1f93b8183db49p2,
                        0x1.33dc4b1c77ff4p1, -0x1.8362b8a3e935ep-1,
                        0x1.b54986a26865ep-4);
        },
        [](auto r) {
          return horner(r, 0x1.000000026b15ep0, 0x1.62e430ca7d065p-1,
                        0x1.ebfbdaccf8e51p-3, 0x1.c6aed1374c948p-5,
                        0x1.3b2dc1f06c66ep-7, 0x1.5f4730a969399p-10,
                        0x1.41d1f6c17b994p-13);
        });
  }

  template <class V> static V accurate(V x) {
    return compute(
        x, [](auto a, auto) { return a / (a + 3.5); },
        [](auto y) {
          return horner(y, 0x1.bfffffffd9d1p0, -0x1.918a9f929a14bp1,
                        0x1.58eacb37ba866p1, -0x1.6bb1743e42a2p-1,
                        -0x1.ec4448b5370f1p-2, 0x1.797db0bc40122p-3,
                        0x1.7fcfc40526c77p-3, -0x1.39e0de3c8f2bfp-4,
                        0x1.2ea4b78f42727p-4, -0x1.ae8f5b8ea32f3p-3,
                        0x1.5405e1ae2fb14p-3, -0x1.5b539838e0779p-5);
        },
        [](auto r) {
          return horner(r, 0x1.ffffffffaa65cp-1, 0x1.62e42ff11c1b5p-1,
                        0x1.ebfbe0a6ce5ffp-3, 0x1.c6b08aa6b4515p-5,
                        0x1.3b29da8298b9cp-7, 0x1.5d8a758b11744p-10,
                        0x1.446b880104306p-13, 0x1.fe15c60f0495ap-17);
        });
  }

  template <IsDouble V> static V formula(V x) { return f64::gelu(x); }

private:
  /// x P(x), P the normal distribution. With a = |x| and t = a P(-a) that is
  /// -t below 0, and x - t above. For 0 <= a <= 14.6, t = e^(-a^2 / 2) y g(y),
  /// y a quotient of polynomials in a and a^2: one division serves both g's
  /// argument and its factor. `power` is 2^r for |r| <= 1/2.
  template <class V, class Q, class G, class P>
  static V compute(V x, Q quotient, G g, P power) {
    auto wide = x.template to<double>();
    auto a = atMost(abs(wide), 14.6);
    auto square = a * a;
    auto y = quotient(a, square);
    constexpr double shift = 0x1.8p52, perSquare = -wide::Log2e / 2;
    auto shifted = fma(square, perSquare, shift);
    auto r = fma(square, perSquare, shift - shifted);
    auto e = wide::scale(power(r), shifted.template bits<std::int64_t>() << 52);
    auto result = fma(-y * g(y), e, atLeast(wide, 0.0)).template to<float>();
    return select(x > -Infinity<V>, result, NaN<V>);
  }
};

struct Softplus {
  static constexpr OpInfo info{.name = "softplus",
                               .doc = "ln(1 + e^x), x above 20",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.8, 4},
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

  template <class V> static V fast(V x) { return fast::softplus(x); }

  template <IsDouble V> static V formula(V x) { return f64::softplus(x); }
};

struct Mish {
  static constexpr OpInfo info{.name = "mish",
                               .doc = "x * tanh(ln(1 + e^x))",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.8, 4},
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

  template <class V> static V fast(V x) { return fast::mish(x); }

  template <IsDouble V> static V formula(V x) { return f64::mish(x); }
};

struct Elu {
  static constexpr OpInfo info{.name = "elu",
                               .doc = "x where x > 0, y * (e^x - 1) elsewhere",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 1.7, 3},
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

  template <class V> static V fast(V x, V alpha) {
    return select(x > 0, x, alpha * fast::expm1BelowZero(x));
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
                               .ulp = {0.51, 0.51, 1.9, 4},
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

  template <class V> static V fast(V x) {
    constexpr float low = Scale * Alpha;
    return select(x > 0, x * static_cast<float>(Scale),
                  fast::expm1BelowZero(x) * low);
  }

  template <IsDouble V> static V formula(V x) {
    return select(x > 0, x, f64::expm1(x) * Alpha) * Scale;
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_NEURAL_H
