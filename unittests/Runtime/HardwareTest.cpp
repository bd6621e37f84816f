//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

using namespace kexpr::runtime;

TEST(Hardware, HasCoresAndACache) {
  EXPECT_GE(coreCount(), 1u);
  EXPECT_LE(coreCount(), std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_GE(lastCacheBytes(), 1 << 18);
  EXPECT_LE(lastCacheBytes(), std::int64_t{1} << 32);
}

TEST(Hardware, ThreadsAreLimitedByVariablesAndThenByTheQuota) {
  constexpr unsigned none = std::numeric_limits<unsigned>::max();
  EXPECT_EQ(threadLimit(nullptr, nullptr, ""), none);
  EXPECT_EQ(threadLimit("3", "5", "100000 100000"), 3u);
  EXPECT_EQ(threadLimit("", "5", "100000 100000"), 5u);
  EXPECT_EQ(threadLimit("0", "4,2", ""), 4u);
  EXPECT_EQ(threadLimit("-1", "many", "150000 100000\n"), 2u);
  EXPECT_EQ(threadLimit("99999999999999999999", nullptr, "10000 100000"), 1u);
  EXPECT_EQ(threadLimit(nullptr, nullptr, "max 100000\n"), none);
  EXPECT_EQ(threadLimit(nullptr, nullptr, "-1 100000\n"), none);
  EXPECT_GE(threadLimit(), 1u);
}

TEST(Hardware, TheTightestQuotaOfAllGroupsCounts) {
  const auto of = [](std::string_view group) -> std::string {
    return group == "/a/b" ? "400000 100000"
           : group == "/a" ? "150000 100000"
           : group.empty() ? "max 100000"
                           : "";
  };
  EXPECT_EQ(tightestQuota("/a/b/c", of), "150000 100000");
  EXPECT_EQ(tightestQuota("/a/b", of), "150000 100000");
  EXPECT_EQ(tightestQuota("/d", of), "max 100000");
  EXPECT_EQ(tightestQuota("", of), "max 100000");
  EXPECT_EQ(tightestQuota("a", of), "max 100000");
  EXPECT_EQ(
      tightestQuota("/a/b", [](std::string_view) { return std::string(); }),
      "");
}
