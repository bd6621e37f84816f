//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/FmaPeak.h"

#include "Bench/Team.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

/// Steps of one pass, each of which advances all chains.
static constexpr int steps = 20000;
/// At a latency of 4 or 5 cycles and two a cycle, 10 chains are the least.
static constexpr int chains = 12;

template <int Bytes> struct Chains {
  typedef float Type __attribute__((vector_size(Bytes)));
};

/// x = x * a + b tends to b / (1 - a) and stays a normal number. The file is
/// compiled so that this becomes one instruction where there is one.
template <int Bytes>
[[gnu::always_inline]] static inline float run(float start) {
  using V = typename Chains<Bytes>::Type;
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
  return sum[0];
}

using Peak = float (*)(float);

static float portable(float start) { return run<16>(start); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] static float avx2(float start) {
  return run<32>(start);
}
[[gnu::target("avx512f")]] static float avx512(float start) {
  return run<64>(start);
}
#endif

double tools::measureFmaPeak(unsigned threads, double seconds) {
  Peak peak = portable;
  int lanes = 4;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    peak = avx512, lanes = 16;
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    peak = avx2, lanes = 8;
#endif
  const auto work = [peak](unsigned) {
    volatile float used = peak(1);
    static_cast<void>(used);
  };
  const double once = std::max(timeTeam(threads, 1, work), 1e-9);
  const long passes = std::max(1L, static_cast<long>(seconds / once));
  double best = 0;
  for (int trial = 0; trial < 3; ++trial)
    best = std::max(best, double(passes) * steps * chains * lanes * threads /
                              timeTeam(threads, passes, work));
  return best;
}
