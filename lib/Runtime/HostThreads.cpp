//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/HostThreads.h"

#include "Runtime/Hardware.h"
#include "Support/Fork.h"
#include "Support/Guarded.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// Teams outlive their calls, for threads that come too late.
class Teams {
public:
  Team &borrow() {
    {
      std::lock_guard lock(mutex);
      if (Team *team = free) {
        free = team->nextFree;
        return *team;
      }
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

/// What the host is given to call. Numbers may be any.
static void doTasks(std::int64_t begin, std::int64_t end, void *call) {
  Team &team = *static_cast<Team *>(call);
  if (!team.enter())
    return;
  for (unsigned done = 0; begin < end && done < Team::MostShares; ++done)
    team.takePart(static_cast<std::uint64_t>(begin++));
  team.leave();
}

unsigned runtime::threadsOf(const Executor &host) {
  return host.threads ? host.threads : guardedOr(1u, threadCount);
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

Status runtime::runOnHost(const Split &split, unsigned threads,
                          std::int64_t count, std::int64_t chunk, PartFn part) {
  Team *const borrowed = guardedOr<Team *>(
      nullptr, [] { return &teams.get([] { return Teams(); }).borrow(); });
  if (!borrowed) {
    Ranges all(count);
    part(all);
    return {};
  }
  Team &team = *borrowed;
  team.open(count, chunk, threads, part);
  Status status;
  const auto run = [&] { status = runHost(split.host, threads, team); };
  split.floats ? split.floats->restoreFor(run) : run();
  team.close();
  if (status && team.lackedMemory())
    team.takePart(0);
  if (status && !team.isDone())
    status = Error(ErrorCode::InvalidArgument,
                   "the executor returned before its tasks were done");
  teams.find()->giveBack(team);
  return status;
}
