//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CliffLoops.h"

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

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
/// e^x = 2^n (1 + m), with the terms of a Taylor series, those that f32 needs.
template <class T> struct Power { T power, m; };
template <class T> static Power<T> powerOf(T x) {
  using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr Int bias = std::numeric_limits<T>::max_exponent - 1;
  constexpr T rounder = T(1.5) * T(Int{1} << digits);
  x = x < -80 ? -80 : x;
  x = x > 80 ? 80 : x;
  const T shifted = x * T(1.442695040888963) + rounder;
  const T n = shifted - rounder, r = x - n * T(0.693147180559945);
  T p = T(1.0 / 5040);
  for (int divisor : {720, 120, 24, 6, 2, 1})
    p = p * r + T(1) / static_cast<T>(divisor);
  const auto bits = std::bit_cast<Int>(shifted) + bias;
  return {std::bit_cast<T>(static_cast<Int>(bits << digits)), r * p};
}
template <class T> static T silu(T x) {
  const auto [power, m] = powerOf(-x);
  return x / (power * m + (power + 1));
}
static float expm1(float x) {
  const auto [power, m] = powerOf(x);
  return power * m + (power - 1);
}
/// About as erf: two polynomials, one of them in an exponent.
static float erf(float x) {
  const float a = std::abs(x), z = x * x;
  float p = 0.0046f, q = -0.03f;
  for (float c : {-0.0257f, 0.1125f, -0.376f, 1.128f})
    p = p * z + c;
  for (float c : {0.18f, -0.9f, -1.1f, 0.0f})
    q = q * a + c;
  const auto [power, m] = powerOf(q);
  const float tail = 1 - (power * m + power);
  return a > 1 ? std::copysign(tail, x) : x * p;
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
      {"silu", over<float, silu<float>>},
      {"erf", over<float, erf>},
      {"expm1 fast", over<float, expm1>},
      {"mul f64", over<double, mul<double>>},
      {"div f64", over<double, div<double>>},
      {"floor_divide f64", over<double, floorDivide>},
      {"sqrt f64", over<double, root<double>>},
      {"reciprocal f64", over<double, reciprocal<double>>},
      {"hardswish f64", over<double, hardswish<double>>},
      {"softsign f64", over<double, softsign<double>>},
      {"silu f64", over<double, silu<double>>},
  };
  return loops;
}
