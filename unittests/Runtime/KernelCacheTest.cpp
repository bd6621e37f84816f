//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"
#include "Runtime/Pipeline.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace kexpr;
using namespace kexpr::runtime;

static KernelPtr interpreted(std::string_view text) {
  static const auto compiler =
      std::make_shared<const Compiler>(EngineOptions());
  return *makeKernel(compiler, *Expression::parse(text),
                     {.mode = Mode::Interpret});
}

TEST(KernelCache, RemembersEverySpelling) {
  KernelCache cache({.kernels = 10});
  auto make = [] { return Expected<KernelPtr>(interpreted("add(@0,1.0)")); };
  EXPECT_FALSE(cache.find("add(@0, 1.0)"));
  auto made = cache.findOrMake("add(@0,1.0)", "add(@0, 1.0)", make);
  ASSERT_TRUE(made);
  EXPECT_EQ(cache.find("add(@0, 1.0)"), *made);
  EXPECT_FALSE(cache.find("add(@0,1.00)"));
  EXPECT_EQ(*cache.findOrMake("add(@0,1.0)", "add(@0,1.00)", make), *made);
  EXPECT_EQ(cache.find("add(@0,1.00)"), *made);
  EXPECT_EQ(cache.stats().misses, 1u);
  EXPECT_EQ(cache.stats().hits, 3u);
}

TEST(KernelCache, EvictsTheLeastRecentlyUsed) {
  KernelCache cache({.kernels = 2});
  auto get = [&](std::string text) {
    return cache.findOrMake(
        text, text, [&] { return Expected<KernelPtr>(interpreted(text)); });
  };
  ASSERT_TRUE(get("neg(@0)"));
  ASSERT_TRUE(get("abs(@0)"));
  ASSERT_TRUE(cache.find("neg(@0)"));
  ASSERT_TRUE(get("sqrt(@0)"));
  EXPECT_TRUE(cache.find("neg(@0)"));
  EXPECT_TRUE(cache.find("sqrt(@0)"));
  EXPECT_FALSE(cache.find("abs(@0)"));
  EXPECT_EQ(cache.stats().evictions, 1u);
  EXPECT_EQ(cache.stats().kernels, 2u);
}

TEST(KernelCache, FreesKernelsWithoutItsLock) {
  int freed = 0;
  KernelCache cache({.kernels = 1});
  // Whoever has a kernel evicted waits for another thread that uses the cache.
  const auto useElsewhere = [&](const KernelImpl *) {
    if (freed == 2)
      return; // with the cache
    std::thread([&] {
      EXPECT_FALSE(cache.find("none"));
      EXPECT_LE(cache.stats().kernels, 1u);
    }).join();
    ++freed;
  };
  const KernelPtr lasting = interpreted("neg(@0)");
  for (const char *text : {"a", "b", "c"})
    ASSERT_TRUE(cache.findOrMake(text, text, [&] {
      return Expected<KernelPtr>(KernelPtr(lasting.get(), useElsewhere));
    }));
  EXPECT_EQ(freed, 2);
}

TEST(KernelCache, DoesNotKeepErrors) {
  KernelCache cache({.kernels = 2});
  int calls = 0;
  for (int i = 0; i < 2; ++i) {
    auto failed = cache.findOrMake("x", "x", [&]() -> Expected<KernelPtr> {
      ++calls;
      return Error(ErrorCode::CompileFailed, "no");
    });
    EXPECT_FALSE(failed);
  }
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cache.stats().kernels, 0u);
}

TEST(KernelCache, ManyThreadsMakeOneKernel) {
  KernelCache cache({.kernels = 100});
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        std::string text = "add(@0," + std::to_string(k) + ")";
        auto kernel =
            cache.findOrMake(text, text, [&]() -> Expected<KernelPtr> {
              ++made;
              return interpreted(text);
            });
        ASSERT_TRUE(kernel);
        EXPECT_EQ((*kernel)->expression().text(), text);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 20);
}

TEST(KernelCache, ThreadsThatWaitGetAKernelThatIsNotKept) {
  KernelCache cache({.kernels = 0});
  constexpr int count = 8;
  std::atomic<int> asked = 0, made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&] {
      ++asked;
      const auto kernel = cache.findOrMake("a", "a", [&] {
        ++made;
        while (asked < count)
          std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return Expected<KernelPtr>(interpreted("neg(@0)"));
      });
      EXPECT_TRUE(kernel && *kernel);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LT(made, count);
  const EngineStats stats = cache.stats();
  EXPECT_EQ(stats.kernels, 0u);
  EXPECT_EQ(stats.hits + stats.misses, unsigned{count});
}

TEST(KernelCache, IsBoundedByBytes) {
  const auto compiler = std::make_shared<const Compiler>(EngineOptions());
  if (!compiler->target() || !(*compiler->target())->hasFma)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  auto make = [&compiler](const std::string &text) {
    return makeKernel(compiler, *Expression::parse(text),
                      {.mode = Mode::Baseline});
  };
  const std::size_t one = (*make("neg(@0)"))->codeSize();
  ASSERT_GT(one, 0u);
  KernelCache cache({.bytes = 10 * one});
  std::string text = "@0";
  for (int i = 0; i < 60; ++i) {
    text = "abs(neg(" + text + "))";
    ASSERT_TRUE(cache.findOrMake(text, text, [&] { return make(text); }));
    EXPECT_LE(cache.stats().codeBytes, 10 * one);
  }
  EXPECT_GT(cache.stats().evictions, 0u);
}

TEST(KernelCache, HitsFromManyThreadsMeetEvictions) {
  KernelCache cache({.kernels = 8});
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&cache, t] {
      for (unsigned i = 0; i < 400; ++i) {
        const unsigned which = (i * (t + 1)) % (i % 10 == 0 ? 50 : 6);
        const std::string text = "add(@0," + std::to_string(which) + ")";
        KernelPtr kernel = cache.find(text);
        if (!kernel)
          kernel = *cache.findOrMake(text, text, [&] {
            return Expected<KernelPtr>(interpreted(text));
          });
        EXPECT_EQ(kernel->expression().text(), text);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(cache.stats().kernels, 8u);
}

TEST(KernelCache, HoldsNothingThatWasEvicted) {
  KernelCache cache({.kernels = 1});
  std::mutex mutex;
  std::vector<std::weak_ptr<const KernelImpl>> all;
  std::vector<std::thread> threads;
  // Each kernel may be the least recently used one when it has just been made.
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 400; ++i) {
        const std::string text = "add(@0," + std::to_string(t * 1000 + i) + ")";
        const KernelPtr kernel = *cache.findOrMake(
            text, text, [&] { return Expected<KernelPtr>(interpreted(text)); });
        std::lock_guard lock(mutex);
        all.push_back(kernel);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::size_t alive = 0;
  for (const auto &kernel : all)
    alive += !kernel.expired();
  EXPECT_EQ(alive, cache.stats().kernels);
  EXPECT_LE(alive, 1u);
}
