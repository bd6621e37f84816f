//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/StreamLoops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace kexpr;
using namespace kexpr::tools;

/// A vector of so many bytes, wherever it lies.
template <int Bytes> struct Vector {
  typedef float Type __attribute__((vector_size(Bytes), may_alias));
  static constexpr std::int64_t lanes = Bytes / sizeof(float);
};

template <int Bytes>
[[gnu::always_inline]] static inline void
readAll(std::int64_t count, float *a, const float *b, const float *) {
  using V = typename Vector<Bytes>::Type;
  constexpr std::int64_t lanes = Vector<Bytes>::lanes;
  V sums[4] = {};
  for (std::int64_t i = 0; i < count; i += 4 * lanes) {
    const V *from = reinterpret_cast<const V *>(b + i);
    sums[0] += from[0];
    sums[1] += from[1];
    sums[2] += from[2];
    sums[3] += from[3];
  }
  const V sum = sums[0] + sums[1] + (sums[2] + sums[3]);
  a[0] = sum[0];
  for (std::int64_t lane = 1; lane < lanes; ++lane)
    a[0] += sum[lane];
}

// The empty statement keeps compilers from making this a call of memmove, which
// decides by itself how it writes.
template <int Bytes>
[[gnu::always_inline]] static inline void
copyAll(std::int64_t count, float *a, const float *b, const float *) {
  using V = typename Vector<Bytes>::Type;
  for (std::int64_t i = 0; i < count; i += Vector<Bytes>::lanes) {
    *reinterpret_cast<V *>(a + i) = *reinterpret_cast<const V *>(b + i);
    asm volatile("");
  }
}

template <int Bytes>
[[gnu::always_inline]] static inline void
triadAll(std::int64_t count, float *a, const float *b, const float *c) {
  using V = typename Vector<Bytes>::Type;
  for (std::int64_t i = 0; i < count; i += Vector<Bytes>::lanes)
    *reinterpret_cast<V *>(a + i) = *reinterpret_cast<const V *>(b + i) +
                                    3.0f * *reinterpret_cast<const V *>(c + i);
}

// Chosen by hand instead of by target_clones, whose resolvers run before a
// sanitizer is up.
#define KEXPR_STREAM_LOOPS(Name, Bytes, Target)                                \
  Target static void read##Name(std::int64_t count, float *a, const float *b,  \
                                const float *c) {                              \
    readAll<Bytes>(count, a, b, c);                                            \
  }                                                                            \
  Target static void copy##Name(std::int64_t count, float *a, const float *b,  \
                                const float *c) {                              \
    copyAll<Bytes>(count, a, b, c);                                            \
  }                                                                            \
  Target static void triad##Name(std::int64_t count, float *a, const float *b, \
                                 const float *c) {                             \
    triadAll<Bytes>(count, a, b, c);                                           \
  }

KEXPR_STREAM_LOOPS(Portable, 16, )

#if defined(__x86_64__)
KEXPR_STREAM_LOOPS(Avx2, 32, [[gnu::target("avx2,fma")]])
KEXPR_STREAM_LOOPS(Avx512, 64, [[gnu::target("avx512f")]])

[[gnu::target("avx2,fma")]] static void
copyPastAvx2(std::int64_t count, float *a, const float *b, const float *) {
  for (std::int64_t i = 0; i < count; i += 8)
    _mm256_stream_ps(a + i, _mm256_load_ps(b + i));
  _mm_sfence();
}

[[gnu::target("avx2,fma")]] static void
triadPastAvx2(std::int64_t count, float *a, const float *b, const float *c) {
  const __m256 scale = _mm256_set1_ps(3);
  for (std::int64_t i = 0; i < count; i += 8)
    _mm256_stream_ps(a + i, _mm256_fmadd_ps(scale, _mm256_load_ps(c + i),
                                            _mm256_load_ps(b + i)));
  _mm_sfence();
}

[[gnu::target("avx512f")]] static void
copyPastAvx512(std::int64_t count, float *a, const float *b, const float *) {
  for (std::int64_t i = 0; i < count; i += 16)
    _mm512_stream_ps(a + i, _mm512_load_ps(b + i));
  _mm_sfence();
}

[[gnu::target("avx512f")]] static void
triadPastAvx512(std::int64_t count, float *a, const float *b, const float *c) {
  const __m512 scale = _mm512_set1_ps(3);
  for (std::int64_t i = 0; i < count; i += 16)
    _mm512_stream_ps(a + i, _mm512_fmadd_ps(scale, _mm512_load_ps(c + i),
                                            _mm512_load_ps(b + i)));
  _mm_sfence();
}
#endif

static StreamLoops choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {readAvx512, copyAvx512, triadAvx512, copyPastAvx512,
            triadPastAvx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {readAvx2, copyAvx2, triadAvx2, copyPastAvx2, triadPastAvx2};
#endif
  return {readPortable, copyPortable, triadPortable, nullptr, nullptr};
}

const StreamLoops &tools::streamLoops() {
  static const StreamLoops loops = choose();
  return loops;
}
