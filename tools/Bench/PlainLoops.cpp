//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/PlainLoops.h"

#include <bit>
#include <cmath>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif
#if defined(KEXPR_HAS_EIGEN)
#include <Eigen/Core>
#endif

using namespace kexpr;
using namespace kexpr::tools;

#if defined(__clang__)
#define KEXPR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define KEXPR_COMPILER __VERSION__
#else
#define KEXPR_INDEPENDENT _Pragma("GCC ivdep")
#define KEXPR_COMPILER "GCC " __VERSION__
#endif

// exp, sin and cos of f32 within about 1 ulp, without branches, so that a
// compiler can vectorise a loop that calls them. The coefficients are minimax
// for relative error, by Lawson's iteration. Written for speed, so that being
// faster means something; kexpr itself uses none of it.
namespace plain {

/// Added to a small number, leaves its nearest integer in the lowest bits.
static constexpr float shifter = 0x1.8p23f;

/// 2^n in the bits that `shifted`, n + shifter, has at its end.
static float powerOfTwo(float shifted) {
  const auto bits = std::bit_cast<std::uint32_t>(shifted) << 23;
  return std::bit_cast<float>(bits + 0x3f800000u);
}

/// `x` with its sign turned if the integer in `shifted` is odd.
static float turnIfOdd(float x, float shifted) {
  const auto bits = std::bit_cast<std::uint32_t>(shifted) << 31;
  return std::bit_cast<float>(bits ^ std::bit_cast<std::uint32_t>(x));
}

/// Within 1 ulp from -87 to 88; outside, what it is there.
static float exp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  const float shifted = std::fma(x, 1.44269502f, shifter);
  const float n = shifted - shifter;
  float r = std::fma(n, -0.693147182f, x);
  r = std::fma(n, 1.90465421e-9f, r);
  float q = std::fma(r, 0.00138146128f, 0.00836871006f);
  q = std::fma(q, r, 0.0416683890f);
  q = std::fma(q, r, 0.166665211f);
  q = std::fma(q, r, 0.49999994f);
  return (std::fma(r * r, q, r) + 1) * powerOfTwo(shifted);
}

/// sin of a number between -pi/2 and pi/2.
static float sinOfRest(float r) {
  const float square = r * r;
  float p = std::fma(square, 2.60575075e-6f, -0.000198095906f);
  p = std::fma(p, square, 0.00833306648f);
  p = std::fma(p, square, -0.166666597f);
  return std::fma(r * square, p, r);
}

/// x - n * pi, exactly enough for |n| below about 10000.
static float withoutHalfTurns(float x, float n) {
  x = std::fma(n, -3.14159274f, x);
  x = std::fma(n, 8.74227766e-8f, x);
  return std::fma(n, 3.43024902e-15f, x);
}

/// Within 2 ulp for |x| below about 30000.
static float sin(float x) {
  const float shifted = std::fma(x, 0.318309873f, shifter);
  const float n = shifted - shifter;
  return turnIfOdd(sinOfRest(withoutHalfTurns(x, n)), shifted);
}

/// Within 2 ulp for |x| below about 30000.
static float cos(float x) {
  // cos(x) = sin(x + pi/2): half turns and a quarter are taken off.
  const float shifted = std::fma(x, 0.318309873f, -0.5f) + shifter;
  const float n = shifted - shifter + 0.5f;
  return turnIfOdd(-sinOfRest(withoutHalfTurns(x, n)), shifted);
}

} // namespace plain

namespace {
struct E1 {
  static float at(float a, float b) { return a + b; }
};
struct E2 {
  static float at(float a, float b, float c) { return a * b + c; }
};
struct E3 {
  static float at(float a) { return a / (1 + plain::exp(-a)); }
};
struct E4 {
  static float at(float a, float b) {
    return std::sqrt((a * 2 + b) * (1.0f / 12));
  }
};
struct E5 {
  static float at(float a, float b, float c, float d, float e, float f) {
    return a * b + c * (a + c + d + e) + f;
  }
};
struct E6 {
  static float at(float a) {
    // 0.5 * (1 + tanh(u)) = 1 / (1 + exp(-2 u))
    const float inner = (a + a * a * a * 0.044715f) * -1.59576912f;
    return a / (1 + plain::exp(inner));
  }
};
struct E7 {
  static float at(float a, float b) {
    return plain::sin(a) + plain::cos(b) * plain::exp(-(a * a));
  }
};

template <class E> struct Arity;
template <class... Floats> struct Arity<float (*)(Floats...)> {
  using Indices = std::index_sequence_for<Floats...>;
};
template <class E> using IndicesOf = typename Arity<decltype(&E::at)>::Indices;
} // namespace

template <class E, std::size_t... I>
static void over(std::int64_t count, float *__restrict out,
                 const float *const *in, std::index_sequence<I...>) {
  const float *from[] = {in[I]...};
  KEXPR_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = E::at(from[I][i]...);
}

template <class E>
static void through(std::int64_t count, float *out, const float *const *in) {
  over<E>(count, out, in, IndicesOf<E>());
}

#if defined(__AVX__)
/// Writes whole cache lines to memory without reading them first.
static void writePast(float *out, const float *block, std::int64_t count) {
#if defined(__AVX512F__)
  for (std::int64_t i = 0; i < count; i += 16)
    _mm512_stream_ps(out + i, _mm512_load_ps(block + i));
#else
  for (std::int64_t i = 0; i < count; i += 8)
    _mm256_stream_ps(out + i, _mm256_load_ps(block + i));
#endif
}

/// Computes a piece at a time into the first-level cache, so that the compiler
/// vectorises the arithmetic as before.
template <class E, std::size_t... I>
static void pastCaches(std::int64_t count, float *out, const float *const *in,
                       std::index_sequence<I...> indices) {
  constexpr std::int64_t piece = 512;
  alignas(64) float block[piece];
  std::int64_t i = 0;
  while (i < count && reinterpret_cast<std::uintptr_t>(out + i) % 64 != 0)
    ++i;
  through<E>(i, out, in);
  for (; i + piece <= count; i += piece) {
    const float *from[] = {in[I] + i...};
    over<E>(piece, block, from, indices);
    writePast(out + i, block, piece);
  }
  _mm_sfence();
  const float *rest[] = {in[I] + i...};
  through<E>(count - i, out + i, rest);
}

template <class E>
static void past(std::int64_t count, float *out, const float *const *in) {
  pastCaches<E>(count, out, in, IndicesOf<E>());
}
#endif

#define KEXPR_BUILD KEXPR_COMPILER " " KEXPR_PLAIN_FLAGS

const PlainLoops &tools::handWrittenLoops() {
  static constexpr PlainLoops loops = {"cpp",
                                       KEXPR_BUILD,
                                       {through<E1>, through<E2>, through<E3>,
                                        through<E4>, through<E5>, through<E6>,
                                        through<E7>}};
  return loops;
}

const PlainLoops *tools::streamingLoops() {
#if defined(__AVX__)
  static constexpr PlainLoops loops = {
      "cpp-nt",
      KEXPR_BUILD,
      {past<E1>, past<E2>, past<E3>, past<E4>, past<E5>, past<E6>, past<E7>}};
  return &loops;
#else
  return nullptr;
#endif
}

// Flags alone, for code that is compiled for any machine to look at.
const bool tools::plainLoopsUse[] = {
#if defined(__AVX2__)
    true,
#else
    false,
#endif
#if defined(__FMA__)
    true,
#else
    false,
#endif
#if defined(__AVX512F__)
    true,
#else
    false,
#endif
};

#if defined(KEXPR_HAS_EIGEN)
using In = Eigen::Map<const Eigen::ArrayXf>;
using Out = Eigen::Map<Eigen::ArrayXf>;

static void e1(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n) + In(in[1], n);
}

static void e2(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n) * In(in[1], n) + In(in[2], n);
}

static void e3(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n);
  Out(out, n) = a * a.logistic();
}

static void e4(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = ((In(in[0], n) * 2 + In(in[1], n)) * (1.0f / 12)).sqrt();
}

static void e5(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n), b(in[1], n), c(in[2], n), d(in[3], n), e(in[4], n),
      f(in[5], n);
  Out(out, n) = a * b + c * (a + c + d + e) + f;
}

static void e6(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n);
  const auto inner = (a + a * a * a * 0.044715f) * 0.79788456f;
  Out(out, n) = a * 0.5f * (inner.tanh() + 1);
}

static void e7(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n), b(in[1], n);
  Out(out, n) = a.sin() + b.cos() * (-(a * a)).exp();
}

#define KEXPR_TEXT_OF(x) #x
#define KEXPR_TEXT(x) KEXPR_TEXT_OF(x)
#define KEXPR_EIGEN_VERSION                                                    \
  "Eigen " KEXPR_TEXT(EIGEN_WORLD_VERSION) "." KEXPR_TEXT(                     \
      EIGEN_MAJOR_VERSION) "." KEXPR_TEXT(EIGEN_MINOR_VERSION)

const PlainLoops *tools::eigenLoops() {
  static constexpr PlainLoops loops = {"eigen",
                                       KEXPR_EIGEN_VERSION ", " KEXPR_BUILD,
                                       {e1, e2, e3, e4, e5, e6, e7}};
  return &loops;
}
#else
const PlainLoops *tools::eigenLoops() { return nullptr; }
#endif
