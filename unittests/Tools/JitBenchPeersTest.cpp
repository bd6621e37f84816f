//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/ExpressionFile.h"
#include "Bench/Limits.h"
#include "Bench/Peers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;

TEST(JitBenchPeers, ClosenessIsHeld) {
  const float results[] = {1, 1000, 0};
  const float near[] = {1.000001f, 1000.0009f, 1e-6f};
  EXPECT_TRUE(isClose(results, near, 3));
  const float far[] = {1.00001f};
  EXPECT_FALSE(isClose(results, far, 1));
  const float nan[] = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(isClose(results, nan, 1));
  EXPECT_FALSE(isClose(nan, results, 1));
}

TEST(JitBenchPeers, LoopsAreFoundByTheirExpressions) {
  EXPECT_EQ(plainIndexOf("add(@0,@1)"), 0);
  EXPECT_EQ(plainIndexOf(workset().back().expression), plainLoopCount - 1);
  EXPECT_EQ(plainIndexOf("neg(@0)"), -1);
}

/// The formulas of the work set in doubles.
static double exact(int index, const double *v) {
  const double x = v[0];
  switch (index) {
  case 0:
    return x + v[1];
  case 1:
    return x * v[1] + v[2];
  case 2:
    return x / (1 + std::exp(-x));
  case 3:
    return std::sqrt((x * 2 + v[1]) / 12);
  case 4:
    return x * v[1] + v[2] * (x + v[2] + v[3] + v[4]) + v[5];
  case 5:
    return x * 0.5 * (std::tanh((x + x * x * x * 0.044715) * 0.79788456) + 1);
  default:
    return std::sin(x) + std::cos(v[1]) * std::exp(-(x * x));
  }
}

TEST(JitBenchPeers, LoopsComputeTheWorkSet) {
  // Odd, so that there is a tail, and longer than a piece of the stores past
  // the caches; the output is off its alignment.
  constexpr int count = 1663;
  std::vector<float> values[6], out(count + 1);
  const float *inputs[6];
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < count; ++i)
      values[k].push_back(static_cast<float>((i * 37 + k * 11) % 400) / 100 -
                          (k == 0 ? 2.0f : 0.0f));
    inputs[k] = values[k].data();
  }
  // A root of a negative number is nobody's concern.
  for (const PlainLoops *peer : plainPeers())
    for (int index = 0; index < plainLoopCount; ++index) {
      peer->loops[index](count, out.data() + 1, inputs);
      for (int i = 0; i < count; ++i) {
        double element[6];
        for (int k = 0; k < 6; ++k)
          element[k] = values[k][static_cast<std::size_t>(i)];
        const double expected = exact(index, element);
        if (!std::isnan(expected)) {
          ASSERT_NEAR(out[static_cast<std::size_t>(i) + 1], expected,
                      2e-6 * (1 + std::fabs(expected)))
              << peer->name << " E" << index + 1 << " element " << i;
        }
      }
    }
}

TEST(JitBenchPeers, LimitsArePositive) {
  const Limits limits = measureLimits(1, /*quick=*/true);
  ASSERT_GE(limits.levels.size(), 2u);
  EXPECT_GT(limits.fmaPerSecond, 0);
  for (const Limits::Level &level : limits.levels) {
    EXPECT_GT(level.speeds.read, 0) << level.name;
    EXPECT_GT(level.speeds.copy, 0) << level.name;
    EXPECT_GT(level.speeds.triad, 0) << level.name;
  }
  const KernelLimit limit = limitOf(limits, 1200, 1e15, 0);
  EXPECT_GT(limit.compute, limit.memory);
  EXPECT_EQ(limit.seconds(), limit.compute);
}
