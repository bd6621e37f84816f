//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"

#include "Runtime/Crew.h"

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

/// Helpers beside the calling thread that a call can use.
static unsigned usefulHelpers(std::int64_t count, std::int64_t grain,
                              unsigned threads) {
  const std::int64_t parts = count / (runtime::GrainsShared / 2 * grain);
  return static_cast<unsigned>(
      std::clamp<std::int64_t>(parts - 1, 0, threads - 1));
}

/// Whether waking a thread takes a good part of the time of the call.
static bool isMiddling(std::int64_t count, std::int64_t grain,
                       unsigned threads) {
  constexpr std::int64_t mostGrains = 256; // a millisecond of work
  return count / grain <= mostGrains * threads;
}

/// Has threads of the arena that the call is made in wait for the next one.
static void keepAwake(unsigned helpers, std::chrono::microseconds patience) {
  runtime::Crew &crew = runtime::Crew::ofProcess();
  tbb::task_arena here(tbb::task_arena::attach{});
  while (crew.hire(helpers))
    here.enqueue([&crew, patience] { crew.serve(patience); });
}

static void splitOrShare(std::int64_t count, const runtime::Split &plan,
                         unsigned threads, runtime::RangeFn work) {
  const unsigned helpers = usefulHelpers(count, plan.grain, threads);
  const bool stays = plan.stayAwake.count() > 0 && helpers > 0 &&
                     isMiddling(count, plan.grain, threads);
  const std::int64_t chunk =
      std::max(plan.grain / 2, count / (TasksPerThread * (helpers + 1))) + 1;
  if (stays && runtime::Crew::ofProcess().run(count, chunk, helpers, work))
    return;
  if (count <= plan.alone)
    work(0, count);
  else
    split(count, plan.grain, threads, work);
  if (stays)
    keepAwake(helpers, plan.stayAwake);
}

void runtime::forRange(std::int64_t count, const Split &plan, RangeFn work) {
  if (plan.maxThreads == 1 || count <= plan.grain)
    return work(0, count);
  const auto here =
      static_cast<unsigned>(tbb::this_task_arena::max_concurrency());
  if (here == 1)
    return work(0, count);
  if (plan.maxThreads == 0 || plan.maxThreads >= here)
    return splitOrShare(count, plan, here, work);
  // A limit below the arena's own needs an arena of that size.
  tbb::task_arena arena(static_cast<int>(plan.maxThreads));
  arena.execute([&] { splitOrShare(count, plan, plan.maxThreads, work); });
}
