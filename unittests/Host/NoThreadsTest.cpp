//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/SmallStack.h"

#include <atomic>
#include <cerrno>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

using namespace kexpr;
using namespace kexpr::test;

// Processes in which no thread can be started, as in a container that may have
// no more of them.

/// Threads that can still be started.
static std::atomic<int> threadsLeft = 1 << 30;

// What the process has instead of the C library's.
extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
               void *(*start)(void *), void *argument) noexcept {
  using Create = decltype(&pthread_create);
  static const auto real =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return threadsLeft.fetch_sub(1) > 0
             ? real(thread, attributes, start, argument)
             : EAGAIN;
}

namespace {
class NoThreads : public testing::TestWithParam<std::tuple<Mode, int>> {
protected:
  static Mode mode() { return std::get<0>(GetParam()); }
  /// From now on only so many can be started.
  static void limitThreads() { threadsLeft = std::get<1>(GetParam()); }
};
} // namespace

TEST_P(NoThreads, KernelsAreCompiledAndRun) {
  EXPECT_TRUE(endsWell([] {
    limitThreads();
    const Engine engine;
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(works(engine, 2, mode(), 400000));
    EXPECT_TRUE(works(engine, 3, mode(), 400000));
    engine.settle();
    EXPECT_TRUE(works(engine, 2, mode(), 400000, onThreads(1)));
  }));
}

TEST_P(NoThreads, WarmingUpIsLeftOut) {
  EXPECT_TRUE(endsWell([] {
    limitThreads();
    EngineOptions options;
    options.warmUp = true;
    const Engine engine(options);
    EXPECT_TRUE(works(engine, 2, mode(), 400000));
    engine.settle();
    const Engine another(options);
    EXPECT_TRUE(works(another, 2, mode(), 400000));
  }));
}

TEST_P(NoThreads, AnEngineGoesOnWhenThereAreSomeAgain) {
  EXPECT_TRUE(endsWell([] {
    limitThreads();
    const Engine engine;
    EXPECT_TRUE(works(engine, 2, mode(), 400000));
    threadsLeft = 1 << 30;
    EXPECT_TRUE(works(engine, 2, mode(), 400000));
    const auto kernel = engine.compile(numbered(5), in(mode()));
    ASSERT_TRUE(kernel) << kernel.error().render();
    engine.settle();
    EXPECT_TRUE(Call(400000, 5).works(*kernel));
    if (engine.vectorBits() != 0 && mode() != Mode::Interpret) {
      EXPECT_NE(kernel->tier(), Tier::Interpreter);
    }
  }));
}

TEST_P(NoThreads, CallsThatAskForMoreThanOne) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2), in(mode()));
    ASSERT_TRUE(kernel) << kernel.error().render();
    limitThreads();
    Call call(2000000);
    for (const unsigned threads : {2, 3, 0}) {
      RunOptions options = onThreads(threads);
      EXPECT_TRUE(call.works(*kernel, options));
      options.stayAwake = std::chrono::milliseconds(2);
      EXPECT_TRUE(call.works(*kernel, options));
      // Streamed stores have their loop built by a thread.
      options.stores = Stores::Streamed;
      EXPECT_TRUE(call.works(*kernel, options));
    }
    engine.settle();
  }));
}

TEST(NoThreadsForAWhile, ARefusalIsForgotten) {
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([=] {
      (void)Engine().vectorBits(); // loads LLVM
      const Engine engine;
      onStackOf(Small, [&] {
        threadsLeft = 0;
        (void)engine.compile(numbered(2), in(mode));
        (void)engine.codeStatus();
        engine.settle();
      });
      EXPECT_TRUE(engine.codeStatus() || engine.vectorBits() == 0);
      EXPECT_TRUE(works(engine, 3, mode));
      threadsLeft = 1 << 30;
      EXPECT_TRUE(works(engine, 2, mode));
      EXPECT_TRUE(works(engine, 4, mode));
    })) << nameOfMode(mode);
}

TEST(NoThreadsForAWhile, SettlingOnASmallStackLeavesKernelsInterpreted) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    (void)engine.vectorBits(); // loads LLVM
    onStackOf(Small, [&] {
      threadsLeft = 0;
      const auto kernel = engine.compile(slowText(2), in(Mode::Tiered));
      ASSERT_TRUE(kernel) << kernel.error().render();
      engine.settle();
      EXPECT_EQ(kernel->tier(), Tier::Interpreter);
      EXPECT_EQ(engine.stats().failed, 2u);
    });
    const auto kernel = engine.compile(slowText(3), in(Mode::Tiered));
    ASSERT_TRUE(kernel) << kernel.error().render();
    engine.settle();
    if (engine.vectorBits() != 0) {
      EXPECT_EQ(kernel->tier(), Tier::Optimized);
    }
  }));
}

TEST(NoThreadsForAWhile, AChildDoesWhatAThreadThatSettlesWasAt) {
  for (const int left : {0, 1 << 30})
    EXPECT_TRUE(endsWell([=] {
      const Engine engine;
      std::vector<Kernel> kernels;
      std::atomic<bool> isLimited = false;
      std::thread settler([&] {
        while (!isLimited)
          std::this_thread::yield();
        for (int i = 0; i < 12; ++i)
          if (auto kernel = engine.compile(slowText(i), in(Mode::Tiered)))
            kernels.push_back(*kernel);
        isLimited = false;
        engine.settle();
      });
      threadsLeft = 0;
      isLimited = true;
      while (isLimited)
        std::this_thread::yield();
      for (int round = 0; round < rounds(4); ++round) {
        usleep(20000);
        EXPECT_TRUE(endsWell([&] {
          threadsLeft = left;
          engine.settle();
          for (const Kernel &kernel : kernels)
            EXPECT_TRUE(kernel.tier() == Tier::Optimized ||
                        engine.vectorBits() == 0);
        }));
      }
      settler.join();
    })) << left;
}

INSTANTIATE_TEST_SUITE_P(Modes, NoThreads,
                         testing::Combine(testing::ValuesIn(AllModes),
                                          testing::Values(0, 1)));
