//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which divisors have a reciprocal in two parts, and that it divides as the
/// CPU does. `unittests/CodeGen` does the same with machine code.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"
#include "TestUtil/Divisors.h"

using namespace kexpr;
using namespace kexpr::test;
using ops::reciprocalToDivideBy;

namespace {

TEST(KnownDivisor, NumbersThatNetworksDivideByAreKnown) {
  for (float y : commonDivisors()) {
    const auto z = reciprocalToDivideBy(y);
    ASSERT_TRUE(z) << y;
    EXPECT_EQ(std::signbit(z->high), std::signbit(y)) << y;
    EXPECT_EQ(std::signbit(z->low), std::signbit(y)) << y;
    EXPECT_LT(std::fabs(z->low), std::fabs(z->high) * 0x1p-22f) << y;
  }
}

TEST(KnownDivisor, OthersAreNot) {
  constexpr auto limits = std::numeric_limits<float>();
  for (float y : {0.0f, 1.0f, 0.125f, 0x1p32f, 0x1.8p32f, 0x1p-126f,
                  0x1.8p-127f, limits.denorm_min(), limits.max(),
                  limits.infinity(), limits.quiet_NaN()})
    for (float divisor : {y, -y})
      EXPECT_FALSE(reciprocalToDivideBy(divisor)) << divisor;
}

TEST(KnownDivisor, EverySignificandIsDividedRight) {
  for (float y : {12.0f, 0.1f})
    EXPECT_EQ(wrongSignificands(y, *reciprocalToDivideBy(y)), 0u) << y;
}

/// The proof gives up no divisor that it need not: of one in thirteen some
/// quotient is wrong.
TEST(KnownDivisor, RefusedDivisorsWouldGiveWrongQuotients) {
  const auto refused = [](float y) { return !reciprocalToDivideBy(y); };
  unsigned count = 0;
  float one = 0;
  for (float y : randomDivisors(5000))
    if (refused(y))
      ++count, one = y;
  EXPECT_GT(count, 5000 / 15u);
  EXPECT_LT(count, 5000 / 12u);
  EXPECT_GT(wrongSignificands(one, splitReciprocal(one)), 0u) << one;
}

TEST(KnownDivisor, QuotientsAreThoseOfADivision) {
  const auto inputs = dividends();
  for (float y : commonDivisors()) {
    const auto z = *reciprocalToDivideBy(y);
    for (float x : inputs)
      ASSERT_PRED2(sameFloat, x / y,
                   (formulaOf<ops::DivBy>({x, y, z.high, z.low})))
          << x << " by " << y;
  }
}

} // namespace
