//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"

using namespace kexpr;
using namespace kexpr::test;

// A host on OpenMP, with pools of both kinds in one process.

static void callInsideRegions() {
  const Engine engine;
  bool isRight = true;
#pragma omp parallel for num_threads(4) reduction(&& : isRight)
  for (int i = 0; i < 32; ++i)
    isRight = isRight && works(engine, 2 + i % 5,
                               AllModes[static_cast<std::size_t>(i) % 4],
                               i % 3 ? 2000 : 200000);
  EXPECT_TRUE(isRight);
  engine.settle();
}

TEST(OpenMp, CallsInsideAParallelRegion) {
  EXPECT_TRUE(endsWell(callInsideRegions));
}

static void alternate() {
  const Engine engine;
  const auto kernel = engine.compile(numbered(2));
  ASSERT_TRUE(kernel);
  Call call(400000);
  std::vector<float> sums(1000);
  for (int round = 0; round < rounds(100); ++round) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 1000; ++i)
      sums[static_cast<std::size_t>(i)] += static_cast<float>(i);
    EXPECT_TRUE(call.run(*kernel));
  }
  EXPECT_EQ(call.wrong(), 0u);
}

TEST(OpenMp, LoopsAndCallsInTurns) { EXPECT_TRUE(endsWell(alternate)); }

static void forkAfterRegion() {
  const Engine engine;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(works(engine, 2, Mode::Optimized, 400000));
  EXPECT_TRUE(
      endsWell([&] { EXPECT_TRUE(works(engine, 3, Mode::Tiered, 400000)); }));
}

TEST(OpenMp, AChildOfAProcessThatUsesBoth) {
  EXPECT_TRUE(endsWell(forkAfterRegion));
}
