//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many threads ask one engine, and drive each other's kernels out of its cache.
//
//===----------------------------------------------------------------------===//
#include "Api/NumberedExpressions.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <random>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

static constexpr unsigned Threads = 32;
static const CompileOptions BaselineCode{.mode = Mode::Baseline};

/// Calls `body(t)` on many threads that start at once.
template <class F> static void onThreads(unsigned count, F body) {
  std::latch start(count);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(EngineThreads, EachExpressionIsCompiledOnce) {
  const Engine engine;
  std::vector<Results> expected;
  for (unsigned i = 0; i < 100; ++i)
    expected.push_back(*interpreted(Engine(), numbered(i)));
  std::atomic<int> wrong = 0;
  onThreads(Threads, [&](unsigned t) {
    for (unsigned k = 0; k < 100; ++k) {
      // Some go through them in the same order, others meet half-way.
      const unsigned i = t % 2 ? k : (k + t) % 100;
      const auto kernel = engine.compile(numbered(i), BaselineCode);
      wrong += !kernel || resultsOf(*kernel) != expected[i];
    }
  });
  EXPECT_EQ(wrong, 0);
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.misses, 100u);
  EXPECT_EQ(stats.hits, (Threads - 1) * 100u);
  EXPECT_EQ(stats.kernels, 100u);
  EXPECT_EQ(stats.shared, 0u);
  if (engine.vectorBits() != 0) {
    EXPECT_EQ(stats.compiled, 100u);
  }
}

TEST(EngineThreads, SpellingsAndLiteralsShareOneLoop) {
  const Engine engine;
  std::atomic<int> wrong = 0;
  onThreads(Threads, [&](unsigned t) {
    // Eight literals, each in four spellings.
    const std::string literal = std::to_string(3 + t / 4);
    const std::string spellings[] = {
        "mul(@0," + literal + ".5)", " mul( @0 , " + literal + ".5 )",
        "mul(@0," + literal + ".50)", "mul(@0," + literal + "5e-1)"};
    const auto kernel = engine.compile(spellings[t % 4], BaselineCode);
    const float x = 2;
    float out = 0;
    wrong += !kernel ||
             !kernel->run(TensorView(&x, {1}), TensorView(&out, {1})) ||
             out != 2 * (3.5f + static_cast<float>(t / 4));
  });
  EXPECT_EQ(wrong, 0);
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.misses, 8u);
  EXPECT_EQ(stats.hits, 24u);
  EXPECT_EQ(stats.shared, 7u);
  if (engine.vectorBits() != 0) {
    EXPECT_EQ(stats.compiled, 1u);
  }
}

static void runWhileOthersEvict(const EngineOptions &options, Mode mode,
                                unsigned rounds) {
  const Engine engine(options);
  std::vector<Results> expected;
  for (unsigned i = 0; i < 40; ++i)
    expected.push_back(*interpreted(Engine(), numbered(i)));
  std::atomic<int> wrong = 0;
  onThreads(8, [&](unsigned t) {
    std::mt19937 random(t);
    std::optional<Kernel> held;
    unsigned which = 0;
    for (unsigned k = 0; k < rounds; ++k) {
      const unsigned i = random() % expected.size();
      const auto kernel = engine.compile(numbered(i), {.mode = mode});
      wrong += !kernel || resultsOf(*kernel) != expected[i];
      // One that may have been driven out while it ran.
      wrong += held && resultsOf(*held) != expected[which];
      if (random() % 4 == 0) {
        held = *kernel;
        which = i;
      }
    }
  });
  engine.settle();
  EXPECT_EQ(wrong, 0);
  const EngineStats stats = engine.stats();
  EXPECT_GT(stats.evictions, 0u);
  EXPECT_EQ(stats.failed, 0u);
  EXPECT_EQ(stats.hits + stats.misses, 8u * rounds);
}

TEST(EngineThreads, KernelsRunWhileOthersAreEvicted) {
  EngineOptions options;
  options.maxKernels = 4;
  runWhileOthersEvict(options, Mode::Baseline, 60);
  runWhileOthersEvict(options, Mode::Tiered, 40);
  runWhileOthersEvict(options, Mode::Interpret, 500);
}

TEST(EngineThreads, CodeIsBoundedWhileKernelsRun) {
  if (Engine().vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  EngineOptions options;
  options.maxCodeBytes = 3000;
  runWhileOthersEvict(options, Mode::Baseline, 60);
}

TEST(EngineThreads, CodeThatComesLaterIsBounded) {
  EngineOptions options;
  options.maxCodeBytes = 10000;
  const Engine engine(options);
  if (engine.vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  for (unsigned i = 0; i < 80; ++i) {
    ASSERT_TRUE(engine.compile(numbered(i), {.mode = Mode::Tiered}));
    engine.settle();
    // The kernels of the last look have grown since, but not many others.
    EXPECT_LE(engine.stats().codeBytes, 2 * options.maxCodeBytes);
  }
  EXPECT_GT(engine.stats().evictions, 0u);
}
