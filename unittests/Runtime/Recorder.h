//===- Runtime/Recorder.h - What ran, and on which threads ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_RUNTIME_RECORDER_H
#define KEXPR_UNITTESTS_RUNTIME_RECORDER_H

#include "Runtime/Executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace kexpr::runtime {

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

  std::int64_t count() const {
    return static_cast<std::int64_t>(covered.size());
  }

  std::vector<std::atomic<int>> covered;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  int tasks = 0;
  std::size_t wanted = 1;
};

inline void expectCoveredOnce(const Recorder &recorder) {
  for (const auto &times : recorder.covered)
    ASSERT_EQ(times, 1);
}

inline void runRecorded(Recorder &recorder, const Split &split) {
  EXPECT_TRUE(forRange(
      recorder.count(), split,
      [&](std::int64_t begin, std::int64_t end) { recorder.run(begin, end); }));
}

} // namespace kexpr::runtime

#endif // KEXPR_UNITTESTS_RUNTIME_RECORDER_H
