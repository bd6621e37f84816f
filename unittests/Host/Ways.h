//===- Host/Ways.h - Executors of hosts -----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_WAYS_H
#define KEXPR_UNITTESTS_HOST_WAYS_H

#include "kexpr/Executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <ostream>
#include <thread>
#include <vector>

namespace kexpr::test {

/// One way of a host's to do the tasks of a call.
struct Way {
  const char *name;
  void (*run)(std::int64_t count, Executor::Tasks tasks, void *call);
};
inline void PrintTo(const Way &way, std::ostream *out) { *out << way.name; }

/// An executor that goes a way and counts its calls.
class Host {
public:
  explicit Host(const Way &way, unsigned threads = 4)
      : way(way), threads(threads) {}

  operator Executor() {
    const auto run = [](void *context, std::int64_t count,
                        Executor::Tasks tasks, void *call) {
      Host &host = *static_cast<Host *>(context);
      ++host.calls;
      host.way.run(count, tasks, call);
    };
    return {run, this, threads};
  }

  std::atomic<int> calls = 0;

private:
  Way way;
  unsigned threads;
};

/// Threads that take work from a queue, for ever.
class WorkQueue {
public:
  explicit WorkQueue(int threads) {
    for (int i = 0; i < threads; ++i)
      std::thread([this] { serve(); }).detach();
  }
  void add(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex);
      queue.push_back(std::move(work));
    }
    ready.notify_one();
  }

private:
  void serve() {
    for (;;) {
      std::unique_lock lock(mutex);
      ready.wait(lock, [this] { return !queue.empty(); });
      const std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> queue;
};

/// Calls `tasks` with each of `count` tasks on a thread of its own.
inline void onFreshThreads(std::int64_t count, Executor::Tasks tasks,
                           void *call) {
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < count; ++i)
    threads.emplace_back([=] { tasks(i, i + 1, call); });
  for (std::thread &thread : threads)
    thread.join();
}

inline void onPool(std::int64_t count, Executor::Tasks tasks, void *call) {
  static WorkQueue &pool = *new WorkQueue(3);
  const auto done = std::make_shared<std::latch>(count);
  for (std::int64_t i = 0; i < count; ++i)
    pool.add([=] {
      tasks(i, i + 1, call);
      done->count_down();
    });
  done->wait();
}

inline void inReverse(std::int64_t count, Executor::Tasks tasks, void *call) {
  for (std::int64_t i = count; i-- > 0;)
    tasks(i, i + 1, call);
}

/// Ways that keep the contract.
inline constexpr Way GoodWays[] = {
    {"one range", [](std::int64_t count, Executor::Tasks tasks,
                     void *call) { tasks(0, count, call); }},
    {"one by one",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       for (std::int64_t i = 0; i < count; ++i)
         tasks(i, i + 1, call);
     }},
    {"in reverse", inReverse},
    {"empty ranges between",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       for (std::int64_t i = 0; i <= count; ++i) {
         tasks(i, i, call);
         tasks(i, std::min(i + 1, count), call);
       }
     }},
    {"fresh threads", onFreshThreads},
    {"a pool", onPool},
    {"another thread alone",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       std::thread([=] { tasks(0, count, call); }).join();
     }},
    {"two threads, the caller among them",
     [](std::int64_t count, Executor::Tasks tasks, void *call) {
       std::thread half([=] { tasks(count / 2, count, call); });
       tasks(0, count / 2, call);
       half.join();
     }},
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_WAYS_H
