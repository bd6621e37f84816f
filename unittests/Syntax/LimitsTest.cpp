//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Parser.h"

#include <gtest/gtest.h>

using namespace kexpr;

/// Texts of the call grammar, and some that PNNX wrote wrong.
static constexpr const char *Texts[] = {
    "@0",
    "2.5",
    " add( @3 , mul(2,3.5) ) ",
    "[add(@0,1),None,1+2j,True,[]]",
    "neg(neg(neg(neg(@17))))",
    "add(@0,word)",
    "expm1,@0",
    "[expm1,@0]",
    "add(@0,,mul(@1,2))",
    "[add(expm1,@0),1.5,expm1,@7]",
};

static ParseLimits lowered(const ParseLimits &from,
                           std::size_t ParseLimits::*limit) {
  ParseLimits result = from;
  --(result.*limit);
  return result;
}

/// A text is read as it was, or refused for a limit; `fits` knows which.
static void expectKnown(const Expression &expression,
                        const ParseLimits &limits) {
  const auto again = Expression::parse(expression.text(), limits);
  EXPECT_EQ(syntax::fits(expression, limits), static_cast<bool>(again));
  if (again)
    EXPECT_EQ(again->canonical(), expression.canonical());
  else
    EXPECT_EQ(again.error().code(), ErrorCode::LimitExceeded);
}

TEST(Limits, OfATextAreTheTightestThatItIsReadWith) {
  for (const char *text : Texts) {
    SCOPED_TRACE(text);
    const auto expression = Expression::parse(text);
    ASSERT_TRUE(expression);
    const ParseLimits tight = expression->tightestLimits();
    expectKnown(*expression, tight);
    EXPECT_TRUE(syntax::fits(*expression, tight));
    for (const auto limit : {&ParseLimits::maxLength, &ParseLimits::maxDepth,
                             &ParseLimits::maxNodes, &ParseLimits::maxOperands,
                             &ParseLimits::maxLiterals})
      if (tight.*limit > 0) {
        expectKnown(*expression, lowered(tight, limit));
        EXPECT_FALSE(syntax::fits(*expression, lowered(tight, limit)));
      }
  }
}

TEST(Limits, AreCounted) {
  const auto limits =
      Expression::parse("[add(@4,1), neg(2.5)]")->tightestLimits();
  EXPECT_EQ(limits.maxLength, 21u);
  EXPECT_EQ(limits.maxDepth, 2u);
  EXPECT_EQ(limits.maxNodes, 6u);
  EXPECT_EQ(limits.maxOperands, 5u);
  EXPECT_EQ(limits.maxLiterals, 2u);
}
