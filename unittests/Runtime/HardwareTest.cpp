//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

using namespace kexpr::runtime;

TEST(Hardware, HasCoresAndACache) {
  EXPECT_GE(coreCount(), 1u);
  EXPECT_LE(coreCount(), std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_GE(lastCacheBytes(), 1 << 18);
  EXPECT_LE(lastCacheBytes(), std::int64_t{1} << 32);
}
