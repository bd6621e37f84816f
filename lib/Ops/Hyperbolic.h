//===- Ops/Hyperbolic.h - Hyperbolic functions and their inverses ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_HYPERBOLIC_H
#define KEXPR_OPS_HYPERBOLIC_H

#include "Ops/Double/Hyperbolic.h"
#include "Ops/Fast.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

namespace wide {
/// sinh and cosh of 0 <= x <= 100, relative error below 2^-30. With
/// x = n ln 2 + r and u, v = (2^n +- 2^-n) / 2,
/// sinh(x) = u sinh(r) + v cosh(r) and cosh(x) = u cosh(r) + v sinh(r),
/// in which nothing cancels.
template <class D> struct SinhCosh { D sinh, cosh; };

template <class D> SinhCosh<D> sinhCosh(D x) {
  auto [r, power] = reduce(x);
  D z = r * r;
  D c = fma(z,
            horner(z, 0x1.fffffffffe08cp-2, 0x1.55555565bb18fp-5,
                   0x1.6c166c0386984p-10, 0x1.a13689c08dedap-16),
            1.0);
  D s = fma(z * r,
            horner(z, 0x1.5555555a750e4p-3, 0x1.1110e103aff06p-7,
                   0x1.a124ca7897baap-13),
            r);
  D halfPower = scale(x.like(0.5), power);
  D inverse = scale(x.like(0.5), -power);
  D u = halfPower + inverse, v = halfPower - inverse;
  return {fma(u, s, v * c), fma(u, c, v * s)};
}
} // namespace wide

struct Sinh {
  static constexpr OpInfo info{.name = "sinh",
                               .doc = "sinh(x)",
                               .ulp = {0.51, 0.51, 0.8, 3},
                               .domain = {-88, 88}};

  template <class R> static R reference(R x) { return sinh(x); }

  template <class V> static V formula(V x) {
    auto magnitude = atMost(abs(x), 100.0f).template to<double>();
    return copySign(wide::sinhCosh(magnitude).sinh.template to<float>(), x);
  }

  template <class V> static V fast(V x) { return fast::sinh(x); }

  template <IsDouble V> static V formula(V x) { return f64::sinh(x); }
};

struct Cosh {
  static constexpr OpInfo info{.name = "cosh",
                               .doc = "cosh(x)",
                               .ulp = {0.51, 0.51, 0.75, 3},
                               .domain = {-88, 88}};

  template <class R> static R reference(R x) { return cosh(x); }

  template <class V> static V formula(V x) {
    auto magnitude = atMost(abs(x), 100.0f).template to<double>();
    return wide::sinhCosh(magnitude).cosh.template to<float>();
  }

  template <class V> static V fast(V x) { return fast::cosh(x); }

  template <IsDouble V> static V formula(V x) { return f64::cosh(x); }
};

struct Tanh {
  static constexpr OpInfo info{.name = "tanh",
                               .doc = "tanh(x)",
                               .ulp = {0.93, 0.51, 0.75, 4},
                               .domain = {-10, 10}};

  template <class R> static R reference(R x) { return tanh(x); }

  template <class V> static V formula(V x) { return single::tanh(x); }

  /// e / (e + 2) with e = e^2|x| - 1; it is 1 in f32 from 9.02 on.
  template <class V> static V accurate(V x) {
    V doubled = atMost(abs(x), 10.0f) * 2.0f;
    auto e = wide::expm1(doubled.template to<double>());
    return copySign((e / (e + 2.0)).template to<float>(), x);
  }

  template <class V> static V fast(V x) { return fast::tanh(x); }

  template <IsDouble V> static V formula(V x) { return f64::tanh(x); }
};

struct Asinh {
  static constexpr OpInfo info{
      .name = "asinh", .doc = "arsinh(x)", .ulp = {0.51, 0.51, 0.55, 3}};

  template <class R> static R reference(R x) { return asinh(x); }

  template <class V> static V formula(V x) {
    V a = abs(x);
    auto wide = a.template to<double>();
    auto argument = wide + sqrt(fma(wide, wide, 1.0));
    V result = wide::log(argument).template to<float>();
    // Below 2^-13 the next term, x^3 / 6, is below the rounding error.
    result = select(a > 0x1p-13f, result, a);
    return copySign(select(a < Infinity<V>, result, a), x);
  }

  template <class V> static V fast(V x) { return fast::asinh(x); }

  template <IsDouble V> static V formula(V x) { return f64::asinh(x); }
};

struct Acosh {
  static constexpr OpInfo info{.name = "acosh",
                               .doc = "arcosh(x)",
                               .ulp = {0.51, 0.51, 0.55, 3},
                               .domain = {1, 100}};

  template <class R> static R reference(R x) { return acosh(x); }

  template <class V> static V formula(V x) {
    auto wide = x.template to<double>();
    auto argument = wide + sqrt(fma(wide, wide, -1.0));
    V result = wide::log(argument).template to<float>();
    V high = select(x < Infinity<V>, result, x);
    return select(x >= 1.0f, high, NaN<V>);
  }

  template <class V> static V fast(V x) { return fast::acosh(x); }

  template <IsDouble V> static V formula(V x) { return f64::acosh(x); }
};

struct Atanh {
  static constexpr OpInfo info{.name = "atanh",
                               .doc = "artanh(x)",
                               .ulp = {0.51, 0.51, 0.55, 3},
                               .domain = {-1, 1}};

  template <class R> static R reference(R x) { return atanh(x); }

  template <class V> static V formula(V x) {
    V a = abs(x);
    auto wide = a.template to<double>();
    auto argument = (wide + 1.0) / (1.0 - wide);
    V result = (wide::log(argument) * 0.5).template to<float>();
    // Below 2^-13 the next term, x^3 / 3, is below the rounding error.
    result = select(a > 0x1p-13f, result, a);
    V edge = select(a == 1.0f, Infinity<V>, a.like(NaN<V>));
    return copySign(select(a < 1.0f, result, edge), x);
  }

  template <class V> static V fast(V x) { return fast::atanh(x); }

  template <IsDouble V> static V formula(V x) { return f64::atanh(x); }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_HYPERBOLIC_H
