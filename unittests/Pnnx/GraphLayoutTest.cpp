//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Memory.h"

#include <gtest/gtest.h>

#include <random>

using namespace kexpr;
using namespace kexpr::graph;

/// Whether no two intervals that share a step share a byte.
static void expectApart(const std::vector<Interval> &intervals,
                        const Layout &layout) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(layout.offsets[i] % 64, 0u);
    EXPECT_LE(layout.offsets[i] + intervals[i].bytes, layout.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const bool meet = intervals[i].first <= intervals[j].last &&
                        intervals[j].first <= intervals[i].last;
      const bool share =
          layout.offsets[i] < layout.offsets[j] + intervals[j].bytes &&
          layout.offsets[j] < layout.offsets[i] + intervals[i].bytes;
      EXPECT_FALSE(meet && share) << i << " and " << j;
    }
  }
}

TEST(GraphLayout, AChainTakesTwoPlaces) {
  std::vector<Interval> intervals;
  for (std::uint32_t i = 0; i < 10; ++i)
    intervals.push_back({640, i, i + 1});
  const auto layout = layOut(intervals, true);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 1280u);
  expectApart(intervals, *layout);
  EXPECT_EQ(layOut(intervals, false)->bytes, 6400u);
}

TEST(GraphLayout, TakesTheSmallestGapThatFits) {
  // Where the second and fourth were, the last one fits; it takes the latter.
  const std::vector<Interval> intervals = {{1024, 0, 9}, {512, 0, 1},
                                           {256, 0, 9},  {128, 0, 1},
                                           {120, 0, 9},  {100, 2, 3}};
  const auto layout = layOut(intervals, true);
  ASSERT_TRUE(layout);
  expectApart(intervals, *layout);
  EXPECT_EQ(layout->offsets[5], layout->offsets[3]);
}

TEST(GraphLayout, RandomIntervalsStayApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals;
    std::size_t sum = 0;
    for (unsigned i = 0; i < random() % 40; ++i) {
      const std::uint32_t first = random() % 20;
      intervals.push_back({random() % 5000, first,
                           first + static_cast<std::uint32_t>(random() % 6)});
      sum += intervals.back().bytes + 64;
    }
    const auto layout = layOut(intervals, true);
    ASSERT_TRUE(layout);
    EXPECT_LE(layout->bytes, sum);
    expectApart(intervals, *layout);
  }
}

TEST(GraphLayout, ManyIntervalsStayApart) {
  std::mt19937 random(1);
  std::vector<Interval> intervals;
  for (std::uint32_t i = 0; i < 5000; ++i)
    intervals.push_back(
        {random() % 5000, i / 4,
         i / 4 + static_cast<std::uint32_t>(random() % (i % 50 ? 6 : 600))});
  const auto layout = layOut(intervals, true);
  ASSERT_TRUE(layout);
  EXPECT_LT(layout->bytes, layOut(intervals, false)->bytes / 10);
  expectApart(intervals, *layout);
  intervals.assign(200000, {640, 0, 0});
  for (std::uint32_t i = 0; i < intervals.size(); ++i)
    intervals[i].last = (intervals[i].first = i) + 1;
  EXPECT_EQ(layOut(intervals, true)->bytes, 1280u);
}

TEST(GraphLayout, RefusesMoreThanThereIs) {
  EXPECT_FALSE(layOut({{~std::size_t{0}, 0, 1}}, true));
  EXPECT_TRUE(layOut({}, true));
}
