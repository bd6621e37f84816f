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

void Background::State::tell() {
  ++changes;
  changes.notify_all();
}

/// Whether a thread of this process does the job at hand. Called with the mutex
/// held, as the next one is.
bool Background::State::isBusy() const {
  return atHand && takenAt == forkCount();
}

/// Whether that is the calling thread.
bool Background::State::isOfCaller() const {
  return isBusy() && doing == std::this_thread::get_id();
}

Background::~Background() {
  {
    std::lock_guard lock(state->mutex);
    state->isOver = true;
  }
  state->tell();
  // The thread may outlive this, but for the job.
  for (;;) {
    const std::uint32_t seen = state->changes;
    {
      std::lock_guard lock(state->mutex);
      // The last who has the engine may be what a job calls.
      if (!state->isBusy() || state->isOfCaller())
        return;
    }
    state->changes.wait(seen);
  }
}

void Background::add(bool isUrgent, Job job, First first) {
  add(isUrgent,
      Task{.job = std::make_shared<const Job>(std::move(job)), .first = first});
}

void Background::add(bool isUrgent, std::weak_ptr<const void> owner, Job job,
                     First first) {
  add(isUrgent, Task{.job = std::make_shared<const Job>(std::move(job)),
                     .first = first,
                     .isOwned = true,
                     .owner = std::move(owner)});
}

/// Drops jobs whose owners are gone, once there are many. They go when nobody
/// holds the lock.
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

void Background::add(bool isUrgent, Task task) {
  std::vector<std::shared_ptr<const Job>> gone;
  stayLoaded();
  {
    std::lock_guard lock(state->mutex);
    Queue &queue = isUrgent ? state->urgent : state->rest;
    sweep(queue, gone);
    queue.tasks.push_back(std::move(task));
    hasThread();
  }
  state->tell();
}

bool Background::isIdle() const {
  return state->urgent.tasks.empty() && state->rest.tasks.empty() &&
         !state->atHand;
}

/// Starts the thread if there is none in this process. Called with the mutex
/// held.
bool Background::hasThread() {
  const std::uint32_t now = forkCount();
  if (startedAt == now)
    return true;
  // What a thread of the parent does is not done here.
  if (state->atHand && !state->isBusy())
    state->urgent.tasks.emplace_front().job = std::move(state->atHand);
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
  state->isAway = true;
  return true;
}

void Background::settle() {
  stayLoaded();
  for (;;) {
    const std::uint32_t seen = state->changes;
    bool isServed = false;
    {
      std::lock_guard lock(state->mutex);
      if (state->isOfCaller() || isIdle())
        return;
      // What a thread that is away waits for may be the caller.
      isServed = hasThread() && !(state->isAway && stackLeft() >= EnoughStack);
    }
    if (isServed || !state->doOne())
      state->changes.wait(seen);
  }
}

Background::Queue &Background::State::next() {
  return urgent.tasks.empty() ? rest : urgent;
}

/// The next job, which is then at hand; null if there is none.
std::shared_ptr<const Background::Job> Background::State::take() {
  std::lock_guard lock(mutex);
  auto &tasks = next().tasks;
  if (isOver || atHand || tasks.empty())
    return nullptr;
  doing = std::this_thread::get_id();
  takenAt = forkCount();
  atHand = std::move(tasks.front().job);
  tasks.pop_front();
  return atHand;
}

bool Background::State::doOne() {
  auto job = take();
  if (!job)
    return false;
  {
    // Lines go to the host behind the job, so that it may do anything.
    const EventLog::Deferral lines;
    (*job)();
    job = nullptr;
  }
  {
    std::lock_guard lock(mutex);
    job = std::move(atHand);
  }
  // What it holds goes without the lock.
  job = nullptr;
  tell();
  return true;
}

/// Does what the next job wants to be done first.
void Background::State::prepare() {
  First first = nullptr;
  {
    std::lock_guard lock(mutex);
    const auto &tasks = next().tasks;
    if (!isOver && !atHand && !tasks.empty() && !tasks.front().isGone())
      first = tasks.front().first;
    isAway = first != nullptr;
  }
  if (!first)
    return;
  // Who settles with the loader's lock in hand does the jobs now.
  tell();
  first();
  std::lock_guard lock(mutex);
  isAway = false;
}

void Background::State::work() {
  // Whoever added a job goes on with what it has; the job must not take its
  // core the moment it comes.
  const sched_param priority = {};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
  {
    // The loader is told of what a thread destroys at its end.
    const EventLog::Deferral lines;
  }
  for (;;) {
    const std::uint32_t seen = changes;
    prepare();
    if (doOne())
      continue;
    {
      std::lock_guard lock(mutex);
      if (isOver)
        return;
    }
    changes.wait(seen);
  }
}
