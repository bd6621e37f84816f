//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

using namespace kexpr;

/// oneTBB's simple partitioner halves down to the grain, so the grain is what
/// bounds the number of tasks: a few for each thread keep the load even
/// without making tasks of no size.
static constexpr std::int64_t TasksPerThread = 4;

static void split(std::int64_t count, std::int64_t grain, unsigned threads,
                  const runtime::RangeFn &work) {
  const std::int64_t even = count / (TasksPerThread * threads) + 1;
  const tbb::blocked_range<std::int64_t> all(0, count, std::max(grain, even));
  tbb::parallel_for(
      all,
      [&work](const tbb::blocked_range<std::int64_t> &range) {
        work(range.begin(), range.end());
      },
      tbb::simple_partitioner());
}

void runtime::forRange(std::int64_t count, const Split &plan, RangeFn work) {
  if (plan.maxThreads == 1 || count <= plan.grain)
    return work(0, count);
  const auto here =
      static_cast<unsigned>(tbb::this_task_arena::max_concurrency());
  if (here == 1)
    return work(0, count);
  if (plan.maxThreads == 0 || plan.maxThreads >= here)
    return split(count, plan.grain, here, work);
  // A limit below the arena's own needs an arena of that size.
  tbb::task_arena arena(static_cast<int>(plan.maxThreads));
  arena.execute([&] { split(count, plan.grain, plan.maxThreads, work); });
}
