//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Expression.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <utility>

using namespace kexpr;

static Expression parsed(std::string_view text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << expression.error().render();
  return *expression;
}

TEST(Lexer, TokensKnowTheirPlace) {
  const Expression expression = parsed("add(@0,mul(@1,@2))");
  struct {
    TokenKind kind;
    std::string_view text;
    std::size_t begin, end;
  } const expected[] = {
      {TokenKind::Name, "add", 0, 3},
      {TokenKind::LeftParen, "(", 3, 4},
      {TokenKind::Operand, "@0", 4, 6},
      {TokenKind::Comma, ",", 6, 7},
      {TokenKind::Name, "mul", 7, 10},
      {TokenKind::LeftParen, "(", 10, 11},
      {TokenKind::Operand, "@1", 11, 13},
      {TokenKind::Comma, ",", 13, 14},
      {TokenKind::Operand, "@2", 14, 16},
      {TokenKind::RightParen, ")", 16, 17},
      {TokenKind::RightParen, ")", 17, 18},
  };
  ASSERT_EQ(expression.tokens().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const Token &token = expression.tokens()[i];
    EXPECT_EQ(token.kind, expected[i].kind) << i;
    EXPECT_EQ(token.text, expected[i].text);
    EXPECT_EQ(token.range, (SourceRange{expected[i].begin, expected[i].end}));
  }
}

TEST(Lexer, BlanksAreSkippedAndPlacesCountThem) {
  const Expression expression = parsed(" mul(@2,\n add( @0 , @1 ) )\t");
  EXPECT_EQ(expression.canonical(), "mul(@2,add(@0,@1))");
  EXPECT_EQ(expression.text().substr(expression.nodes()[3].range.begin, 14),
            "add( @0 , @1 )");
  EXPECT_EQ(expression.tokens()[0].range, (SourceRange{1, 4}));
}

TEST(Lexer, EverySpellingOfANumberIsRead) {
  const struct {
    std::string_view text;
    NodeKind kind;
    double value;
    std::string_view canonical;
  } cases[] = {
      {"2", NodeKind::Integer, 2, "2"},
      {"-3", NodeKind::Integer, -3, "-3"},
      {"+3", NodeKind::Integer, 3, "3"},
      {"2.0", NodeKind::Float, 2, "2.0"},
      {"2.", NodeKind::Float, 2, "2.0"},
      {".5", NodeKind::Float, 0.5, "0.5"},
      {"-2.5", NodeKind::Float, -2.5, "-2.5"},
      {"-0.0", NodeKind::Float, -0.0, "-0.0"},
      {"1.250000e-01", NodeKind::Float, 0.125, "0.125"},
      {"0.125000", NodeKind::Float, 0.125, "0.125"},
      {"1.000000e-06", NodeKind::Float, 1e-6, "1e-06"},
      {"1.000000e-6", NodeKind::Float, 1e-6, "1e-06"},
      {"1.000000E6", NodeKind::Float, 1e6, "1e+06"},
      {"1.67772160e7", NodeKind::Float, 16777216, "16777216.0"},
      {"1.000000e30", NodeKind::Float, 1e30, "1e+30"},
      {"1e999", NodeKind::Float, INFINITY, "inf"},
      {"-1e999", NodeKind::Float, -INFINITY, "-inf"},
      {"1e-999", NodeKind::Float, 0, "0.0"},
      {"inf", NodeKind::Float, INFINITY, "inf"},
      {"-inf", NodeKind::Float, -INFINITY, "-inf"},
      {"nan", NodeKind::Float, NAN, "nan"},
      {"-nan.0", NodeKind::Float, NAN, "nan"},
      {"0.1000000000000000055511151231257827", NodeKind::Float, 0.1, "0.1"},
      {"nan.0", NodeKind::Float, NAN, "nan"},
      {"-nan", NodeKind::Float, NAN, "nan"},
      {"+inf", NodeKind::Float, INFINITY, "inf"},
      {"007", NodeKind::Integer, 7, "7"},
      {"-9223372036854775808", NodeKind::Integer, -0x1p63,
       "-9223372036854775808"},
      {"9223372036854775807", NodeKind::Integer, 9223372036854775807.0,
       "9223372036854775807"},
      {"9223372036854775808", NodeKind::Unsigned, 0x1p63,
       "9223372036854775808"},
      {"+18446744073709551615", NodeKind::Unsigned, 0x1p64,
       "18446744073709551615"},
      {"True", NodeKind::Bool, 1, "True"},
      {"False", NodeKind::Bool, 0, "False"},
      {"None", NodeKind::None, 0, "None"},
  };
  for (const auto &number : cases) {
    const Expression expression = parsed(number.text);
    const Node &node = expression.root();
    EXPECT_EQ(node.kind, number.kind) << number.text;
    if (std::isnan(number.value))
      EXPECT_TRUE(std::isnan(node.number)) << number.text;
    else
      EXPECT_EQ(std::bit_cast<std::uint64_t>(node.number),
                std::bit_cast<std::uint64_t>(number.value))
          << number.text;
    EXPECT_EQ(expression.canonical(), number.canonical);
  }
}

TEST(Lexer, ComplexLiteralsAreOneToken) {
  const Expression expression = parsed("1.200000e+00-9.000000e-01j");
  EXPECT_EQ(expression.tokens().size(), 1u);
  EXPECT_EQ(expression.root().kind, NodeKind::Complex);
  EXPECT_EQ(expression.root().number, 1.2);
  EXPECT_EQ(expression.root().imaginary, -0.9);
  EXPECT_EQ(parsed("2j").root().imaginary, 2);
  for (const auto &[text, canonical] :
       {std::pair<std::string_view, std::string_view>{"2j", "0+2j"},
        {"1.000000e+00+2.000000e+00j", "1+2j"},
        {"-inf-infj", "-inf-infj"},
        {"nan.0+nan.0j", "nan+nanj"}}) {
    EXPECT_EQ(parsed(text).canonical(), canonical);
    EXPECT_EQ(parsed(canonical).canonical(), canonical);
  }
}

TEST(Lexer, WhatIsPastTheRangeOfDoubleIsInfiniteOrZero) {
  const std::string zeros(400, '0');
  const std::pair<std::string, std::string_view> cases[] = {
      {"1e999", "inf"},
      {"-1e999", "-inf"},
      {"1e-999", "0.0"},
      {"-1e-999", "-0.0"},
      {"1" + zeros + ".5", "inf"},
      {"1" + zeros + "e-50", "inf"},
      {"1" + zeros + "e-390", "1e+10"},
      {"0." + zeros + "1", "0.0"},
      {"-." + zeros + "1", "-0.0"},
      {"00." + zeros + "1", "0.0"},
      {"-00." + zeros + "1", "-0.0"},
      {"0." + zeros + "1e50", "0.0"},
      {"0." + zeros + "1e+410", "1e+09"},
      {"1e9223372036854775807", "inf"},
      {"12345e9223372036854775807", "inf"},
      {"0.01e-9223372036854775808", "0.0"},
      {"1e99999999999999999999", "inf"},
      {"1e+99999999999999999999", "inf"},
      {"1e-99999999999999999999", "0.0"},
      {"0e99999999999999999999", "0.0"},
      {"4.9e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"1.7976931348623159e308", "inf"},
  };
  for (const auto &[text, canonical] : cases)
    EXPECT_EQ(parsed(text).canonical(), canonical) << text;
}
