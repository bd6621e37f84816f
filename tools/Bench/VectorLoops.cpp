//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once for each width of vectors. What it includes must have no inline
// functions: the linker could choose the copy for the widest vectors.
//
//===----------------------------------------------------------------------===//
#include "Bench/Yardsticks.h"

#if KEXPR_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

using namespace kexpr;
using namespace kexpr::tools;

/// A vector, wherever it lies.
typedef float V __attribute__((vector_size(KEXPR_VECTOR_BYTES), may_alias));
static constexpr std::int64_t lanes = KEXPR_VECTOR_BYTES / sizeof(float);

static const V &load(const float *from) {
  return *reinterpret_cast<const V *>(from);
}

static float sumOf(V vector) {
  float sum = 0;
  for (int lane = 0; lane < lanes; ++lane)
    sum += vector[lane];
  return sum;
}

static void read(std::int64_t count, float *a, const float *b, const float *) {
  V sums[4] = {};
  for (std::int64_t i = 0; i < count; i += 4 * lanes)
    for (int k = 0; k < 4; ++k)
      sums[k] += load(b + i + k * lanes);
  a[0] = sumOf(sums[0] + sums[1] + (sums[2] + sums[3]));
}

// The empty statement keeps compilers from making this a call of memmove, which
// decides by itself how it writes.
static void copy(std::int64_t count, float *a, const float *b, const float *) {
  for (std::int64_t i = 0; i < count; i += lanes) {
    *reinterpret_cast<V *>(a + i) = load(b + i);
    asm volatile("");
  }
}

static void triad(std::int64_t count, float *a, const float *b,
                  const float *c) {
  for (std::int64_t i = 0; i < count; i += lanes)
    *reinterpret_cast<V *>(a + i) = load(b + i) + 3.0f * load(c + i);
}

#if KEXPR_VECTOR_BYTES > 16
static void storePast(float *to, V vector) {
#if KEXPR_VECTOR_BYTES == 64
  _mm512_stream_ps(to, vector);
#else
  _mm256_stream_ps(to, vector);
#endif
}

static void copyPast(std::int64_t count, float *a, const float *b,
                     const float *) {
  for (std::int64_t i = 0; i < count; i += lanes)
    storePast(a + i, load(b + i));
  _mm_sfence();
}

static void triadPast(std::int64_t count, float *a, const float *b,
                      const float *c) {
  for (std::int64_t i = 0; i < count; i += lanes)
    storePast(a + i, load(b + i) + 3.0f * load(c + i));
  _mm_sfence();
}
#else
static constexpr StreamLoop copyPast = nullptr, triadPast = nullptr;
#endif

/// Steps of one pass, each of which advances all chains.
static constexpr int steps = 20000;
/// At a latency of 4 or 5 cycles and two a cycle, 10 chains are the least.
static constexpr int chains = 12;

/// x = x * a + b tends to b / (1 - a) and stays a normal number. The file is
/// compiled so that this becomes one instruction where there is one.
static float multiplyAdd(float start) {
  V x[chains];
  for (int chain = 0; chain < chains; ++chain)
    x[chain] = V{} + (start + static_cast<float>(chain));
  const V a = V{} + 0.5f, b = V{} + start;
  for (int step = 0; step < steps; ++step)
#pragma GCC unroll 12
    for (int chain = 0; chain < chains; ++chain)
      x[chain] = x[chain] * a + b;
  V sum = {};
  for (int chain = 0; chain < chains; ++chain)
    sum += x[chain];
  return sumOf(sum);
}

template <> const VectorLoops &tools::vectorLoopsOf<KEXPR_VECTOR_BYTES>() {
  static constexpr VectorLoops loops = {read,
                                        copy,
                                        triad,
                                        copyPast,
                                        triadPast,
                                        multiplyAdd,
                                        1.0 * steps * chains * lanes};
  return loops;
}
