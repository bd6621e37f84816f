//===- Host/Allocations.h - Memory that runs out --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_ALLOCATIONS_H
#define KEXPR_UNITTESTS_HOST_ALLOCATIONS_H

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

namespace kexpr::test {

inline constexpr long PlentyOfAllocations = 1L << 60;

/// Calls of operator new that may still be made, on all threads together,
/// before they throw std::bad_alloc.
extern std::atomic<long> allocationsLeft;

/// Has the allocation number `n` of `work` and all after it fail, for n =
/// 0, 1... until none is missed; `work` says by true that it succeeded. `judge`
/// gets that, with memory to be had again.
inline void failEach(const std::function<bool()> &work,
                     const std::function<void(bool)> &judge) {
  constexpr long most = 100000;
  for (long n = 0; n < most; ++n) {
    allocationsLeft = n;
    const bool isDone = work();
    const bool isMissed = allocationsLeft.exchange(PlentyOfAllocations) < 0;
    judge(isDone);
    if (!isMissed) {
      EXPECT_TRUE(isDone) << "at allocation " << n;
      return;
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "at allocation " << n;
  }
  FAIL() << "there is no end of allocations";
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_ALLOCATIONS_H
