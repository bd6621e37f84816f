//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Triad.h"

#include "Common/Array.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace kexpr;
using namespace kexpr::tools;

using TriadFn = void (*)(std::int64_t, float *, const float *, const float *);

[[gnu::always_inline]] static inline void body(std::int64_t count,
                                               float *__restrict a,
                                               const float *__restrict b,
                                               const float *__restrict c) {
  for (std::int64_t i = 0; i < count; ++i)
    a[i] = b[i] + 3.0f * c[i];
}

static void portable(std::int64_t count, float *a, const float *b,
                     const float *c) {
  body(count, a, b, c);
}

// Chosen by hand instead of by target_clones, whose resolvers run before a
// sanitizer is up.
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] static void avx2(std::int64_t count, float *a,
                                             const float *b, const float *c) {
  body(count, a, b, c);
}

[[gnu::target("avx512f,prefer-vector-width=512")]] static void
avx512(std::int64_t count, float *a, const float *b, const float *c) {
  body(count, a, b, c);
}

[[gnu::target("avx2,fma")]] static void
nonTemporal(std::int64_t count, float *a, const float *b, const float *c) {
  const __m256 scale = _mm256_set1_ps(3);
  std::int64_t i = 0;
  for (; i < count && reinterpret_cast<std::uintptr_t>(a + i) % 32 != 0; ++i)
    a[i] = b[i] + 3.0f * c[i];
  for (; i + 8 <= count; i += 8)
    _mm256_stream_ps(a + i, _mm256_fmadd_ps(scale, _mm256_loadu_ps(c + i),
                                            _mm256_loadu_ps(b + i)));
  for (; i < count; ++i)
    a[i] = b[i] + 3.0f * c[i];
  _mm_sfence();
}
#endif

/// The loops to try for a footprint, of those that this machine can run.
static std::vector<TriadFn> candidates(std::int64_t footprint) {
  std::vector<TriadFn> functions = {portable};
#if defined(__x86_64__)
  const bool hasAvx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (hasAvx2)
    functions = {__builtin_cpu_supports("avx512f") ? avx512 : avx2};
  // What fits a near cache is only slower when it is written past it.
  constexpr std::int64_t nearCaches = std::int64_t{4} << 20;
  if (hasAvx2 && footprint > nearCaches)
    functions.push_back(nonTemporal);
#endif
  return functions;
}

namespace {
using Clock = std::chrono::steady_clock;

/// Three arrays, and threads that go over a slice of them each.
class Triad {
public:
  Triad(Array a, Array b, Array c, unsigned threads)
      : arrays{std::move(a), std::move(b), std::move(c)}, threads(threads) {
    for (Array &array : arrays)
      std::fill_n(static_cast<float *>(array.data()), array.count(), 1.0f);
  }

  double bytesPerSecond(TriadFn function) {
    const std::int64_t bytes = 3 * static_cast<std::int64_t>(arrays[0].bytes());
    const std::int64_t passes =
        std::max<std::int64_t>(4, 2'000'000'000 / bytes);
    double best = 0;
    for (int trial = 0; trial < 3; ++trial)
      best = std::max(best, static_cast<double>(bytes * passes) /
                                seconds(function, passes));
    return best;
  }

private:
  double seconds(TriadFn function, std::int64_t passes) {
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    std::vector<Clock::time_point> begins(threads), ends(threads);
    auto work = [&](unsigned thread) {
      slice(function, thread);
      start.arrive_and_wait();
      begins[thread] = Clock::now();
      for (std::int64_t pass = 0; pass < passes; ++pass)
        slice(function, thread);
      ends[thread] = Clock::now();
    };
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < threads; ++thread)
      others.emplace_back(work, thread);
    work(0);
    others.clear();
    return std::chrono::duration<double>(
               *std::max_element(ends.begin(), ends.end()) -
               *std::min_element(begins.begin(), begins.end()))
        .count();
  }

  void slice(TriadFn function, unsigned thread) const {
    const std::int64_t count = arrays[0].count();
    const std::int64_t begin = count * thread / threads;
    const std::int64_t end = count * (thread + 1) / threads;
    function(end - begin, at(0) + begin, at(1) + begin, at(2) + begin);
  }

  float *at(int array) const {
    return static_cast<float *>(arrays[array].data());
  }

  Array arrays[3];
  unsigned threads;
};
} // namespace

static double measure(std::int64_t footprint, unsigned threads) {
  // Beyond this it is the same memory at the same speed.
  constexpr std::int64_t most = std::int64_t{768} << 20;
  const std::int64_t count =
      std::max<std::int64_t>(std::min(footprint, most) / 12, 16);
  auto a = Array::make(DType::F32, {count});
  auto b = Array::make(DType::F32, {count});
  auto c = Array::make(DType::F32, {count});
  if (!a || !b || !c)
    return 0;
  Triad triad(std::move(*a), std::move(*b), std::move(*c), threads);
  double best = 0;
  for (TriadFn function : candidates(footprint))
    best = std::max(best, triad.bytesPerSecond(function));
  return best;
}

double tools::triadBandwidth(std::int64_t footprint, unsigned threads) {
  static std::map<std::pair<std::int64_t, unsigned>, double> known;
  const auto [entry, isNew] = known.try_emplace({footprint, threads}, 0.0);
  if (isNew)
    entry->second = measure(footprint, threads);
  return entry->second;
}
