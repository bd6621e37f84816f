//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Recorder.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace kexpr::runtime;

TEST(Executor, SplitsOverThreadsAndCoversEveryElementOnce) {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  for (std::int64_t count : {8 * 1024, 128 * 1024}) {
    Recorder recorder(count);
    recorder.wanted = 2;
    arena.execute([&] { runRecorded(recorder, {.grain = 256}); });
    expectCoveredOnce(recorder);
    EXPECT_GE(recorder.tasks, 2);
    EXPECT_GE(recorder.threads.size(), 2u);
  }
}

TEST(Executor, RunsInTheCallersArena) {
  tbb::task_arena arena(1);
  Recorder recorder(100000);
  arena.execute([&] { runRecorded(recorder, {.grain = 10}); });
  expectCoveredOnce(recorder);
  EXPECT_EQ(recorder.threads.size(), 1u);
}

TEST(Executor, KeepsToAThreadLimit) {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  arena.execute([] {
    for (int round = 0; round < 20; ++round) {
      Recorder recorder(4096);
      runRecorded(recorder, {.grain = 16, .maxThreads = 2});
      expectCoveredOnce(recorder);
      EXPECT_LE(recorder.threads.size(), 2u);
    }
  });
}

TEST(Executor, KeepsFewerThreadsSpinningThanTheArenaHas) {
  tbb::task_arena(4).execute([] {
    for (int i = 0; i < 100; ++i) {
      Recorder recorder(5000 + i);
      runRecorded(recorder, {.grain = 100,
                             .maxThreads = 3,
                             .stayAwake = std::chrono::milliseconds(1)});
      expectCoveredOnce(recorder);
    }
  });
}
