//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/StoreChoice.h"

#include <gtest/gtest.h>

using namespace kexpr::runtime;
using std::chrono::nanoseconds;

namespace {
constexpr double Bytes = 16 << 20;

/// Calls that take so many nanoseconds with cached and with streamed stores;
/// how many of them streamed.
int callTimes(StoreChoice &choice, int calls, int cached, int streamed,
              double bytes = Bytes) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const bool streams = choice.streams(bytes);
    choice.note(bytes, streams, nanoseconds(streams ? streamed : cached));
    count += streams;
  }
  return count;
}
} // namespace

TEST(StoreChoice, TriesBothAndKeepsTheFaster) {
  StoreChoice fast, slow;
  EXPECT_FALSE(fast.streams(Bytes)) << "what everybody expects comes first";
  EXPECT_GT(callTimes(fast, 200, 2000, 1000), 180);
  EXPECT_LT(callTimes(slow, 200, 1000, 2000), 10);
}

TEST(StoreChoice, CachedOutputsAreWorthALittle) {
  StoreChoice choice;
  EXPECT_LT(callTimes(choice, 200, 1020, 1000), 10);
}

TEST(StoreChoice, LearnsAnew) {
  StoreChoice choice;
  EXPECT_GT(callTimes(choice, 400, 2000, 1000), 380);
  // The neighbours have gone.
  callTimes(choice, 400, 500, 1000);
  EXPECT_EQ(callTimes(choice, 100, 500, 1000), 0);
}

TEST(StoreChoice, SizesAreApart) {
  StoreChoice choice;
  EXPECT_GT(callTimes(choice, 100, 2000, 1000), 80);
  EXPECT_FALSE(choice.streams(Bytes / 2));
  EXPECT_FALSE(choice.streams(Bytes * 1e6)) << "however large";
}

TEST(StoreChoice, AMeasurementFollowsACallOfTheSameWay) {
  StoreChoice choice;
  const nanoseconds took(1000);
  for (int i = 0; i < 20; ++i) {
    choice.note(Bytes, true, took);
    choice.note(Bytes, false, took);
  }
  EXPECT_FALSE(choice.streams(Bytes)) << "cached stores were never measured";
}
