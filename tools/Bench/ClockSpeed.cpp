//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/ClockSpeed.h"

#include "Bench/Team.h"

#include <algorithm>
#include <cstdint>

using namespace kexpr;
using namespace kexpr::tools;

/// Additions of a pass.
static constexpr int steps = 20000, chain = 32;

static void runChain() {
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
}

double tools::measureClockSpeed(double seconds) {
  const auto work = [](unsigned) { runChain(); };
  const double once = std::max(timeTeam(1, 1, work), 1e-9);
  const long passes = std::max(1L, static_cast<long>(seconds / once));
  double best = 0;
  for (int trial = 0; trial < 3; ++trial)
    best = std::max(best,
                    double(passes) * steps * chain / timeTeam(1, passes, work));
  return best;
}
