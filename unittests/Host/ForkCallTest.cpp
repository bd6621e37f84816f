//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"

#include <atomic>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// Copies made before, during and after calls on several threads.

namespace {
class ForkedCall : public testing::TestWithParam<int> {
protected:
  static RunOptions options() {
    RunOptions options;
    options.stayAwake = std::chrono::microseconds(GetParam());
    return options;
  }
};

/// Calls kernels on a thread of its own until it goes.
class BusyThread {
public:
  BusyThread(const Kernel &kernel, const RunOptions &options)
      : thread([this, kernel, options] {
          Call call(400000);
          while (!isOver) {
            EXPECT_TRUE(call.works(kernel, options));
            isRunning = true;
          }
        }) {
    while (!isRunning)
      std::this_thread::yield();
  }
  ~BusyThread() {
    isOver = true;
    thread.join();
  }

private:
  std::atomic<bool> isOver = false, isRunning = false;
  std::thread thread;
};
} // namespace

/// What a child does with a kernel of its parent.
static void callInChild(const Engine &engine, const Kernel &kernel,
                        const RunOptions &options) {
  Call call(400000);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(call.works(kernel, options));
  EXPECT_TRUE(call.works(kernel, onThreads(1)));
  call.spoil();
  const auto bound = kernel.bind(call.inputs(), call.output(), options);
  ASSERT_TRUE(bound) << bound.error().render();
  EXPECT_TRUE(runs(*bound));
  EXPECT_EQ(call.wrong(), 0u);
  EXPECT_TRUE(works(engine, 3, Mode::Optimized, 400000, options));
}

TEST_P(ForkedCall, BeforeAndAfterACall) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    EXPECT_TRUE(endsWell([&] { callInChild(engine, *kernel, options()); }));
    Call call(400000);
    for (int round = 0; round < rounds(5); ++round) {
      EXPECT_TRUE(call.works(*kernel, options()));
      EXPECT_TRUE(endsWell([&] { callInChild(engine, *kernel, options()); }));
    }
    EXPECT_TRUE(call.works(*kernel, options()));
  }));
}

TEST_P(ForkedCall, DuringACallOfAnotherThread) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    const BusyThread busy(*kernel, options());
    for (int round = 0; round < rounds(20); ++round) {
      usleep(static_cast<unsigned>(round * 37 % 500));
      ASSERT_TRUE(endsWell([&] { callInChild(engine, *kernel, options()); }))
          << "round " << round;
    }
    EXPECT_TRUE(works(engine, 5, Mode::Optimized, 400000, options()));
  }));
}

TEST_P(ForkedCall, ManyChildrenAtOnce) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel) << kernel.error().render();
    Call call(400000);
    EXPECT_TRUE(call.works(*kernel, options()));
    const auto body = [&] { callInChild(engine, *kernel, options()); };
    for (int round = 0; round < rounds(2); ++round) {
      Child first(body), second(body), third(body);
      EXPECT_TRUE(call.works(*kernel, options()));
      EXPECT_TRUE(first.wait());
      EXPECT_TRUE(second.wait());
      EXPECT_TRUE(third.wait());
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Awake, ForkedCall, testing::Values(0, 2000));
