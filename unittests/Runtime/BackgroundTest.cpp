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
#include <vector>

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
