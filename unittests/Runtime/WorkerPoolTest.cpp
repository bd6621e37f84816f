//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/WorkerPool.h"
#include "Runtime/Recorder.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr::runtime;
using namespace std::chrono_literals;

// Pools are never destroyed: their threads live as long as the process.

static WorkerPool &newPool(unsigned helpers) {
  return *new WorkerPool(helpers);
}

static void runOn(WorkerPool &pool, unsigned threads, Recorder &recorder) {
  const auto record = [&](std::int64_t begin, std::int64_t end) {
    recorder.run(begin, end);
  };
  Team team(recorder.count(), 64, threads, record);
  pool.run(threads, team);
  EXPECT_TRUE(team.isDone());
  expectCoveredOnce(recorder);
}

TEST(WorkerPool, HelpersTakePart) {
  WorkerPool &pool = newPool(3);
  for (std::int64_t count : {256, 128 * 1024}) {
    Recorder recorder(count);
    recorder.wanted = 4;
    runOn(pool, 4, recorder);
    EXPECT_EQ(recorder.threads.size(), 4u);
    EXPECT_TRUE(recorder.threads.contains(std::this_thread::get_id()));
  }
}

TEST(WorkerPool, KeepsToAThreadLimit) {
  WorkerPool &pool = newPool(7);
  for (int round = 0; round < 50; ++round) {
    Recorder recorder(4096);
    runOn(pool, 2, recorder);
    EXPECT_LE(recorder.threads.size(), 2u);
  }
}

TEST(WorkerPool, CallersDoAllWhereThereIsNoHelper) {
  Recorder recorder(4096);
  runOn(newPool(0), 4, recorder);
  EXPECT_EQ(recorder.threads.size(), 1u);
}

TEST(WorkerPool, NestedAndConcurrentCallersFinish) {
  WorkerPool &pool = newPool(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&pool] {
      const auto nested = [&pool](std::int64_t, std::int64_t) {
        Recorder recorder(1000);
        runOn(pool, 3, recorder);
      };
      for (int round = 0; round < 20; ++round) {
        Team team(16, 1, 4, nested);
        pool.run(4, team);
        EXPECT_TRUE(team.isDone());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(WorkerPool, HelpersSpin) {
  WorkerPool &pool = newPool(2);
  SpinPool spinners;
  pool.keepSpinning(spinners, 2, 200ms);
  while (spinners.spinning() < 2)
    std::this_thread::yield();
  // Calls of others go on meanwhile.
  Recorder recorder(4096);
  runOn(pool, 3, recorder);
  while (spinners.spinning() > 0)
    std::this_thread::yield();
  Recorder second(4096);
  second.wanted = 3;
  runOn(pool, 3, second);
}

TEST(WorkerPool, AChildOfForkHasHelpersOfItsOwn) {
  WorkerPool &pool = newPool(1);
  const auto isShared = [&pool] {
    Recorder recorder(256);
    recorder.wanted = 2;
    runOn(pool, 2, recorder);
    return recorder.threads.size() == 2;
  };
  EXPECT_TRUE(isShared());
  const pid_t child = fork();
  if (child == 0)
    _exit(isShared() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(isShared());
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
TEST(PoolDeath, ThreadSanitizerSeesARaceOnItsThreads) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto race = [] {
    Recorder company(256);
    company.wanted = 2;
    int last = 0;
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      last = static_cast<int>(end);
      company.run(begin, end);
      last = static_cast<int>(begin);
    };
    Team team(company.count(), 1, 4, part);
    newPool(3).run(4, team);
  };
  EXPECT_DEATH(race(), "data race");
}
#endif
#endif
