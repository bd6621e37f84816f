//===- Ops/Power.h - pow, roots, reciprocals and logaddexp ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_POWER_H
#define KEXPR_OPS_POWER_H

#include "Ops/Double/Power.h"
#include "Ops/Fast.h"
#include "Ops/LogSums.h"
#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <limits>
#include <math.h>

namespace kexpr::ops {

struct Pow {
  static constexpr OpInfo info{.name = "pow",
                               .doc =
                                   "x^y; of integers 0 where it is a fraction",
                               .types = TypeRule::Number,
                               .ulp = {0.51, 0.51, 0.8, 3},
                               .domain = {0, 10},
                               .bakesLiterals = true};

  template <class R> static R reference(R x, R y) { return pow(x, y); }

  /// |x|^y as e^(y ln|x|), then the sign that an odd y keeps.
  template <class V> static V formula(V x, V y) {
    V magnitude = select(x == -1.0f, powerOfMinusOne(y), positive(abs(x), y));
    auto isInteger = floor(y) == y;
    V half = select(isInteger, y, y.like(0)) * 0.5f;
    auto isEven = floor(half) == half;
    V result = select(isInteger & ~isEven, copySign(magnitude, x), magnitude);
    auto isNegative = (x < 0.0f) & (x > -Infinity<V>);
    return select(isNegative & ~isInteger, NaN<V>, result);
  }

  template <class V> static V fast(V x, V y) { return fast::pow(x, y); }

  template <IsDouble V> static V formula(V x, V y) { return f64::pow(x, y); }

  /// Squares and multiplies; few exponents are above 7, and next to none
  /// above 63.
  template <IsInteger V> static V formula(V x, V y) {
    using T = ElementOf<V>;
    constexpr int exponentBits = std::numeric_limits<T>::digits;
    V power = rarely(y > 7, whole(x, y, 3), [&] {
      return rarely(y > 63, whole(x, y, 6),
                    [&] { return whole(x, y, exponentBits); });
    });
    if constexpr (std::is_unsigned_v<T>)
      return power;
    // Of whole numbers only 1 and -1 have whole reciprocals.
    V unit = select((y & 1) != 0, x, x.like(1));
    V reciprocal = select((x == 1) | (x == -1), unit, x.like(0));
    return select(y < 0, reciprocal, power);
  }

  static constexpr LiteralForm withLiteral(int argument, double literal) {
    if (argument != 1)
      return {};
    for (const auto &[exponent, expansion] : exponents)
      if (exponent == literal)
        return {expansion};
    return {};
  }

private:
  struct Exponent {
    double value;
    Expansion expansion;
  };
  /// What PyTorch computes for these exponents, bit for bit; also where it is
  /// not the power: at -0 and -inf for 0.5 and -0.5.
  static constexpr Exponent exponents[] = {
      {1, "@0"},
      {2, "square(@0)"},
      {3, "mul(mul(@0,@0),@0)"},
      {0.5, "sqrt(@0)"},
      {-0.5, "rsqrt(@0)"},
      {-1, "reciprocal(@0)"},
      {-2, "reciprocal(mul(@0,@0))"},
  };

  /// x^y for whole y of so many bits.
  template <class V> static V whole(V x, V y, int bits) {
    V power = x.like(1);
    for (int bit = 0; bit < bits; ++bit) {
      const auto mask = static_cast<ElementOf<V>>(std::uint64_t{1} << bit);
      power = select((y & mask) != 0, power * x, power);
      x = x * x;
    }
    return power;
  }

  /// x^y for x that is not negative.
  template <class V> static V positive(V x, V y) {
    auto wide = x.template to<double>();
    using D = decltype(wide);
    D log = select(x < Infinity<V>, wide::log<true>(wide), wide);
    D power = y.template to<double>() * select(x == 0.0f, -Infinity<D>, log);
    // 1^y and x^0 are 1 for any other argument, NaN and inf included.
    power = select((x == 1.0f) | (y == 0.0f), 0.0, power);
    power = atLeast(atMost(power, 200.0), -200.0);
    return wide::exp(power).template to<float>();
  }

  /// |-1|^y: 1, but NaN for NaN.
  template <class V> static V powerOfMinusOne(V y) {
    return select(y == y, 1.0f, y);
  }
};

struct Square {
  static constexpr OpInfo info{.name = "square",
                               .doc = "x * x",
                               .types = TypeRule::Counting,
                               .isSignless = true};

  template <class R> static R reference(R x) { return x * x; }

  template <class V> static V formula(V x) { return x * x; }
};

struct Sqrt {
  static constexpr OpInfo info{
      .name = "sqrt", .doc = "x^(1/2)", .domain = {0, 100}};

  template <class R> static R reference(R x) { return sqrt(x); }

  template <class V> static V formula(V x) { return sqrt(x); }
};

struct Rsqrt {
  static constexpr OpInfo info{.name = "rsqrt",
                               .doc = "1 / sqrt(x)",
                               .ulp = {0.51, 0.51, 0.51, 2},
                               .domain = {0, 100}};

  template <class R> static R reference(R x) { return 1 / sqrt(x); }

  /// What the root and the division lose, x = s^2 + d and s r = 1 - e, is put
  /// back: x^(-1/2) = r (1 + e - d r^2 / 2), nearly.
  template <class V> static V formula(V x) {
    // Far from where squares leave the range of f32.
    auto isSmall = x < 0x1p-60f;
    V scaled = select(isSmall, x * 0x1p64f, x);
    V s = sqrt(scaled);
    V r = 1.0f / s;
    V d = fma(-s, s, scaled);
    V e = fma(-s, r, 1.0f);
    V exact = fma(r, fma(d * r, r * -0.5f, e), r);
    V result = select((x > 0) & (x < Infinity<V>), exact, r);
    return select(isSmall, result * 0x1p32f, result);
  }

  template <class V> static V fast(V x) { return 1.0f / sqrt(x); }

  template <IsDouble V> static V formula(V x) { return f64::rsqrt(x); }
};

struct Reciprocal {
  static constexpr OpInfo info{.name = "reciprocal", .doc = "1 / x"};

  template <class R> static R reference(R x) { return 1 / x; }

  template <class V> static V formula(V x) { return 1.0f / x; }
};

struct Logaddexp {
  static constexpr OpInfo info{.name = "logaddexp",
                               .doc = "ln(e^x + e^y)",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.85, 4},
                               .cancellation = 0x1p-46};

  template <class R> static R reference(R x, R y) {
    if (x == y)
      return x + log(R(2));
    return std::max(x, y) + log1p(exp(-fabs(x - y)));
  }

  /// m + ln(1 + e^-|x - y|) with m the larger, in double lanes. Where the sum
  /// cancels they are not wide enough either.
  template <class V> static V formula(V x, V y) {
    auto a = x.template to<double>(), b = y.template to<double>();
    auto difference = select(x == y, 0.0, a - b); // inf - inf
    auto e = wide::expPrecise(atLeast(-abs(difference), -200.0));
    auto larger = select(a < b, b, a);
    auto sum = larger + wide::log1p<true>(e);
    auto exact = rarely(abs(sum) < abs(larger) * 0x1p-17, sum, [a, b, larger] {
      return wide::logSumNearZero(larger, select(a < b, a, b));
    });
    return select(difference == difference, exact, difference)
        .template to<float>();
  }

  /// In single precision, unless too much of the sum cancels.
  template <class V> static V fast(V x, V y) {
    auto [larger, more] = fast::logaddexp(x, y);
    return rarely(abs(fma(larger, 0x1p26f, more)) < more,
                  fma(more, 0x1p-26f, larger),
                  [x, y] { return formula(x, y); });
  }

  template <IsDouble V> static V formula(V x, V y) {
    return f64::logaddexp(x, y);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_POWER_H
