//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/PlainLoops.h"

#include "Bench/PlainMath.h"

#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
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
