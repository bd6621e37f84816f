//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// A host that cancels its own work has not cancelled what kexpr does for it.

namespace {
using CancelledCase = std::tuple<std::int64_t, int>;
class Cancellation : public testing::TestWithParam<CancelledCase> {
protected:
  static RunOptions options() {
    RunOptions options;
    options.stayAwake = std::chrono::microseconds(std::get<1>(GetParam()));
    return options;
  }
  static std::int64_t count() { return std::get<0>(GetParam()); }
};
} // namespace

/// Makes every kind of call once.
static void callAll(const Kernel &kernel, Call &call,
                    const RunOptions &options) {
  EXPECT_TRUE(call.works(kernel, options));
  call.spoil();
  const auto bound = kernel.bind(call.inputs(), call.output(), options);
  ASSERT_TRUE(bound) << bound.error().render();
  EXPECT_TRUE(runs(*bound));
  EXPECT_EQ(call.wrong(), 0u) << "bound";
  call.spoil();
  ASSERT_TRUE(kernel.runBatch(call.inputs(), call.output(), options));
  EXPECT_EQ(call.wrong(), 0u) << "batch";
}

TEST_P(Cancellation, ALoopThatWasCancelledLeavesCallsWhole) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    Call call(count());
    std::atomic<int> entered = 0;
    tbb::task_group_context context;
    tbb::parallel_for(
        0, 4,
        [&](int) {
          if (entered++ > 0)
            return;
          context.cancel_group_execution();
          callAll(*kernel, call, options());
        },
        context);
    EXPECT_GE(entered, 1);
  }));
}

TEST_P(Cancellation, AGroupThatAnotherThreadCancelsLeavesCallsWhole) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    Call call(count());
    std::atomic<bool> isRunning = false, isCancelled = false;
    tbb::task_group group;
    group.run([&] {
      isRunning = true;
      while (!isCancelled)
        callAll(*kernel, call, options());
      callAll(*kernel, call, options());
    });
    std::thread canceller([&] {
      while (!isRunning)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      group.cancel();
      isCancelled = true;
    });
    group.wait();
    canceller.join();
  }));
}

TEST_P(Cancellation, ALoopInWhichAnExceptionFliesLeavesCallsWhole) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    std::atomic<int> entered = 0;
    const auto body = [&](int) {
      if (entered++ % 2)
        throw std::runtime_error("the host's own");
      Call call(count());
      EXPECT_TRUE(call.works(*kernel, options()));
    };
    EXPECT_THROW(tbb::parallel_for(0, 8, body, tbb::simple_partitioner()),
                 std::runtime_error);
  }));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Cancellation,
                         testing::Combine(testing::Values(1000, 60000, 1000000,
                                                          4000000),
                                          testing::Values(0, 2000)));
