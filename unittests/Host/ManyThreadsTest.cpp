//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"

#include <ctime>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

TEST(Helpers, SleepBetweenCalls) {
  EXPECT_EQ(RunOptions().stayAwake.count(), 0);
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(works(engine, 2, Mode::Optimized, 1000000));
    // A scheduler's threads look for work for some milliseconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 20) << "of CPU";
  }));
}

TEST(Threads, TwoHundredCallAtOnce) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    std::vector<std::thread> threads;
    for (int i = 0; i < 200; ++i)
      threads.emplace_back([&engine, i] {
        RunOptions options;
        options.stayAwake = std::chrono::microseconds(i % 2 * 2000);
        options.maxThreads = static_cast<unsigned>(i % 4);
        for (int round = 0; round < 3; ++round)
          EXPECT_TRUE(
              works(engine, 2 + i % 5, Mode::Optimized, 60000, options));
      });
    for (std::thread &thread : threads)
      thread.join();
  }));
}
