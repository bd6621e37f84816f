//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Team.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

using namespace kexpr;

double tools::timeTeam(unsigned threads, long passes,
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
