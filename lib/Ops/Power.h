//===- Ops/Power.h - pow, roots, reciprocals and logaddexp ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_POWER_H
#define KEXPR_OPS_POWER_H

#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <algorithm>
#include <cmath>

namespace kexpr::ops {

struct Pow {
  static constexpr OpInfo info{
      .name = "pow", .doc = "x^y", .maxUlp = 0.51, .domain = {0, 10}};

  static double reference(double x, double y) { return std::pow(x, y); }

  /// |x|^y as e^(y ln|x|), then the sign that an odd y keeps.
  template <class V> static V formula(V x, V y) {
    V magnitude = select(x == -1.0f, powerOfMinusOne(y), positive(abs(x), y));
    V half = y * 0.5f;
    auto isInteger = floor(y) == y;
    auto isEven = floor(half) == half;
    V result = select(isInteger & ~isEven, copySign(magnitude, x), magnitude);
    auto isNegative = (x < 0.0f) & (x > -Infinity<V>);
    return select(isNegative & ~isInteger, NaN<V>, result);
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
    std::string_view expansion;
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

  /// x^y for x that is not negative.
  template <class V> static V positive(V x, V y) {
    auto wide = x.template to<double>();
    using D = decltype(wide);
    D log = select(x < Infinity<V>, wide::log(wide), wide);
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
  static constexpr OpInfo info{
      .name = "square", .doc = "x * x", .types = TypeRule::Numeric};

  static double reference(double x) { return x * x; }

  template <class V> static V formula(V x) { return x * x; }
};

struct Sqrt {
  static constexpr OpInfo info{
      .name = "sqrt", .doc = "x^(1/2)", .domain = {0, 100}};

  static double reference(double x) { return std::sqrt(x); }

  template <class V> static V formula(V x) { return sqrt(x); }
};

/// Rounds twice, as PyTorch does.
struct Rsqrt {
  static constexpr OpInfo info{
      .name = "rsqrt", .doc = "1 / sqrt(x)", .maxUlp = 1.5, .domain = {0, 100}};

  static double reference(double x) { return 1 / std::sqrt(x); }

  template <class V> static V formula(V x) { return 1.0f / sqrt(x); }
};

struct Reciprocal {
  static constexpr OpInfo info{.name = "reciprocal", .doc = "1 / x"};

  static double reference(double x) { return 1 / x; }

  template <class V> static V formula(V x) { return 1.0f / x; }
};

/// Where the result cancels to less than 2^-28 beside its arguments, the bound
/// is 2^-51, absolute; the reference can see no further.
struct Logaddexp {
  static constexpr OpInfo info{
      .name = "logaddexp", .doc = "ln(e^x + e^y)", .maxUlp = 0.51};

  static double reference(double x, double y) {
    if (x == y)
      return x + std::log(2.0);
    return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y)));
  }

  /// m + ln(1 + e^-|x - y|) with m the larger. The sum may cancel, hence the
  /// precise exponential.
  template <class V> static V formula(V x, V y) {
    auto a = x.template to<double>(), b = y.template to<double>();
    auto difference = select(x == y, 0.0, a - b); // inf - inf
    auto e = wide::expPrecise(atLeast(-abs(difference), -200.0));
    auto sum = select(a < b, b, a) + wide::log1p(e);
    return select(difference == difference, sum, difference)
        .template to<float>();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_POWER_H
