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

// Its functions hide those of <cmath>.
namespace plain {

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

template <class T, T F(T, T, T)>
static void over(std::int64_t count, void *out, const void *const *in) {
  const auto *x = static_cast<const T *>(in[0]);
  const auto *y = static_cast<const T *>(in[1]);
  const auto *z = static_cast<const T *>(in[2]);
  auto *to = static_cast<T *>(out);
  KEXPR_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = F(x[i], y[i], z[i]);
}

template <class T>
using IntOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T> static T mul(T x, T y) { return x * y; }
template <class T> static T div(T x, T y) { return x / y; }
template <class T> static T twelfth(T x) { return x / 12; }
template <class T> static T reciprocal(T x) { return 1 / x; }
template <class T> static T root(T x) { return std::sqrt(x); }
template <class T> static T fma(T x, T y, T z) { return x * y + z; }
template <class T> static T rsqrt(T x) { return 1 / std::sqrt(x); }
template <class T> static T deg2rad(T x) { return x * T(0.0174532925199433); }
template <class T> static T rad2deg(T x) { return x * T(57.2957795130823); }
template <class T> static T leakyRelu(T x, T y) {
  const T below = x * y;
  return x > 0 ? x : below;
}
template <class T> static T hypot(T x, T y) {
  const T a = std::abs(x), b = std::abs(y), high = a > b ? a : b;
  const T t = (a > b ? b : a) / high;
  return high * std::sqrt(t * t + 1);
}
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
/// Cephes' polynomial up to 1/2, and the root of half the complement above.
static float asin(float x) {
  const float a = std::abs(x), half = (1 - a) / 2;
  const float z = a > 0.5f ? half : x * x;
  float p = 4.2163199048e-2f;
  for (float c : {2.4181311049e-2f, 4.5470025998e-2f, 7.4953002686e-2f,
                  1.6666752422e-1f, 0.0f})
    p = p * z + c;
  const float root = std::sqrt(half);
  const float angle = 1.57079633f - 2 * (root * p + root);
  return a > 0.5f ? std::copysign(angle, x) : x * p + x;
}
/// The quotient, turned by pi / 4 where it is large, and a series of Taylor.
template <class T> static T atan2(T y, T x) {
  const T a = std::abs(x), b = std::abs(y);
  const T low = a > b ? b : a, high = a > b ? a : b;
  const bool turns = low > high * T(0.414213562373095);
  const T t = (turns ? low - high : low) / (turns ? low + high : high);
  const T z = t * t;
  T p = 0;
  for (int d = sizeof(T) == 4 ? 13 : 23; d > 1; d -= 2)
    p = p * z + (d % 4 == 1 ? T(1) : T(-1)) / static_cast<T>(d);
  T angle = t * (p * z) + t + (turns ? T(0.785398163397448) : 0);
  angle = b > a ? T(1.5707963267949) - angle : angle;
  angle = x < 0 ? T(3.14159265358979) - angle : angle;
  return std::copysign(angle, y);
}
/// What whole multiples of share * pi leave of x, and their number in bits.
struct Turn {
  float rest;
  std::uint32_t count;
};
static Turn turnOf(float x, float share) {
  const float shifted = x * (0.318309886f / share) + 0x1.8p23f;
  const float n = shifted - 0x1.8p23f;
  const float rest = x - n * (3.14159274f * share);
  return {rest - n * (-8.74227766e-8f * share),
          std::bit_cast<std::uint32_t>(shifted)};
}
static float sin(float x) {
  const auto [r, count] = turnOf(x, 1);
  const float z = r * r;
  float p = -1.0f / 39916800;
  for (int divisor : {362880, -5040, 120, -6})
    p = p * z + 1.0f / static_cast<float>(divisor);
  const float sine = r * (p * z) + r;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(sine) ^ count << 31);
}
static float tan(float x) {
  const auto [r, count] = turnOf(x, 0.5f);
  const float z = r * r;
  float p = 1.0f / 362880, q = 1.0f / 40320;
  for (int divisor : {-5040, 120, -6})
    p = p * z + 1.0f / static_cast<float>(divisor);
  for (int divisor : {-720, 24, -2, 1})
    q = q * z + 1.0f / static_cast<float>(divisor);
  const float sine = r * (p * z) + r;
  const bool isOdd = count & 1;
  return (isOdd ? -q : sine) / (isOdd ? sine : q);
}
/// e^x = 2^n (1 + m), with the terms of a Taylor series, those that f32 needs.
template <class T> struct Power { T power, m; };
template <class T> static Power<T> powerOf(T x) {
  using Int = IntOf<T>;
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr Int bias = std::numeric_limits<T>::max_exponent - 1;
  constexpr T rounder = T(1.5) * T(Int{1} << digits);
  constexpr T most = sizeof(T) == 4 ? 88 : 709;
  x = x < 1 - most ? 1 - most : x;
  x = x > most ? most : x;
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
template <class T> static T gated(T x) {
  const auto [power, m] = powerOf(-x);
  return x * (1 / (power * m + (power + 1)));
}
template <class T> static T expm1(T x) {
  const auto [power, m] = powerOf(x);
  return power * m + (power - 1);
}
template <class T> static T exp(T x) {
  const auto [power, m] = powerOf(x);
  return power * m + power;
}
template <class T> static T bell(T x) { return exp(-(x * x)); }
template <class T> static T tanh(T x) {
  const T a = std::abs(x), m = expm1(2 * (a > 20 ? 20 : a));
  return std::copysign(m / (m + 2), x);
}
template <class T> static T geluByTanh(T x) {
  const T inner = (x + x * x * x * T(0.044715)) * T(0.79788456);
  return x * T(0.5) * (tanh(inner) + 1);
}
template <class T> static T sinh(T x) {
  const T m = expm1(std::abs(x));
  return std::copysign((m + m / (m + 1)) / 2, x);
}
template <class T> static T elu(T x, T y) {
  const T below = y * expm1(x);
  return x > 0 ? x : below;
}
template <class T> static T celu(T x, T y) {
  const T ratio = x / y, above = ratio < -40 ? T(-40) : ratio;
  const T power = expm1(above > 709 ? T(709) : above);
  const T below =
      y * (above > 709 ? std::numeric_limits<T>::infinity() : power);
  return x > 0 ? x : below;
}
template <class T> static T selu(T x) {
  return T(1.05070098735548) * elu(x, T(1.67326324235438));
}
template <class T> static T mish(T x) {
  const T power = exp(x > 40 ? 40 : x), n = power * (power + 2);
  return x * (n / (n + 2));
}
/// In two steps, as a power may not have the range that its product has.
template <class T> static T ldexp(T x, T y) {
  const T root = exp(y * T(0.346573590279973));
  return x * root * root;
}
/// The exponent and 2 artanh(f / (2 + f)) of the rest, 1 + f.
template <class T> static T log(T x) {
  using Int = IntOf<T>;
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr Int least = std::bit_cast<Int>(T(0.707106781186548));
  const bool isTiny = x < std::numeric_limits<T>::min();
  x = isTiny ? x * T(0x1p54) : x;
  const Int bits = std::bit_cast<Int>(x) - least;
  const Int rest = bits & ((Int{1} << digits) - 1);
  const T f = std::bit_cast<T>(static_cast<Int>(rest + least)) - 1;
  const T s = f / (f + 2), z = s * s;
  T p = 0;
  for (int d = sizeof(T) == 4 ? 9 : 15; d > 0; d -= 2)
    p = p * z + T(2) / static_cast<T>(d);
  const T n = static_cast<T>(bits >> digits) - (isTiny ? 54 : 0);
  return n * T(0.693147180559945) + s * p;
}
/// With what 1 + x has rounded off.
template <class T> static T log1p(T x) {
  const T sum = x + 1;
  return log(sum) + (x - (sum - 1)) / sum;
}
template <class T> static T asinh(T x) {
  const T a = std::abs(x), z = a * a;
  return std::copysign(log1p(a + z / (std::sqrt(z + 1) + 1)), x);
}
template <class T> static T xlogy(T x, T y) {
  const T product = x * log(y);
  return x == 0 ? 0 : product;
}
template <class T> static T logit(T x) { return log(x / (1 - x)); }
template <class T> static T logaddexp(T x, T y) {
  const T high = x > y ? x : y, low = x > y ? y : x;
  return high + log1p(exp(low - high));
}
template <class T> static T softplus(T x) {
  return (x > 0 ? x : 0) + log1p(exp(-std::abs(x)));
}
template <class T> static T pow(T x, T y) {
  const T root = exp(log(x) * y / 2);
  return root * root;
}
template <class T> static T cbrt(T x) {
  const T root = std::copysign(exp(log(std::abs(x)) / 3), x);
  return x == 0 ? x : root;
}
/// The series of Maclaurin, for numbers up to 1.
template <class T> static T erfOfSmall(T x) {
  const T z = x * x;
  T p = 0, factorial = sizeof(T) == 4 ? 40320 : 39916800;
  for (int n = sizeof(T) == 4 ? 8 : 11; n >= 0; --n) {
    const T below = factorial * static_cast<T>(n % 2 ? -2 * n - 1 : 2 * n + 1);
    p = p * z + T(1.12837916709551) / below;
    factorial /= static_cast<T>(n > 0 ? n : 1);
  }
  return x * p;
}
/// As in Numerical Recipes, of numbers from 0.
template <class T> static T erfc(T x) {
  const T t = 1 / (x / 2 + 1);
  T p = T(0.17087277);
  for (double c :
       {-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806,
        0.09678418, 0.37409196, 1.00002368, -1.26551223})
    p = p * t + static_cast<T>(c);
  return t * exp(p - x * x);
}
template <class T> static T erf(T x) {
  const T a = std::abs(x);
  return a > 1 ? std::copysign(1 - erfc(a), x) : erfOfSmall(x);
}
template <class T> static T gelu(T x) {
  const T h = x * T(0.707106781186548), a = std::abs(h), tail = erfc(a);
  const T sum = h < 0 ? tail : 2 - tail;
  return x / 2 * (a > 1 ? sum : erfOfSmall(h) + 1);
}
static float floorDivide(float x, float y) {
  return static_cast<float>(
      std::floor(static_cast<double>(x) / static_cast<double>(y)));
}
static double floorDivide(double x, double y) {
  const double quotient = std::floor(x / y), rest = std::fma(-quotient, y, x);
  return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
}

/// The quotient of integers towards zero; 0 by 0, and the least number is its
/// own by -1.
template <class T> static T truncDivide(T x, T y) {
  const T whole = x / (y == 0 || y == -1 ? 1 : y);
  using Bits = std::make_unsigned_t<T>;
  const T opposite = static_cast<T>(0 - static_cast<Bits>(x));
  return y == 0 ? 0 : y == -1 ? opposite : whole;
}
template <class T> static T restOf(T x, T y) {
  const T rest = x % (y == 0 || y == -1 ? 1 : y);
  return y == 0 ? 0 : rest;
}
template <class T> static T floorRestOf(T x, T y) {
  const T rest = restOf(x, y);
  return rest != 0 && (rest ^ y) < 0 ? rest + y : rest;
}
template <class T> static T floorQuotient(T x, T y) {
  const T whole = truncDivide(x, y), rest = restOf(x, y);
  return rest != 0 && (rest ^ y) < 0 ? whole - 1 : whole;
}
/// By squares, as many as the exponent has bits: a loop in the loop, which has
/// no vectors.
template <class T> static T powerOfWhole(T x, T y) {
  using Bits = std::make_unsigned_t<T>;
  Bits square = static_cast<Bits>(x), power = 1;
  for (Bits rest = y > 0 ? static_cast<Bits>(y) : 0; rest != 0; rest >>= 1) {
    power = rest & 1 ? power * square : power;
    square *= square;
  }
  const T unit = y & 1 ? x : 1;
  const T below = x == 1 || x == -1 ? unit : 0;
  return y < 0 ? below : static_cast<T>(power);
}

template <class T>
static void powers(std::int64_t count, void *out, const void *const *in) {
  const auto *x = static_cast<const T *>(in[0]);
  const auto *y = static_cast<const T *>(in[1]);
  auto *to = static_cast<T *>(out);
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = powerOfWhole(x[i], y[i]);
}

static constexpr CliffLoop loops[] = {
    {"x / 12", over<float, twelfth<float>>},
    {"e^-x^2", over<float, bell<float>>},
    {"E3", over<float, gated<float>>},
    {"E6", over<float, geluByTanh<float>>, true},
    {"mul", over<float, mul<float>>},
    {"div", over<float, div<float>>},
    {"floor_divide", over<float, floorDivide>},
    {"sqrt", over<float, root<float>>},
    {"reciprocal", over<float, reciprocal<float>>},
    {"hardswish", over<float, hardswish<float>>},
    {"softsign", over<float, softsign<float>>},
    {"atan fast", over<float, atan>},
    {"silu", over<float, silu<float>>},
    {"erf", over<float, erf<float>>},
    {"expm1 fast", over<float, expm1<float>>},
    {"fma", over<float, fma<float>>},
    {"deg2rad", over<float, deg2rad<float>>},
    {"rad2deg", over<float, rad2deg<float>>},
    {"rsqrt", over<float, rsqrt<float>>},
    {"leaky_relu", over<float, leakyRelu<float>>},
    {"ldexp", over<float, ldexp<float>>},
    {"sin fast", over<float, sin>},
    {"tan fast", over<float, tan>},
    {"asin fast", over<float, asin>},
    {"atan2 fast", over<float, atan2<float>>},
    {"log1p fast", over<float, log1p<float>>},
    {"xlogy fast", over<float, xlogy<float>>},
    {"pow fast", over<float, pow<float>>},
    {"sinh fast", over<float, sinh<float>>},
    {"asinh fast", over<float, asinh<float>>},
    {"elu fast", over<float, elu<float>>},
    {"selu fast", over<float, selu<float>>},
    {"mish fast", over<float, mish<float>>},
    {"silu fast", over<float, silu<float>>},
    {"gelu fast", over<float, gelu<float>>},
    {"erf fast", over<float, erf<float>>},
    {"softplus fast", over<float, softplus<float>>},
    {"logaddexp fast", over<float, logaddexp<float>>, true},
    {"mul f64", over<double, mul<double>>},
    {"div f64", over<double, div<double>>},
    {"floor_divide f64", over<double, floorDivide>},
    {"sqrt f64", over<double, root<double>>},
    {"reciprocal f64", over<double, reciprocal<double>>},
    {"hardswish f64", over<double, hardswish<double>>},
    {"softsign f64", over<double, softsign<double>>},
    {"silu f64", over<double, silu<double>>},
    {"fma f64", over<double, fma<double>>},
    {"deg2rad f64", over<double, deg2rad<double>>},
    {"rad2deg f64", over<double, rad2deg<double>>},
    {"rsqrt f64", over<double, rsqrt<double>>},
    {"leaky_relu f64", over<double, leakyRelu<double>>},
    {"ldexp f64", over<double, ldexp<double>>},
    {"hypot f64", over<double, hypot<double>>},
    {"atan2 f64", over<double, atan2<double>>},
    {"cbrt f64", over<double, cbrt<double>>},
    {"xlogy f64", over<double, xlogy<double>>},
    {"logit f64", over<double, logit<double>>},
    {"logaddexp f64", over<double, logaddexp<double>>},
    {"pow f64", over<double, pow<double>>},
    {"elu f64", over<double, elu<double>>},
    {"selu f64", over<double, selu<double>>},
    {"celu f64", over<double, celu<double>>},
    {"mish f64", over<double, mish<double>>},
    {"erf f64", over<double, erf<double>>},
    {"gelu f64", over<double, gelu<double>>},
    {"trunc_divide i32", over<std::int32_t, truncDivide<std::int32_t>>},
    {"floor_divide i32", over<std::int32_t, floorQuotient<std::int32_t>>},
    {"fmod i32", over<std::int32_t, restOf<std::int32_t>>},
    {"remainder i32", over<std::int32_t, floorRestOf<std::int32_t>>},
    {"pow i32", powers<std::int32_t>},
    {"trunc_divide i64", over<std::int64_t, truncDivide<std::int64_t>>},
    {"floor_divide i64", over<std::int64_t, floorQuotient<std::int64_t>>},
    {"fmod i64", over<std::int64_t, restOf<std::int64_t>>},
    {"remainder i64", over<std::int64_t, floorRestOf<std::int64_t>>},
    {"pow i64", powers<std::int64_t>},
};

} // namespace plain

std::span<const CliffLoop> tools::cliffLoops() { return plain::loops; }
