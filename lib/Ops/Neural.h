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
#include "Ops/NormalTail.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <math.h>

namespace kexpr::ops {

struct Sigmoid {
  static constexpr OpInfo info{.name = "sigmoid",
                               .aliases = {"expit"},
                               .doc = "1 / (1 + e^-x)",
                               .ulp = {0.97, 0.51, 0.8, 4},
                               .domain = {-100, 100},
                               .pnnx = false};

  template <class R> static R reference(R x) { return 1 / (1 + exp(-x)); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x + single::Tiny, 40.0f), -105.0f);
    auto [r, rest] = single::sigmoid<false>(clamped);
    return single::timesTwoTo(fma(r, rest, r), single::SigmoidPower);
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
    V a = abs(clamped);
    V magnitude =
        single::timesTwoTo(fma(a, r, a * r * rest), single::SigmoidPower);
    V result = copySign(magnitude, x);
    result = select(x > -Infinity<V>, result, NaN<V>);
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
                               .ulp = {0.75, 0.51, 0.85, 4},
                               .domain = {-15, 15},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x * erfc(-x / sqrt(R(2))) / 2;
  }

  template <class V> static V formula(V x) {
    return compute<wide::ShortTail>(x);
  }

  template <class V> static V accurate(V x) {
    return compute<wide::LongTail>(x);
  }

  template <class V> static V fast(V x) { return fast::gelu(x); }

  template <IsDouble V> static V formula(V x) { return f64::gelu(x); }

private:
  /// x P(x), P the normal distribution. With a = |x| and t = a P(-a) that is
  /// -t below 0, and x - t above.
  template <class Tail, class V> static V compute(V x) {
    auto wide = x.template to<double>();
    auto a = atMost(abs(wide), 14.6);
    auto square = a * a;
    auto y = Tail::product(a, square);
    auto e = wide::bell<Tail>(square);
    // In float: with the choice behind the conversion, LLVM 19 takes -0 for 0.
    auto above = atLeast(x, 0.0f).template to<double>();
    auto result = fma(-y * Tail::g(y), e, above).template to<float>();
    return select(x > -Infinity<V>, result, NaN<V>);
  }
};

struct Softplus {
  static constexpr OpInfo info{.name = "softplus",
                               .doc = "ln(1 + e^x), x above 20; of three "
                                      "arguments ln(1 + e^(y * x)) / y, x "
                                      "where y * x is above z",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.8, 4},
                               .domain = {-100, 100},
                               .pnnx = false,
                               .overload = {3, "where(gt(mul(@0,@1),@2),@0,"
                                               "div(log1p(exp(mul(@0,@1))),"
                                               "@1))"}};

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
                               .ulp = {0.51, 0.51, 0.81, 4},
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
                               .doc = "x where x > 0, y * (e^x - 1) elsewhere; "
                                      "y is 1 if left out",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 1.7, 3},
                               .domain = {-20, 20},
                               .pnnx = false,
                               .defaults = {1, {1}}};

  template <class R> static R reference(R x, R alpha) {
    return x > 0 ? x : alpha * expm1(x);
  }

  template <class V> static V formula(V x, V alpha) {
    auto e =
        wide::expm1(atLeast(atMost(x, 1.0f), -40.0f).template to<double>());
    V result = (e * alpha.template to<double>()).template to<float>();
    // Of zeros alone: a product of subnormal numbers is slow.
    auto isZero = x == 0;
    V zero = select(isZero, x, x.like(0)) * alpha;
    return select(x > 0, x, select(isZero, zero, result));
  }

  template <class V> static V fast(V x, V alpha) {
    return select(x > 0, x, alpha * fast::expm1BelowZero(x));
  }

  template <IsDouble V> static V formula(V x, V alpha) {
    return select(x > 0, x, f64::expm1(x) * alpha);
  }
};

/// Quotient and product keep the sign of x, whatever that of alpha.
struct Celu {
  static constexpr OpInfo info{.name = "celu",
                               .doc = "x where x > 0, y * (e^(x / y) - 1) "
                                      "elsewhere; y is 1 if left out",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 3},
                               .domain = {-20, 20},
                               .pnnx = false,
                               .defaults = {1, {1}}};

  template <class R> static R reference(R x, R alpha) {
    return x > 0 ? x : alpha * expm1(x / alpha);
  }

  template <class V> static V formula(V x, V alpha) {
    auto by = alpha.template to<double>();
    // Negative alphas take powers of up to 2^277.
    auto y = atLeast(x.template to<double>() / by, -40.0);
    auto e = select(y > 200, __builtin_inf(), wide::expm1(atMost(y, 200.0)));
    V result = (e * by).template to<float>();
    return select(x > 0, x, copySign(result, x));
  }

  template <IsDouble V> static V formula(V x, V alpha) {
    V y = x / alpha;
    // The quotient of small numbers vanishes.
    auto isSmall = (abs(y) < 0x1p-54) & (abs(alpha) < Infinity<V>);
    V result = rarely(alpha < 0, f64::expm1(y) * alpha,
                      [=] { return ofNegative(select(isSmall, 0, x), alpha); });
    return select((x > 0) | isSmall, x, copySign(result, x));
  }

private:
  /// alpha * (e^y - 1) where alpha < 0 <= y = x / alpha. What y loses by
  /// rounding, e^y multiplies, and e^y may overflow where the product does not.
  template <class V> static V ofNegative(V x, V alpha) {
    V factor = select(abs(alpha) < 0x1p-700, 0x1p200, x.like(1));
    V wide = x * factor, by = alpha * factor;
    V y = atMost(wide / by, 1460);
    V lost = select(y < 1460, fma(-y, by, wide) / by, 0);
    V e = f64::expm1(y);
    V near = fma(lost, e + 1, e) * alpha;
    V third = y / 3;
    V rest = (fma(third, -3, y) + lost) / 3;
    auto power = f64::exponential(f64::Pair<V>{third, rest}).product();
    V high = alpha * power.high * power.high * power.high;
    V low = high * (power.low / power.high * 3) - alpha;
    V far = select(abs(high) < Infinity<V>, high + low, high);
    return select(y < 600, near, far);
  }
};

struct Softsign {
  static constexpr OpInfo info{.name = "softsign",
                               .doc = "x / (1 + |x|)",
                               .types = TypeRule::Floating,
                               .ulp = {1.5, 0.51, 1.5},
                               .pnnx = false};

  template <class R> static R reference(R x) { return x / (1 + fabs(x)); }

  template <class V> static V formula(V x) { return x / (abs(x) + 1); }

  template <class V> static V accurate(V x) {
    return formula(x.template to<double>()).template to<float>();
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
