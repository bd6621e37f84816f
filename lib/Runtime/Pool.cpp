//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Pool.h"

#include "Runtime/Hardware.h"
#include "Runtime/Scheduler.h"
#include "Support/Thread.h"

using namespace kexpr;
using namespace kexpr::runtime;

/// On the stack of its caller, who stays until all have left.
struct Pool::Call {
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

void Pool::run(unsigned threads, Team &team) {
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

/// Starts the helpers there are not yet. Called with the mutex held, and by
/// those who stay loaded.
void Pool::start() {
  // A child of fork has none of its parent's threads, nor their calls.
  if (forks != forkCount()) {
    forks = forkCount();
    started = others = 0;
    first = nullptr;
  }
  const auto main = [](void *pool) { static_cast<Pool *>(pool)->help(); };
  for (Thread thread; started < most && thread.start(main, this); ++started)
    thread.detach();
}

void Pool::wake() {
  posted.fetch_add(1);
  posted.notify_all();
}

/// Lets no helper enter any more, and waits for those inside.
void Pool::close(Call &call) {
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
Pool::Call *Pool::enter() {
  std::lock_guard lock(mutex);
  Call *call = first;
  while (call && !call->isOpen())
    call = call->next;
  if (call)
    ++call->helpers;
  return call;
}

void Pool::leave(Call &call) {
  {
    std::lock_guard lock(mutex);
    --call.helpers;
  }
  // The call may be over.
  left.fetch_add(1);
  left.notify_all();
}

/// Whether the crew wanted another.
bool Pool::serve() {
  Crew *served;
  std::chrono::microseconds time;
  {
    std::lock_guard lock(mutex);
    if (others == 0)
      return false;
    --others;
    served = crew;
    time = patience;
  }
  served->serve(time);
  return true;
}

void Pool::help() {
  for (;;) {
    const std::uint32_t seen = posted.load();
    if (Call *const call = enter()) {
      call->takeParts();
      leave(*call);
    } else if (!serve()) {
      posted.wait(seen);
    }
  }
}

void Pool::keepAwake(Crew &hiring, unsigned helpers,
                     std::chrono::microseconds time) {
  unsigned hired = 0;
  while (hiring.hire(helpers))
    ++hired;
  if (hired == 0)
    return;
  stayLoaded();
  {
    std::lock_guard lock(mutex);
    start();
    crew = &hiring;
    others += hired;
    patience = time;
  }
  wake();
}

static constinit Once<Pool> pool;

static Pool &poolOfProcess() {
  return pool.get([] { return Pool(threadCount() - 1); });
}

unsigned runtime::schedulerThreads() { return threadCount(); }

void runtime::runOnScheduler(unsigned threads, Team &team) {
  poolOfProcess().run(threads, team);
}

void runtime::keepAwake(unsigned helpers, std::chrono::microseconds patience) {
  poolOfProcess().keepAwake(Crew::ofProcess(), helpers, patience);
}
