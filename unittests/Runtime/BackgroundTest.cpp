//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Background.h"

#include <gtest/gtest.h>

#include <future>
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
