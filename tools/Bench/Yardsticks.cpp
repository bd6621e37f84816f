//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Yardsticks.h"

#include "Bench/Timing.h"

using namespace kexpr;
using namespace kexpr::tools;

const VectorLoops &tools::vectorLoops() {
#if defined(__x86_64__)
  // Chosen by hand instead of by target_clones, whose resolvers run before a
  // sanitizer is up.
  if (__builtin_cpu_supports("avx512f"))
    return vectorLoopsOf<64>();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return vectorLoopsOf<32>();
#endif
  return vectorLoopsOf<16>();
}

double tools::measureClockSpeed(double seconds) {
  constexpr int steps = 20000, chain = 32;
  const auto work = [](unsigned) {
    std::uint64_t sum = 0, summand = 1;
    // Unknown to the compiler, and in a register: some cores add what stands in
    // the instruction while they rename, in no time.
    asm volatile("" : "+r"(summand));
    for (int step = 0; step < steps; ++step)
#pragma GCC unroll 32
      for (int i = 0; i < chain; ++i) {
        sum += summand;
        asm volatile("" : "+r"(sum));
      }
  };
  return steps * chain / timePasses(1, 3, seconds, work).front();
}

double tools::measureFmaPeak(unsigned threads, double seconds) {
  const VectorLoops &loops = vectorLoops();
  const auto work = [&loops](unsigned) {
    volatile float used = loops.multiplyAdd(1);
    static_cast<void>(used);
  };
  return loops.multiplyAdds * threads /
         timePasses(threads, 3, seconds, work).front();
}
