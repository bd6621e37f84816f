//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using kexpr::runtime::Background;

TEST(Background, DoesUrgentJobsFirst) {
  std::promise<void> gate;
  std::vector<int> order;
  Background background;
  background.add(true, [&] { gate.get_future().wait(); });
  for (int i = 0; i < 3; ++i) {
    background.add(false, [&order, i] { order.push_back(10 + i); });
    background.add(true, [&order, i] { order.push_back(i); });
  }
  gate.set_value();
  background.settle();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10, 11, 12}));
}

TEST(Background, SettlesWhenThereIsNothing) {
  Background background;
  background.settle();
}

TEST(Background, DropsJobsWhoseOwnersAreGone) {
  std::promise<void> started, gate;
  Background background;
  background.add(true, [&] {
    started.set_value();
    gate.get_future().wait();
  });
  started.get_future().wait();
  const auto token = std::make_shared<int>();
  const auto kept = std::make_shared<int>();
  std::atomic<int> done = 0;
  for (int i = 0; i < 1000; ++i) {
    background.add(false, std::make_shared<int>(), [token, &done] { ++done; });
    background.add(true, std::make_shared<int>(), [token, &done] { ++done; });
    if (i % 100 == 0)
      background.add(i % 200 == 0, kept, [&done] { done += 10000; });
    EXPECT_LT(token.use_count(), 300);
  }
  gate.set_value();
  background.settle();
  EXPECT_EQ(done / 10000, 10);
  EXPECT_LT(done % 10000, 300);
}

TEST(Background, DropsJobsAtItsEnd) {
  std::promise<void> started, gate;
  int done = 0;
  std::thread opener;
  {
    Background background;
    background.add(true, [&] {
      started.set_value();
      gate.get_future().wait();
      ++done;
    });
    background.add(true, [&done] { done += 100; });
    started.get_future().wait();
    opener = std::thread([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gate.set_value();
    });
  }
  opener.join();
  EXPECT_EQ(done, 1);
}

TEST(Background, AThreadOfAChildIsNotTakenForOneOfItsParent) {
  static std::atomic<bool> mayEnd, isRunning;
  static std::atomic<int> done;
  mayEnd = isRunning = false;
  done = 0;
  Background background;
  background.add(true, [] {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
    ++done;
  });
  while (!isRunning)
    std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    mayEnd = true;
    // It mostly has the stack, and so the number, of the thread that is gone.
    std::thread([&background] { background.settle(); }).join();
    _exit(done == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  mayEnd = true;
  background.settle();
  EXPECT_EQ(done, 1);
}

TEST(Background, DoesWhatAJobWantsFirst) {
  static std::atomic<int> first;
  first = 0;
  Background background;
  std::promise<void> isDone;
  background.add(
      true,
      [&] {
        EXPECT_EQ(first, 1);
        isDone.set_value();
      },
      [] { ++first; });
  isDone.get_future().wait();
}

namespace {
/// What a thread does before a job, for as long as a test wants.
struct Delay {
  static inline std::atomic<bool> hasBegun, mayEnd, hasEnded;

  Delay() { hasBegun = mayEnd = hasEnded = false; }
  ~Delay() {
    mayEnd = true;
    while (!hasEnded)
      std::this_thread::yield();
  }
  static void wait() {
    hasBegun = true;
    while (!mayEnd)
      std::this_thread::yield();
    hasEnded = true;
  }
  static void awaitBeginning() {
    while (!hasBegun)
      std::this_thread::yield();
  }
};
} // namespace

TEST(Background, EndsWhileTheThreadMakesReadyForAJob) {
  const Delay delay;
  std::atomic<int> done = 0;
  {
    Background background;
    background.add(
        true, [&done] { ++done; }, Delay::wait);
    Delay::awaitBeginning();
  }
  EXPECT_EQ(done, 0);
}

TEST(Background, SettlesWhileTheThreadMakesReadyForAJob) {
  const Delay delay;
  std::atomic<int> done = 0;
  Background background;
  background.add(
      true, [&done] { ++done; }, Delay::wait);
  Delay::awaitBeginning();
  background.add(false, [&done] { ++done; });
  background.settle();
  EXPECT_EQ(done, 2);
}
