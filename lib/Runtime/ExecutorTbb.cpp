//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Crew.h"
#include "Runtime/Scheduler.h"
#include "Support/Fork.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

using namespace kexpr;
using namespace kexpr::runtime;

/// A child of fork has none of the scheduler's threads, which its tables are
/// full of.
static bool hasScheduler() {
  static std::atomic<std::uint64_t> used = 0;
  const std::uint64_t here = std::uint64_t{forkCount()} + 1;
  std::uint64_t first = 0;
  return used.compare_exchange_strong(first, here) || first == here;
}

unsigned runtime::schedulerThreads() {
  const int here = tbb::this_task_arena::max_concurrency();
  return here > 1 && hasScheduler() ? static_cast<unsigned>(here) : 1;
}

void runtime::runOnScheduler(unsigned threads, Team &team) {
  tbb::this_task_arena::isolate([&] {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(
        tbb::blocked_range<unsigned>(0, threads),
        [&team](const tbb::blocked_range<unsigned> &shares) {
          team.takePart(shares.begin());
        },
        tbb::simple_partitioner(), context);
  });
}

void runtime::keepAwake(unsigned helpers, std::chrono::microseconds patience) {
  Crew &crew = Crew::ofProcess();
  while (crew.hire(helpers))
    try {
      tbb::task_arena(tbb::task_arena::attach{}).enqueue([&crew, patience] {
        crew.serve(patience);
      });
    } catch (...) {
      // Without memory for it the calling thread takes its place, and leaves.
      return crew.serve(std::chrono::microseconds(0));
    }
}
