//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/ExpressionBuilder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace kexpr;
using Built = ExpressionBuilder::Value;

static std::string textOf(const Expected<Expression> &expression) {
  return expression ? std::string(expression->text())
                    : expression.error().message();
}

TEST(ExpressionBuilder, BuildsWhatATextSays) {
  ExpressionBuilder builder;
  const Built a = *builder.operand(0), b = *builder.operand(1);
  const Built product = *builder.call("mul", {a, b});
  const Built sum = *builder.call("add", {product, *builder.real(0.5)});
  EXPECT_EQ(textOf(builder.finish(product)), "mul(@0,@1)");
  EXPECT_EQ(textOf(builder.finish(sum)), "add(mul(@0,@1),0.5)");
  EXPECT_EQ(textOf(builder.finish({product, sum})),
            "%0=mul(@0,@1);[%0,add(%0,0.5)]");
  EXPECT_EQ(textOf(builder.finish({sum, sum})),
            "%0=add(mul(@0,@1),0.5);[%0,%0]");
  EXPECT_EQ(textOf(builder.finish(a)), "@0");
}

TEST(ExpressionBuilder, EqualValuesAreOne) {
  ExpressionBuilder builder;
  const Built once = *builder.call("exp", *builder.operand(0));
  const Built again = *builder.call("exp", *builder.operand(0));
  const auto built = builder.finish(*builder.call("add", {once, again}));
  EXPECT_EQ(textOf(built), "%0=exp(@0);add(%0,%0)");
  EXPECT_EQ(Expression::parse("add(exp(@0),exp(@0))")->canonical(),
            built->canonical());
}

TEST(ExpressionBuilder, LiteralsKeepTheirValues) {
  ExpressionBuilder builder;
  constexpr auto inf = std::numeric_limits<double>::infinity();
  const Built values[] = {
      *builder.integer(std::numeric_limits<std::int64_t>::min()),
      *builder.integer(-0),
      *builder.unsignedInteger(7),
      *builder.unsignedInteger(~std::uint64_t{0}),
      *builder.real(-0.0),
      *builder.real(0.1),
      *builder.real(5e-324),
      *builder.real(-inf),
      *builder.real(std::nan("1")),
      *builder.boolean(true),
      *builder.boolean(false)};
  EXPECT_EQ(textOf(builder.finish(values)),
            "[-9223372036854775808,0,7,18446744073709551615,-0.0,0.1,5e-324,-"
            "inf,nan,True,False]");
}

TEST(ExpressionBuilder, ArgumentsMayBeListsAndNone) {
  ExpressionBuilder builder;
  const Built x = *builder.operand(0), w = *builder.operand(1);
  const Built axes =
      *builder.list({*builder.integer(-2), *builder.integer(-1)});
  const Built norm = *builder.call("layer_norm", {x, axes, w, *builder.none()});
  EXPECT_EQ(textOf(builder.finish(norm)), "layer_norm(@0,[-2,-1],@1,None)");
  EXPECT_EQ(
      textOf(builder.finish(*builder.call("sum", {x, *builder.list({})}))),
      "sum(@0,[])");
  EXPECT_EQ(builder.list({x, Built(99)}).error().message(),
            "argument 1 is no value of this builder");
}

TEST(ExpressionBuilder, AThousandUsesAreLinear) {
  // x * (2 - a * x), which as a text would have 2^100 terms.
  ExpressionBuilder builder;
  const Built a = *builder.operand(0);
  Built x = *builder.operand(1);
  for (int i = 0; i < 100; ++i) {
    const Built product = *builder.call("mul", {a, x});
    const Built rest = *builder.call("sub", {*builder.integer(2), product});
    x = *builder.call("mul", {x, rest});
  }
  const auto expression = builder.finish(x);
  ASSERT_TRUE(expression);
  EXPECT_LT(expression->text().size(), 5000u);
}

TEST(ExpressionBuilder, ErrorsSayWhatIsWrong) {
  ExpressionBuilder builder({.maxNodes = 4, .maxOperands = 2});
  const auto messageOf = [](const auto &result) {
    return result ? std::string() : result.error().message();
  };
  EXPECT_EQ(messageOf(builder.operand(2)),
            "operand index 2 is past the limit of 2 operands");
  const Built a = *builder.operand(1);
  EXPECT_EQ(messageOf(builder.call("add", {a, Built(1)})),
            "argument 1 is no value of this builder");
  EXPECT_EQ(messageOf(builder.call("neg", {})), "a call has an argument");
  EXPECT_FALSE(builder.call(std::string(257, 'a'), a));
  for (const char *name : {"", "a b", "add(", "1", "True", "inf", "%0", "@0",
                           "add ", "na\xc3\xafve"})
    EXPECT_FALSE(builder.call(name, a)) << name;
  EXPECT_EQ(messageOf(builder.call("a b", a)),
            "'a b' is no name of an operator");
  EXPECT_EQ(messageOf(builder.finish({})), "an expression has an output");
  EXPECT_EQ(messageOf(builder.finish(Built(7))),
            "output 0 is no value of this builder");
  const Built b = *builder.call("neg", a);
  EXPECT_TRUE(builder.finish({a, b}));
  EXPECT_TRUE(builder.call("neg", b));
  EXPECT_TRUE(builder.call("neg", b));
  EXPECT_EQ(messageOf(builder.call("neg", b)), "more than 4 nodes");
  ExpressionBuilder &left = builder;
  const ExpressionBuilder moved = std::move(builder);
  EXPECT_TRUE(moved.finish(b));
  EXPECT_EQ(left.operand(0).error().code(), ErrorCode::OutOfMemory);
}

TEST(ExpressionBuilder, GoesOnAfterAnExpression) {
  ExpressionBuilder builder;
  const Built a = *builder.operand(0);
  const Built unused = *builder.call("exp", a);
  const auto first = builder.finish(a);
  const Built b = *builder.call("neg", a);
  EXPECT_EQ(textOf(builder.finish(b)), "neg(@0)");
  EXPECT_EQ(textOf(first), "@0");
  EXPECT_EQ(textOf(builder.finish(*builder.call("add", {unused, b}))),
            "add(exp(@0),neg(@0))");
}
