//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/SpinPool.h"
#include "Support/Fork.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

using namespace kexpr;
using namespace kexpr::runtime;

/// False in a child of fork, whose copy of oneTBB's tables lists threads that
/// only the parent has.
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

void runtime::keepSpinning(unsigned helpers,
                           std::chrono::microseconds patience) {
  SpinPool &pool = SpinPool::ofProcess();
  while (pool.reserve(helpers))
    try {
      tbb::task_arena(tbb::task_arena::attach{}).enqueue([&pool, patience] {
        pool.help(patience);
      });
    } catch (...) {
      // Gives the reservation back.
      return pool.help(std::chrono::microseconds(0));
    }
}
