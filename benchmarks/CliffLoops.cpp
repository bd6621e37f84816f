//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CliffLoops.h"

#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

#if defined(__clang__)
#define KEXPR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KEXPR_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T, T F(T)>
static void over(std::int64_t count, void *out, const void *const *in) {
  const auto *x = static_cast<const T *>(in[0]);
  auto *to = static_cast<T *>(out);
  KEXPR_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = F(x[i]);
}

template <class T, T F(T, T)>
static void over(std::int64_t count, void *out, const void *const *in) {
  const auto *x = static_cast<const T *>(in[0]);
  const auto *y = static_cast<const T *>(in[1]);
  auto *to = static_cast<T *>(out);
  KEXPR_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = F(x[i], y[i]);
}

template <class T> static T mul(T x, T y) { return x * y; }
template <class T> static T div(T x, T y) { return x / y; }
template <class T> static T twelfth(T x) { return x / 12; }
template <class T> static T reciprocal(T x) { return 1 / x; }
template <class T> static T root(T x) { return std::sqrt(x); }
template <class T> static T softsign(T x) { return x / (1 + std::abs(x)); }
template <class T> static T hardswish(T x) {
  T gate = x + 3;
  gate = gate < 0 ? 0 : gate;
  gate = gate > 6 ? 6 : gate;
  return x * gate / 6;
}
/// About as atan at the fast precision: a quotient and an odd polynomial.
static float atan(float x) {
  const float a = std::abs(x), t = (a > 1 ? 1 : a) / (a > 1 ? a : 1);
  const float z = t * t;
  float p = -0.00482f;
  for (float c :
       {0.02473f, -0.06019f, 0.09967f, -0.14041f, 0.19974f, -0.33332f, 1.0f})
    p = p * z + c;
  const float angle = a > 1 ? 1.57079633f - t * p : t * p;
  return std::copysign(angle, x);
}
static float floorDivide(float x, float y) {
  return static_cast<float>(
      std::floor(static_cast<double>(x) / static_cast<double>(y)));
}
static double floorDivide(double x, double y) {
  const double quotient = std::floor(x / y), rest = std::fma(-quotient, y, x);
  return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
}

std::span<const CliffLoop> tools::cliffLoops() {
  static constexpr CliffLoop loops[] = {
      {"x / 12", over<float, twelfth<float>>},
      {"mul", over<float, mul<float>>},
      {"div", over<float, div<float>>},
      {"floor_divide", over<float, floorDivide>},
      {"sqrt", over<float, root<float>>},
      {"reciprocal", over<float, reciprocal<float>>},
      {"hardswish", over<float, hardswish<float>>},
      {"softsign", over<float, softsign<float>>},
      {"atan fast", over<float, atan>},
      {"mul f64", over<double, mul<double>>},
      {"div f64", over<double, div<double>>},
      {"floor_divide f64", over<double, floorDivide>},
      {"sqrt f64", over<double, root<double>>},
      {"reciprocal f64", over<double, reciprocal<double>>},
      {"hardswish f64", over<double, hardswish<double>>},
      {"softsign f64", over<double, softsign<double>>},
  };
  return loops;
}
