//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"

#include "Runtime/Crew.h"
#include "Runtime/HostThreads.h"
#include "Runtime/Scheduler.h"
#include "Support/Guarded.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

/// Ranges for each thread: few keep the load even.
static constexpr std::int64_t RangesPerThread = 4;

namespace {
/// A call and the threads that take part in it.
struct Shared {
  std::int64_t count;
  const Split &split;
  unsigned threads; ///< At most, the caller among them.
  PartFn part;

  /// Threads that have `grains` to do each, at least one.
  unsigned threadsFor(std::int64_t grains) const {
    return static_cast<unsigned>(
        std::clamp<std::int64_t>(count / (grains * split.grain), 1, threads));
  }
  std::int64_t chunkFor(unsigned each, std::int64_t least) const {
    return std::max(least, count / (RangesPerThread * each) + 1);
  }
  /// Whether waking a thread takes a good part of the time of the call.
  bool isMiddling() const {
    constexpr std::int64_t mostGrains = 256; // a millisecond of work
    return count / split.grain <= mostGrains * threads;
  }
};
} // namespace

/// Schedulers throw where they have no memory for tasks, after those there are.
/// Calls need no other thread.
template <class F> static void ifThereIsMemory(F schedule) {
  guardedOr(0, [&] { return schedule(), 0; });
}

/// Small calls go to threads that are awake, larger ones to the scheduler.
static void splitOrShare(const Shared &call) {
  const Split &split = call.split;
  const unsigned helpers = call.threadsFor(GrainsShared / 2) - 1;
  const bool stays =
      split.stayAwake.count() > 0 && helpers > 0 && call.isMiddling();
  if (stays) {
    Team team(call.count, call.chunkFor(helpers + 1, split.grain / 2 + 1),
              helpers + 1, call.part);
    if (guardedOr(false, [&] { return Crew::ofProcess().run(team, helpers); }))
      return;
  }
  const unsigned threads = call.count <= split.alone ? 1 : call.threadsFor(1);
  Team team(call.count, call.chunkFor(threads, split.grain), threads,
            call.part);
  if (threads > 1)
    ifThereIsMemory([&] { runOnScheduler(threads, team); });
  if (!team.isDone())
    team.takePart(0);
  if (stays)
    ifThereIsMemory([&] { keepAwake(helpers, split.stayAwake); });
}

Status runtime::forRange(std::int64_t count, const Split &split, PartFn part) {
  const auto alone = [&]() -> Status {
    Ranges all(count);
    part(all);
    return {};
  };
  if (split.maxThreads == 1 || count <= split.grain)
    return alone();
  const auto limited = [&split](unsigned threads) {
    return split.maxThreads ? std::min(split.maxThreads, threads) : threads;
  };
  if (split.host.run) {
    const Shared call{count, split, limited(threadsOf(split.host)), part};
    const unsigned threads = call.threadsFor(GrainsShared / 2);
    return threads == 1 ? alone()
                        : runOnHost(split, threads, count,
                                    call.chunkFor(threads, split.grain), part);
  }
  const unsigned here = guardedOr(1u, schedulerThreads);
  if (here == 1)
    return alone();
  splitOrShare({count, split, limited(here), part});
  return {};
}
