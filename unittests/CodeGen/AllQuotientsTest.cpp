//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divisions by literals over all that they can meet. Minutes long, so only
/// where KEXPR_EXHAUSTIVE is set.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KnownDivisors.h"
#include "TestUtil/Divisors.h"
#include "TestUtil/Skips.h"

#include <cstdlib>
#include <iostream>

using namespace kexpr;
using namespace kexpr::test;

namespace {

class AllQuotients : public testing::Test {
protected:
  void SetUp() override {
    if (!std::getenv("KEXPR_EXHAUSTIVE"))
      GTEST_SKIP() << kexpr::test::skips::ByHand;
  }
};

} // namespace

/// That a divisor is known is proven by a few numbers tried; here all are.
TEST_F(AllQuotients, TheProofSaysWhatAllSignificandsSay) {
  unsigned known = 0;
  for (float y : randomDivisors(400)) {
    const auto z = ops::reciprocalToDivideBy(y);
    EXPECT_EQ(z.has_value(), wrongSignificands(y, splitReciprocal(y)) == 0)
        << y;
    known += z.has_value();
  }
  std::cout << known << " of 400 divisors are known\n";
}

TEST_F(AllQuotients, EveryFloatIsDividedRight) {
  constexpr std::uint32_t piece = 1 << 16;
  for (float y : {12.0f, 0.1f, -255.0f, 0x1.8p31f, 3e-38f})
    for (const codegen::Target &target : hostTargets()) {
      const CompiledLoop loop(planToDivideBy(y), target);
      const CompiledLoop given(planToDivideByOne(), target);
      ASSERT_TRUE(loop && given);
      std::vector<float> x(piece);
      for (std::uint64_t first = 0; first < std::uint64_t{1} << 32;
           first += piece) {
        for (std::uint32_t i = 0; i < piece; ++i)
          x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first) + i);
        ASSERT_TRUE(dividesRight(loop, x, y)) << target.vectorBits << " bits";
        ASSERT_TRUE(dividesRight(given, x, y, true))
            << target.vectorBits << " bits";
      }
    }
}
