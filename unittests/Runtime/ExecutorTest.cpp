//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace kexpr::runtime;

namespace {
/// Records which ranges ran, and on which threads.
class Recorder {
public:
  explicit Recorder(std::int64_t count) : covered(count) {}

  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      ++covered[i];
    std::unique_lock lock(mutex);
    ++tasks;
    threads.insert(std::this_thread::get_id());
    changed.notify_all();
    // The first task waits for company, so that a fast machine cannot finish
    // on one thread before another wakes up.
    if (wanted > threads.size())
      changed.wait_for(lock, std::chrono::seconds(20),
                       [&] { return threads.size() >= wanted; });
  }

  std::vector<std::atomic<int>> covered;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  int tasks = 0;
  std::size_t wanted = 1;
};
} // namespace

static void expectCoveredOnce(const Recorder &recorder) {
  for (const auto &times : recorder.covered)
    ASSERT_EQ(times, 1);
}

static void runRecorded(Recorder &recorder, const Split &split) {
  forRange(
      static_cast<std::int64_t>(recorder.covered.size()), split,
      [&](std::int64_t begin, std::int64_t end) { recorder.run(begin, end); });
}

TEST(Executor, SplitsOverThreadsAndCoversEveryElementOnce) {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  for (std::int64_t count : {8 * 1024, 128 * 1024}) {
    Recorder recorder(count);
    recorder.wanted = 2;
    arena.execute([&] { runRecorded(recorder, {.grain = 256}); });
    expectCoveredOnce(recorder);
    EXPECT_GE(recorder.tasks, 2);
    EXPECT_GE(recorder.threads.size(), 2u);
  }
}

TEST(Executor, SmallOrSerialWorkStaysOnTheCaller) {
  for (auto [count, split] :
       {std::pair{100, Split{.grain = 100}}, std::pair{100000, Split{1, 1}}}) {
    Recorder recorder(count);
    runRecorded(recorder, split);
    expectCoveredOnce(recorder);
    EXPECT_EQ(recorder.tasks, 1);
    EXPECT_EQ(*recorder.threads.begin(), std::this_thread::get_id());
  }
}

TEST(Executor, RunsInTheCallersArena) {
  tbb::task_arena arena(1);
  Recorder recorder(100000);
  arena.execute([&] { runRecorded(recorder, {.grain = 10}); });
  expectCoveredOnce(recorder);
  EXPECT_EQ(recorder.threads.size(), 1u);
}

TEST(Executor, KeepsToAThreadLimit) {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  arena.execute([] {
    for (int round = 0; round < 20; ++round) {
      Recorder recorder(4096);
      runRecorded(recorder, {.grain = 16, .maxThreads = 2});
      expectCoveredOnce(recorder);
      EXPECT_LE(recorder.threads.size(), 2u);
    }
  });
}

TEST(Executor, NestedAndConcurrentCallersFinish) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total = 0;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&total] {
      forRange(64, {.grain = 1},
               [&total](std::int64_t begin, std::int64_t end) {
                 forRange((end - begin) * 100, {.grain = 10},
                          [&total](std::int64_t b, std::int64_t e) {
                            total += e - b;
                          });
               });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 64 * 100);
}
