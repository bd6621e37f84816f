//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Background.h"

#include <utility>

#include <pthread.h>
#include <sched.h>

using namespace kexpr::runtime;

Background::~Background() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void Background::add(bool isUrgent, Job job) {
  {
    std::lock_guard lock(mutex);
    (isUrgent ? urgent : rest).push_back(std::move(job));
    if (!thread.joinable())
      thread = std::thread([this] { work(); });
  }
  wake.notify_one();
}

void Background::settle() {
  std::unique_lock lock(mutex);
  idle.wait(lock, [this] { return urgent.empty() && rest.empty() && !isBusy; });
}

void Background::work() {
  // Whoever added a job goes on with what it has; the job must not take its
  // core the moment it comes.
  const sched_param priority = {};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock,
              [this] { return isOver || !urgent.empty() || !rest.empty(); });
    if (isOver)
      return;
    std::deque<Job> &queue = urgent.empty() ? rest : urgent;
    Job job = std::move(queue.front());
    queue.pop_front();
    isBusy = true;
    lock.unlock();
    job();
    job = nullptr; // what it holds goes without the lock
    lock.lock();
    isBusy = false;
    idle.notify_all();
  }
}
