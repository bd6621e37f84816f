//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"

#include "Runtime/Hardware.h"
#include "Runtime/SpinPool.h"
#include "Support/Fork.h"
#include "Support/Guarded.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;

/// Ranges for each thread, so that load is balanced.
static constexpr std::int64_t RangesPerThread = 4;

/// The longest range where the host may end the call.
static std::int64_t rangeAsked(const Split &split) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (split.asked > 0)
    return split.asked;
  return split.grain > most / GrainsAsked ? most : split.grain * GrainsAsked;
}

static Error endedByHost() {
  return {ErrorCode::InvalidArgument, "the host ended the call"};
}

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
    const std::int64_t most = split.interrupt.ask ? rangeAsked(split) : count;
    return std::min(most,
                    std::max(least, count / (RangesPerThread * each) + 1));
  }
  /// Whether the call is so short that waking a thread takes a good part of it.
  bool isShort() const {
    constexpr std::int64_t mostGrains = 256; // a millisecond of work
    return count / split.grain <= mostGrains * threads;
  }
};
} // namespace

namespace {
/// The teams of calls on threads of hosts. They are never destroyed, so that a
/// thread may come too late.
class Teams {
public:
  Team &borrow() {
    {
      std::lock_guard lock(mutex);
      if (free)
        return *std::exchange(free, free->nextFree);
    }
    return *new Team;
  }
  void giveBack(Team &team) {
    std::lock_guard lock(mutex);
    team.nextFree = free;
    free = &team;
  }

private:
  Mutex mutex;
  Team *free = nullptr;
};
} // namespace

static constinit Once<Teams> teams;

/// The function that the host calls, with any numbers.
static void doTasks(std::int64_t begin, std::int64_t end, void *call) {
  Team &team = *static_cast<Team *>(call);
  if (!team.enter())
    return;
  for (unsigned done = 0; begin < end && done < Team::MostShares; ++done)
    team.takePart(static_cast<std::uint64_t>(begin++));
  team.leave();
}

static Status runHost(const Executor &host, unsigned threads, Team &team) {
  const Uncancelled whole;
  try {
    host.run(host.context, threads, doTasks, &team);
    return {};
  } catch (const std::exception &exception) {
    return Error(ErrorCode::InvalidArgument,
                 std::string("the executor threw: ") + exception.what());
  } catch (...) {
    return Error(ErrorCode::InvalidArgument, "the executor threw");
  }
}

static Status runAlone(const Split &split, std::int64_t count, PartFn part) {
  Ranges all(count, rangeAsked(split), split.interrupt);
  part(all);
  return all.isEnded() ? Status(endedByHost()) : Status();
}

/// Runs `part` over [0, count) as `threads` tasks of the host's executor, in
/// ranges of at most `chunk`. What the executor does wrong is an error, and
/// nothing that it does later touches memory of the call.
static Status runOnHost(const Split &split, unsigned threads,
                        std::int64_t count, std::int64_t chunk, PartFn part) {
  Team *const borrowed = guardedOr<Team *>(
      nullptr, [] { return &teams.get([] { return Teams(); }).borrow(); });
  if (!borrowed)
    return runAlone(split, count, part);
  Team &team = *borrowed;
  team.open(count, chunk, threads, part, split.interrupt);
  Status status;
  const auto run = [&] { status = runHost(split.host, threads, team); };
  split.floats ? split.floats->restoreFor(run) : run();
  team.close();
  if (status && team.lackedMemory())
    team.takePart(0);
  if (team.isEnded())
    status = endedByHost();
  else if (status && !team.isDone())
    status = Error(ErrorCode::InvalidArgument,
                   "the executor returned before its tasks were done");
  teams.find()->giveBack(team);
  return status;
}

/// A scheduler throws where it has no memory for further tasks. The call goes
/// on without their threads.
template <class F> static void ifThereIsMemory(F schedule) {
  guardedOr(0, [&] { return schedule(), 0; });
}

/// Runs a call on spinning threads if it is short, else on the scheduler's.
static Status runHere(const Shared &call) {
  const Split &split = call.split;
  const unsigned helpers = call.threadsFor(GrainsShared / 2) - 1;
  const bool stays =
      split.stayAwake.count() > 0 && helpers > 0 && call.isShort();
  if (stays) {
    Team team(call.count, call.chunkFor(helpers + 1, split.grain / 2 + 1),
              helpers + 1, call.part, split.interrupt);
    if (guardedOr(false,
                  [&] { return SpinPool::ofProcess().run(team, helpers); }))
      return team.isEnded() ? Status(endedByHost()) : Status();
  }
  const unsigned threads = call.count <= split.alone ? 1 : call.threadsFor(1);
  Team team(call.count, call.chunkFor(threads, split.grain), threads, call.part,
            split.interrupt);
  if (threads > 1)
    ifThereIsMemory([&] { runOnScheduler(threads, team); });
  if (!team.isDone())
    team.takePart(0);
  if (stays)
    ifThereIsMemory([&] { keepSpinning(helpers, split.stayAwake); });
  return team.isEnded() ? Status(endedByHost()) : Status();
}

unsigned runtime::threadsOf(const Split &split) {
  if (split.maxThreads == 1)
    return 1;
  unsigned threads = split.host.threads;
  if (!split.host.run) {
    threads = guardedOr(1u, schedulerThreads);
    if (split.maxThreads == 0)
      threads = std::min(threads, guardedOr(1u, [] { return threadLimit(); }));
  } else if (threads == 0) {
    threads = guardedOr(1u, threadCount);
  }
  return split.maxThreads ? std::min(split.maxThreads, threads) : threads;
}

Status runtime::forRange(std::int64_t count, const Split &split, PartFn part) {
  const auto alone = [&] { return runAlone(split, count, part); };
  if (count <= split.grain)
    return alone();
  const unsigned threads = threadsOf(split);
  if (threads == 1)
    return alone();
  const Shared call{count, split, threads, part};
  if (!split.host.run)
    return runHere(call);
  const unsigned taking = call.threadsFor(GrainsShared / 2);
  return taking == 1 ? alone()
                     : runOnHost(split, taking, count,
                                 call.chunkFor(taking, split.grain), part);
}
