//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/WorkerPool.h"

#include "Runtime/Hardware.h"
#include "Support/Thread.h"

using namespace kexpr;
using namespace kexpr::runtime;

/// A call, on the stack of its caller, who returns when all have left.
struct WorkerPool::Call {
  Team &team;
  const unsigned parts;
  std::atomic<unsigned> begun = 0;
  unsigned helpers = 0; ///< Inside; the pool's mutex guards it.
  Call *next = nullptr;

  bool isOpen() const { return begun.load() < parts; }
  void takeParts() {
    for (unsigned part; (part = begun.fetch_add(1)) < parts;)
      team.takePart(part);
  }
};

void WorkerPool::run(unsigned threads, Team &team) {
  Call call{.team = team, .parts = threads};
  stayLoaded();
  {
    std::lock_guard lock(mutex);
    start();
    call.next = first;
    first = &call;
  }
  wake();
  call.takeParts();
  close(call);
}

/// Starts the helpers that are missing. Called after `stayLoaded`, with the
/// mutex held.
void WorkerPool::start() {
  // A child of fork has none of its parent's threads, nor their calls.
  if (forks != forkCount()) {
    forks = forkCount();
    started = toSpin = 0;
    first = nullptr;
  }
  const auto main = [](void *pool) { static_cast<WorkerPool *>(pool)->help(); };
  for (Thread thread; started < most && thread.start(main, this); ++started)
    thread.detach();
}

void WorkerPool::wake() {
  posted.fetch_add(1);
  posted.notify_all();
}

/// Lets no helper enter any more, and waits for those inside.
void WorkerPool::close(Call &call) {
  for (;;) {
    const std::uint32_t seen = left.load();
    {
      std::lock_guard lock(mutex);
      for (Call **at = &first; *at; at = &(*at)->next)
        if (*at == &call) {
          *at = call.next;
          break;
        }
      if (call.helpers == 0)
        return;
    }
    left.wait(seen);
  }
}

/// A call with something left to begin; null if there is none.
WorkerPool::Call *WorkerPool::enter() {
  std::lock_guard lock(mutex);
  Call *call = first;
  while (call && !call->isOpen())
    call = call->next;
  if (call)
    ++call->helpers;
  return call;
}

void WorkerPool::leave(Call &call) {
  {
    std::lock_guard lock(mutex);
    --call.helpers;
  }
  // The call may be over.
  left.fetch_add(1);
  left.notify_all();
}

/// False, with nothing done, if no helper is to spin.
bool WorkerPool::spin() {
  SpinPool *pool;
  std::chrono::microseconds time;
  {
    std::lock_guard lock(mutex);
    if (toSpin == 0)
      return false;
    --toSpin;
    pool = spinners;
    time = patience;
  }
  pool->help(time);
  return true;
}

void WorkerPool::help() {
  for (;;) {
    const std::uint32_t seen = posted.load();
    if (Call *const call = enter()) {
      call->takeParts();
      leave(*call);
    } else if (!spin()) {
      posted.wait(seen);
    }
  }
}

void WorkerPool::keepSpinning(SpinPool &pool, unsigned helpers,
                              std::chrono::microseconds time) {
  unsigned reserved = 0;
  while (pool.reserve(helpers))
    ++reserved;
  if (reserved == 0)
    return;
  stayLoaded();
  {
    std::lock_guard lock(mutex);
    start();
    spinners = &pool;
    toSpin += reserved;
    patience = time;
  }
  wake();
}

static constinit Once<WorkerPool> workerPool;

static WorkerPool &poolOfProcess() {
  return workerPool.get([] { return WorkerPool(threadCount() - 1); });
}

unsigned runtime::schedulerThreads() { return threadCount(); }

void runtime::runOnScheduler(unsigned threads, Team &team) {
  poolOfProcess().run(threads, team);
}

void runtime::keepSpinning(unsigned helpers,
                           std::chrono::microseconds patience) {
  poolOfProcess().keepSpinning(SpinPool::ofProcess(), helpers, patience);
}
