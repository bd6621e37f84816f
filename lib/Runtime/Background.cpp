//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Background.h"

#include "Runtime/EventLog.h"

#include <mutex>
#include <utility>
#include <vector>

#include <sched.h>

using namespace kexpr;
using namespace kexpr::runtime;

void Background::State::notify() {
  ++changes;
  changes.notify_all();
}

/// Whether a thread of this process runs a job. With the mutex held.
bool Background::State::isBusy() const {
  return running && runForks == forkCount();
}

/// Whether that is the calling thread. With the mutex held.
bool Background::State::isCallers() const {
  return isBusy() && runner == std::this_thread::get_id();
}

Background::~Background() {
  {
    std::lock_guard lock(state->mutex);
    state->isOver = true;
  }
  state->notify();
  for (;;) {
    const std::uint32_t seen = state->changes;
    {
      std::lock_guard lock(state->mutex);
      // A job itself may destroy the last reference to the engine.
      if (!state->isBusy() || state->isCallers())
        return;
    }
    state->changes.wait(seen);
  }
}

/// Moves jobs whose owners are gone to `gone`, once there are many: they are
/// destroyed without the lock.
static void sweep(auto &queue, auto &gone) {
  if (queue.tasks.size() < queue.sweepAt)
    return;
  // Nothing may throw half-way.
  gone.reserve(queue.tasks.size());
  std::erase_if(queue.tasks, [&gone](auto &waiting) {
    const bool isGone = waiting.isGone();
    if (isGone)
      gone.push_back(std::move(waiting.job));
    return isGone;
  });
  queue.sweepAt = 2 * queue.tasks.size() + 64;
}

void Background::addTask(bool isUrgent, Task task) {
  std::vector<std::shared_ptr<const Job>> gone;
  stayLoaded();
  {
    std::lock_guard lock(state->mutex);
    Queue &queue = isUrgent ? state->urgent : state->rest;
    sweep(queue, gone);
    queue.tasks.push_back(std::move(task));
    ensureThread();
  }
  state->notify();
}

/// Starts the thread if this process has none; false if it cannot. With the
/// mutex held.
bool Background::ensureThread() {
  const std::uint32_t now = forkCount();
  if (startedAt == now)
    return true;
  // A thread of the parent does not run its job in this process.
  if (state->running && !state->isBusy())
    state->urgent.tasks.emplace_front().job = std::move(state->running);
  startedAt.reset();
  auto *kept = new std::shared_ptr<State>(state);
  const auto main = [](void *given) {
    const std::unique_ptr<std::shared_ptr<State>> own(
        static_cast<std::shared_ptr<State> *>(given));
    (*own)->work();
  };
  Thread thread;
  if (!thread.start(main, kept)) {
    delete kept;
    return false;
  }
  thread.detach();
  startedAt = now;
  state->isPreparing = true;
  return true;
}

void Background::settle() {
  stayLoaded();
  for (;;) {
    const std::uint32_t seen = state->changes;
    bool isServed = false;
    {
      std::lock_guard lock(state->mutex);
      if (state->isCallers() ||
          (state->next().tasks.empty() && !state->running))
        return;
      // A thread that prepares may wait for a lock that the caller holds.
      isServed =
          ensureThread() && !(state->isPreparing && stackLeft() >= EnoughStack);
    }
    if (isServed || !state->runNext())
      state->changes.wait(seen);
  }
}

Background::Queue &Background::State::next() {
  return urgent.tasks.empty() ? rest : urgent;
}

/// Takes the next job; null if there is none.
std::shared_ptr<const Background::Job> Background::State::take() {
  std::lock_guard lock(mutex);
  auto &tasks = next().tasks;
  if (isOver || running || tasks.empty())
    return nullptr;
  runner = std::this_thread::get_id();
  runForks = forkCount();
  running = std::move(tasks.front().job);
  tasks.pop_front();
  return running;
}

bool Background::State::runNext() {
  auto job = take();
  if (!job)
    return false;
  {
    // Lines reach the host after the job.
    const EventLog::Deferral lines;
    (*job)();
    job = nullptr;
  }
  {
    std::lock_guard lock(mutex);
    job = std::move(running);
  }
  // Destroyed without the lock.
  job = nullptr;
  notify();
  return true;
}

/// Prepares the next job.
void Background::State::prepare() {
  Preparation preparation = nullptr;
  {
    std::lock_guard lock(mutex);
    const auto &tasks = next().tasks;
    if (!isOver && !running && !tasks.empty() && !tasks.front().isGone())
      preparation = tasks.front().prepare;
    isPreparing = preparation != nullptr;
  }
  if (!preparation)
    return;
  // A thread that settles with the loader's lock runs the jobs now.
  notify();
  preparation();
  std::lock_guard lock(mutex);
  isPreparing = false;
}

void Background::State::work() {
  // A thread that adds a job goes on with the tier it has; the job must not
  // take its core at once.
  const sched_param priority = {};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
  {
    // Makes the thread's queue of lines now: registering its destructor may
    // take the loader's lock.
    const EventLog::Deferral lines;
  }
  for (;;) {
    const std::uint32_t seen = changes;
    prepare();
    if (runNext())
      continue;
    {
      std::lock_guard lock(mutex);
      if (isOver)
        return;
    }
    changes.wait(seen);
  }
}
