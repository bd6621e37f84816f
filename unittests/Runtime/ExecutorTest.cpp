//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Recorder.h"

using namespace kexpr::runtime;

TEST(Executor, SmallOrSerialWorkStaysOnTheCaller) {
  for (auto [count, split] :
       {std::pair{100, Split{.grain = 100}}, std::pair{100000, Split{1, 1}}}) {
    Recorder recorder(count);
    runRecorded(recorder, split);
    expectCoveredOnce(recorder);
    EXPECT_EQ(recorder.tasks, 1);
    EXPECT_EQ(*recorder.threads.begin(), std::this_thread::get_id());
  }
}

TEST(Executor, NestedAndConcurrentCallersFinish) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total = 0;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&total] {
      const auto count = [&total](std::int64_t begin, std::int64_t end) {
        total += end - begin;
      };
      EXPECT_TRUE(
          forRange(64, {.grain = 1}, [&](std::int64_t begin, std::int64_t end) {
            EXPECT_TRUE(forRange((end - begin) * 100, {.grain = 10}, count));
          }));
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4 * 64 * 100);
}
