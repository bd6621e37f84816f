//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <new>
#include <thread>

using namespace kexpr;
using namespace kexpr::runtime;

using Made = Expected<std::shared_ptr<Loop>>;

static Made makeLoop() {
  const auto plan = *planOf(*Expression::parse("neg(@0)"));
  auto code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  return std::make_shared<Loop>(plan, std::move(code));
}

static Made refuse() { return Error(ErrorCode::CompileFailed, "no"); }

TEST(LoopTable, KeepsLoopsAsLongAsSomebodyHasThem) {
  LoopTable table;
  bool isNew = false;
  EXPECT_FALSE(table.find("a"));
  auto loop = *table.findOrMake("a", makeLoop, isNew);
  EXPECT_TRUE(isNew);
  EXPECT_EQ(table.find("a"), loop);
  EXPECT_EQ(*table.findOrMake("a", refuse, isNew), loop);
  EXPECT_FALSE(isNew);
  EXPECT_NE(*table.findOrMake("b", makeLoop, isNew), loop);
  EXPECT_TRUE(isNew);
  EXPECT_FALSE(table.find("b"));
  loop.reset();
  EXPECT_FALSE(table.find("a"));
}

TEST(LoopTable, DoesNotKeepErrors) {
  LoopTable table;
  bool isNew = false;
  EXPECT_FALSE(table.findOrMake("a", refuse, isNew));
  EXPECT_FALSE(table.find("a"));
  EXPECT_TRUE(table.findOrMake("a", makeLoop, isNew));
}

TEST(LoopTable, SurvivesWhatIsThrown) {
  LoopTable table;
  bool isNew = false;
  const auto fail = []() -> Made { throw std::bad_alloc(); };
  EXPECT_THROW((void)table.findOrMake("a", fail, isNew), std::bad_alloc);
  EXPECT_TRUE(table.findOrMake("a", makeLoop, isNew));
}

TEST(LoopTable, OneOfManyThreadsMakesALoop) {
  LoopTable table;
  std::atomic<int> made = 0, isNewCount = 0;
  std::latch start(32);
  std::vector<std::vector<LoopPtr>> held(32);
  std::vector<std::thread> threads;
  for (auto &own : held)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      for (int k = 0; k < 50; ++k) {
        bool isNew = false;
        own.push_back(*table.findOrMake(
            std::to_string(k), [&] { return ++made, makeLoop(); }, isNew));
        isNewCount += isNew;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 50);
  EXPECT_EQ(isNewCount, 50);
  for (const auto &own : held)
    EXPECT_EQ(own, held[0]);
}

TEST(LoopTable, WhereOneFailsTheNextTries) {
  LoopTable table;
  std::atomic<int> tries = 0, failed = 0;
  std::latch start(16);
  std::vector<std::thread> threads;
  LoopPtr loops[16];
  for (auto &loop : loops)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      bool isNew = false;
      const auto make = [&]() -> Made {
        const int number = ++tries;
        if (number == 3)
          throw std::bad_alloc();
        return number < 6 ? refuse() : makeLoop();
      };
      try {
        if (auto result = table.findOrMake("a", make, isNew))
          loop = *result;
        else
          ++failed;
      } catch (const std::bad_alloc &) {
        ++failed;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tries, 6);
  EXPECT_EQ(failed, 5);
  const auto loop = table.find("a");
  ASSERT_TRUE(loop);
  EXPECT_EQ(std::count(std::begin(loops), std::end(loops), loop), 11);
}

TEST(LoopTable, LoopsComeAndGoInManyThreads) {
  LoopTable table;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      LoopPtr last;
      for (unsigned i = 0; i < 1000; ++i) {
        const std::string key = std::to_string(i * (t + 1) % 200);
        bool isNew = false;
        auto loop = table.findOrMake(key, makeLoop, isNew);
        wrong += !loop || table.find(key) != *loop;
        last = *loop;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
