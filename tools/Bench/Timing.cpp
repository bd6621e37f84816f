//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Timing.h"

#include <barrier>
#include <thread>

using namespace kexpr;
using namespace kexpr::tools;

/// Seconds from the first start to the last end of some passes.
static double timeTeam(unsigned threads, long passes,
                       const std::function<void(unsigned)> &work) {
  using Clock = std::chrono::steady_clock;
  std::barrier start(static_cast<std::ptrdiff_t>(threads));
  std::vector<Clock::time_point> begins(threads), ends(threads);
  auto timed = [&](unsigned thread) {
    work(thread);
    start.arrive_and_wait();
    begins[thread] = Clock::now();
    for (long pass = 0; pass < passes; ++pass)
      work(thread);
    ends[thread] = Clock::now();
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(timed, thread);
  timed(0);
  others.clear();
  return std::chrono::duration<double>(
             *std::max_element(ends.begin(), ends.end()) -
             *std::min_element(begins.begin(), begins.end()))
      .count();
}

std::vector<double>
tools::timePasses(unsigned threads, int trials, double seconds,
                  const std::function<void(unsigned)> &work) {
  std::vector<double> times;
  double time = timeTeam(threads, 1, work);
  for (int trial = 0; trial < trials; ++trial) {
    // By the last trial: a single pass is a rough guess.
    const long passes =
        std::max(1L, static_cast<long>(seconds / std::max(time, 1e-9)));
    time = timeTeam(threads, passes, work) / static_cast<double>(passes);
    times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times;
}
