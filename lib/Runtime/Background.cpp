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
  add(isUrgent, Task{.job = std::move(job), .isOwned = false, .owner = {}});
}

void Background::add(bool isUrgent, std::weak_ptr<const void> owner, Job job) {
  add(isUrgent,
      Task{.job = std::move(job), .isOwned = true, .owner = std::move(owner)});
}

void Background::add(bool isUrgent, Task task) {
  {
    std::lock_guard lock(mutex);
    Queue &queue = isUrgent ? urgent : rest;
    if (queue.tasks.size() >= queue.sweepAt) {
      std::erase_if(queue.tasks, [](const Task &waiting) {
        return waiting.isOwned && waiting.owner.expired();
      });
      queue.sweepAt = 2 * queue.tasks.size() + 64;
    }
    queue.tasks.push_back(std::move(task));
    if (!thread.joinable())
      thread = std::thread([this] { work(); });
  }
  wake.notify_one();
}

void Background::settle() {
  std::unique_lock lock(mutex);
  idle.wait(lock, [this] {
    return urgent.tasks.empty() && rest.tasks.empty() && !isBusy;
  });
}

void Background::work() {
  // Whoever added a job goes on with what it has; the job must not take its
  // core the moment it comes.
  const sched_param priority = {};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [this] {
      return isOver || !urgent.tasks.empty() || !rest.tasks.empty();
    });
    if (isOver)
      return;
    auto &queue = urgent.tasks.empty() ? rest.tasks : urgent.tasks;
    Job job = std::move(queue.front().job);
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
