//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Files.h"

#include <atomic>

#include <pthread.h>

using namespace kexpr;
using namespace kexpr::test;

// A host cancels threads that are inside calls: each is cancelled when its call
// is over.

namespace {
/// What threads work on, one after the other.
struct Work {
  EngineOptions options;
  std::string noFile;
  std::atomic<int> next = 0;
};
} // namespace

/// Texts of which no two share code.
static std::string shortText(int number) {
  std::string text = "@0";
  for (int i = 0; i < number % 50; ++i)
    text = (i % 2 ? "sqrt(" : "abs(") + text + ")";
  return "add(" + text + ",@1)";
}

/// Options of a call on an executor that waits.
static RunOptions onExecutor() {
  RunOptions options;
  options.executor.threads = 2;
  options.executor.run = [](void *, std::int64_t count, Executor::Tasks tasks,
                            void *call) {
    usleep(100);
    tasks(0, count, call);
  };
  return options;
}

/// Makes engines, reads and writes a cache on disk, and calls on many threads,
/// until it is cancelled.
static void *workOn(void *given) {
  Work &work = *static_cast<Work *>(given);
  for (;;) {
    const int number = work.next++;
    const Engine engine(work.options);
    EXPECT_TRUE(works(engine, 2, Mode::Optimized, 400000, onThreads(2)));
    EXPECT_TRUE(works(engine, 2, Mode::Optimized, 400000, onExecutor()));
    EXPECT_TRUE(engine.compile(shortText(number),
                               in(number % 2 ? Mode::Tiered : Mode::Baseline)));
    EXPECT_TRUE(number % 4 != 0 || engine.compile(slowText(number)));
    EXPECT_TRUE(engine.cacheStatus());
    EXPECT_FALSE(PnnxModel::load(work.noFile));
    pthread_testcancel();
  }
}

/// Starts a thread with so much stack and cancels it after a while.
static void cancelOne(Work &work, std::size_t stack, useconds_t after) {
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, stack);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &how, workOn, &work), 0);
  pthread_attr_destroy(&how);
  usleep(after);
  EXPECT_EQ(pthread_cancel(thread), 0);
  void *result = nullptr;
  EXPECT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
}

TEST(CancelledThreads, EndWhenTheirCallIsOver) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(endsWell([&] {
    Work work;
    work.options.cacheDirectory = directory.path("cache");
    work.noFile = directory.path("none");
    const Engine engine;
    for (int round = 0; round < rounds(40); ++round)
      // A small stack has the code generator run on a thread that is waited
      // for.
      cancelOne(work, std::size_t{round % 2 ? 8u : 1u} << (round % 2 ? 20 : 18),
                static_cast<useconds_t>(round * 5003 % 20000));
    for (const Mode mode : AllModes)
      EXPECT_TRUE(works(engine, 3, mode, 400000));
    EXPECT_TRUE(works(Engine(work.options), 2, Mode::Optimized));
  }));
}
