//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The simpler forms that calls with a literal have must keep every bit.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"

#include "Ops/Table.h"

using namespace kexpr;
using namespace kexpr::test;
using ops::Div;
using ops::LiteralForm;

namespace {

TEST(LiteralForm, ZerosVanishWhereTheyKeepTheSign) {
  EXPECT_EQ(ops::Add::withLiteral(1, -0.0).expansion.str(), "@0");
  EXPECT_EQ(ops::Add::withLiteral(1, 0.0).expansion.str(), "");
  EXPECT_EQ(ops::Sub::withLiteral(1, 0.0).expansion.str(), "@0");
  EXPECT_EQ(ops::Sub::withLiteral(1, -0.0).expansion.str(), "");
  EXPECT_EQ(ops::Sub::withLiteral(0, 0.0).expansion.str(), "");
}

TEST(LiteralForm, OnesVanishFromProducts) {
  EXPECT_EQ(ops::Mul::withLiteral(0, 1).expansion.str(), "@0");
  EXPECT_EQ(Div::withLiteral(1, 1).expansion.str(), "@0");
  EXPECT_EQ(Div::withLiteral(0, 1).expansion.str(), "");
}

TEST(LiteralForm, DivisionByAPowerOfTwoIsAProduct) {
  for (int exponent = -126; exponent <= 126; ++exponent)
    for (double sign : {1.0, -1.0}) {
      const double literal = sign * std::ldexp(1.0, exponent);
      if (literal == 1)
        continue;
      const LiteralForm form = Div::withLiteral(1, literal);
      ASSERT_EQ(form.expansion.str(), "mul(@0,@1)") << literal;
      for (float x : specialFloats())
        EXPECT_PRED2(sameFloat, x / static_cast<float>(literal),
                     x * static_cast<float>(form.values[0]))
            << x << " by " << literal;
    }
}

TEST(LiteralForm, DivisionByOtherNumbersNeedsTheirReciprocal) {
  for (double literal : {3.0, -12.0, 255.0, 0.1f + 0.0}) {
    const LiteralForm form = Div::withLiteral(1, literal);
    EXPECT_EQ(form.expansion.str(), "div_by(@0,@1,@2,@3)") << literal;
    EXPECT_EQ(form.values[0], literal);
    EXPECT_NEAR((form.values[1] + form.values[2]) * literal, 1, 0x1p-45);
  }
}

TEST(LiteralForm, OtherDivisionsStay) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double literal :
       {0.0, 0.1, 0x1p127, 0x1p-127, 0x1p-149, infinity, std::nan("")})
    EXPECT_EQ(Div::withLiteral(1, literal).expansion.str(), "") << literal;
  for (double literal : {2, 12})
    EXPECT_EQ(Div::withLiteral(0, literal).expansion.str(), "") << literal;
}

} // namespace

TEST(Expansion, IsReadInReversePolishOrder) {
  constexpr ops::Expansion text("mul(mul(@0,@1),0.5)");
  std::vector<std::string_view> terms;
  for (std::size_t i = 0; i < text.size(); ++i)
    terms.push_back(text[i]);
  EXPECT_EQ(terms,
            (std::vector<std::string_view>{"@0", "@1", "mul", "0.5", "mul"}));
  EXPECT_EQ(text.str(), "mul(mul(@0,@1),0.5)");
  EXPECT_TRUE(ops::Expansion().empty());
}

TEST(Expansion, LiteralsAreRoundedOnce) {
  EXPECT_EQ(ops::literalOf("0"), 0);
  EXPECT_EQ(ops::literalOf("12.5"), 12.5);
  EXPECT_EQ(ops::literalOf("0.1"), 0.1);
  EXPECT_EQ(ops::literalOf("0.7978845608028654"), 0.7978845608028654);
}

TEST(Expansion, IsEvaluatedForItsArguments) {
  const double arguments[] = {7, 2, 3};
  for (const auto &[expansion, expected] :
       {std::pair(ops::Sub::info.overload.expansion, 1.0),
        std::pair(ops::Lerp::info.ofFloats, -8.0)}) {
    const auto value = ops::expand(
        expansion, std::span<const double>(arguments),
        [](ops::OpId op, std::span<const double> values) {
          return Expected<double>(ops::table()[op].reference(values.data()));
        },
        [](double literal) { return literal; });
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, expected);
  }
}
