//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <mutex>

using namespace kexpr;
using namespace kexpr::test;

// A thread that waits for a call of kexpr takes up none of the host's own work.

namespace {
class Isolation : public testing::TestWithParam<int> {
protected:
  static RunOptions awake() {
    RunOptions options;
    options.stayAwake = std::chrono::microseconds(GetParam());
    return options;
  }
};
} // namespace

/// What each thread of the host may enter once at a time.
static thread_local std::mutex ofThread;

/// Runs `work` in iterations of a host's loop; how often a thread entered one
/// inside another.
static int reentriesIn(const std::function<void()> &work) {
  const tbb::global_control threads(
      tbb::global_control::max_allowed_parallelism, 4);
  std::atomic<int> reentries = 0;
  const auto body = [&](int) {
    const std::unique_lock lock(ofThread, std::try_to_lock);
    if (lock)
      work();
    else
      ++reentries;
  };
  tbb::task_arena(4).execute([&] {
    tbb::parallel_for(0, rounds(128), body, tbb::simple_partitioner());
  });
  return reentries;
}

TEST_P(Isolation, NoIterationOfTheHostIsEnteredInsideACall) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    RunOptions options = awake();
    const int reentries = reentriesIn([&] {
      thread_local Call call(1000000);
      for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(call.run(*kernel, options));
      EXPECT_EQ(call.wrong(), 0u);
    });
    EXPECT_EQ(reentries, 0);
  }));
}

TEST_P(Isolation, NorInABatchOrUnderALimitOfThreads) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    RunOptions options = awake();
    options.maxThreads = 3;
    const int reentries = reentriesIn([&] {
      thread_local Call call(1000000);
      call.spoil();
      EXPECT_TRUE(kernel->runBatch(call.inputs(), call.output(), options));
      EXPECT_EQ(call.wrong(), 0u);
      EXPECT_TRUE(call.works(*kernel, options));
    });
    EXPECT_EQ(reentries, 0);
  }));
}

TEST_P(Isolation, ACopyMadeInsideAnIterationCallsAlone) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    RunOptions options = awake();
    std::atomic<int> forks = 0;
    tbb::parallel_for(
        0, 8,
        [&](int) {
          Call call(400000);
          EXPECT_TRUE(call.works(*kernel, options));
          if (forks++ == 3) {
            EXPECT_TRUE(endsWell([&] {
              EXPECT_TRUE(call.works(*kernel, options));
              EXPECT_TRUE(works(engine, 3, Mode::Optimized, 400000, options));
            }));
          }
        },
        tbb::simple_partitioner());
    EXPECT_EQ(forks, 8);
  }));
}

INSTANTIATE_TEST_SUITE_P(Awake, Isolation, testing::Values(0, 2000));
