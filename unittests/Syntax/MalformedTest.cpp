//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Expression.h"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <string>

using namespace kexpr;

namespace {
struct Malformed {
  std::string_view text;
  std::size_t begin, end; ///< Where the caret and its tildes stand.
  std::string_view message;
};
} // namespace

static constexpr Malformed Cases[] = {
    {"", 0, 0, "the expression is empty"},
    {"   ", 0, 3, "the expression holds nothing but blanks"},
    {"@", 0, 1, "expected an operand index after '@'"},
    {"@x", 0, 1, "expected an operand index after '@'"},
    {"@-1", 0, 1, "expected an operand index after '@'"},
    {"@ 1", 0, 1, "expected an operand index after '@'"},
    {"@1x", 0, 3, "'@1x' is no operand; an index is decimal digits"},
    {"@1.5", 0, 4, "'@1.5' is no operand; an index is decimal digits"},
    {"@4294967296", 0, 11, "operand index does not fit in 32 bits"},
    {"@99999999999999999999", 0, 21, "operand index does not fit in 32 bits"},
    {"@65536", 0, 6, "operand index 65536 is past the limit of 65536 operands"},
    {"#", 0, 1, "unexpected '#'"},
    {"add(@0,$1)", 7, 8, "unexpected '$'"},
    {"add@0,@1)", 3, 5,
     "expected the end of the text after the expression, found '@0'"},
    {"add(@0 @1)", 7, 9,
     "expected ',' or ')' after argument 1 of 'add', found '@1'"},
    {"add(,@1)", 4, 5, "expected argument 1 of 'add', found ','"},
    {"add(@0,)", 7, 8, "expected argument 2 of 'add', found ')'"},
    {"add(@0,@1", 9, 9,
     "expected ',' or ')' after argument 2 of 'add', found the end of the "
     "text"},
    {"add(@0,@1)@2", 10, 12,
     "expected the end of the text after the expression, found '@2'"},
    {"add(@0,@1),1", 10, 11,
     "expected the end of the text after the expression, found ','"},
    {"add(@0,@1))", 10, 11,
     "expected the end of the text after the expression, found ')'"},
    {"add(@0,@1]", 9, 10,
     "expected ',' or ')' after argument 2 of 'add', found ']'"},
    {"add @0 @1", 4, 6,
     "expected the end of the text after the expression, found '@0'"},
    {"(@0)", 0, 1, "expected an operand, a literal or a call, found '('"},
    {"()", 0, 1, "expected an operand, a literal or a call, found '('"},
    {")", 0, 1, "expected an operand, a literal or a call, found ')'"},
    {"(", 0, 1, "expected an operand, a literal or a call, found '('"},
    {"]", 0, 1, "expected an operand, a literal or a call, found ']'"},
    {"[", 1, 1,
     "expected an operand, a literal or a call, found the end of the text"},
    {"[@0", 3, 3,
     "expected ',' or ']' after element 1 of a list, found the end of the "
     "text"},
    {"[@0,", 4, 4,
     "expected an operand, a literal or a call, found the end of the text"},
    {"[@0,@1)", 6, 7,
     "expected ',' or ']' after element 2 of a list, found ')'"},
    {"[,@0]", 1, 2, "expected an operand, a literal or a call, found ','"},
    {"[@0,,@1]", 4, 5, "expected an operand, a literal or a call, found ','"},
    {",", 0, 1, "expected an operand, a literal or a call, found ','"},
    {",@0", 0, 1, "expected an operand, a literal or a call, found ','"},
    {"@0,", 2, 3,
     "expected the end of the text after the expression, found ','"},
    {"@0,@1", 2, 3,
     "expected the end of the text after the expression, found ','"},
    {"@0 @1", 3, 5,
     "expected the end of the text after the expression, found '@1'"},
    {"add(", 4, 4, "expected argument 1 of 'add', found the end of the text"},
    {"add()", 4, 5, "expected argument 1 of 'add', found ')'"},
    {"add(@0,@1)()", 10, 11,
     "expected the end of the text after the expression, found '('"},
    {"add((@0),@1)", 4, 5, "expected argument 1 of 'add', found '('"},
    {"add(@0,(@1))", 7, 8, "expected argument 2 of 'add', found '('"},
    {"(add)(@0,@1)", 0, 1,
     "expected an operand, a literal or a call, found '('"},
    {"add(@0,@1,", 10, 10,
     "expected argument 3 of 'add', found the end of the text"},
    {"add(@0,,@1", 7, 8, "expected argument 2 of 'add', found ','"},
    {"add(@0,,)", 7, 8, "expected argument 2 of 'add', found ','"},
    {"add(@0,@1,,@2)", 10, 11, "expected argument 3 of 'add', found ','"},
    {"add(@0;@1)", 6, 7,
     "expected ',' or ')' after argument 1 of 'add', found ';'"},
    {"add(@0,@1);", 10, 11,
     "expected the end of the text after the expression, found ';'"},
    {"%0=neg(@0)", 10, 10,
     "expected ';' after the value of %0, found the end of the text"},
    {"%0=neg(@0);", 11, 11,
     "expected an operand, a literal or a call, found the end of the text"},
    {"%1=neg(@0);%1", 0, 2, "expected the definition of %0, found '%1'"},
    {"%0=neg(@0);%0=neg(%0);%0", 11, 13,
     "expected the definition of %1, found '%0'"},
    {"%0=neg(%0);%0", 7, 9, "%0 has no definition so far"},
    {"add(%1,@0)", 4, 6, "%1 has no definition so far"},
    {"%0=neg(@0);%1=abs(@0);%1", 0, 2, "value %0 has no use"},
    {"%0=[@0,@1];%0", 0, 2, "a list cannot have a name"},
    {"%0=floor;[%0,%0]", 0, 2, "a word cannot have a name"},
    {"%18446744073709551616", 0, 21,
     "%18446744073709551616 has no definition so far"},
    {"%0x=neg(@0);%0", 0, 3, "'%0x' is no value; an index is decimal digits"},
    {"@0=neg(@0);@0", 2, 3,
     "expected the end of the text after the expression, found '='"},
    {"add{@0,@1}", 3, 4, "unexpected '{'"},
    {"@0+@1", 2, 3, "'+' is no number"},
    {"1..2", 0, 4, "'1..2' is no number"},
    {"1.2.3", 0, 5, "'1.2.3' is no number"},
    {"1e", 0, 2, "'1e' is no number"},
    {"1e+", 0, 3, "'1e+' is no number"},
    {"--1", 0, 1, "'-' is no number"},
    {"-", 0, 1, "'-' is no number"},
    {"+", 0, 1, "'+' is no number"},
    {".", 0, 1, "'.' is no number"},
    {"1-2", 0, 3, "'1-2' is no number"},
    {"1x", 0, 2, "'1x' is no number"},
    {"0x10", 0, 4, "'0x10' is no number"},
    {"1e5e5", 0, 5, "'1e5e5' is no number"},
    {"-foo", 0, 4, "'-foo' is no number"},
    {"18446744073709551616", 0, 20, "integer does not fit in 64 bits"},
    {"-9223372036854775809", 0, 20, "integer does not fit in 64 bits"},
    {"1+2j3", 0, 5, "'1+2j3' is no number"},
    {"1+j", 0, 3, "'1+j' is no number"},
    {"add(@0,\"x\")", 7, 8, "unexpected '\"'"},
    {"add(@0,'x')", 7, 8, "unexpected '''"},
    {"add(@0,%x)", 7, 8, "expected the number of a value after '%'"},
    {"add(@0,@1) extra", 11, 16,
     "expected the end of the text after the expression, found 'extra'"},
    {"mul(expm1,@0),@1,@2", 13, 14,
     "expected the end of the text after the expression, found ','"},
    {"sin,@0", 3, 4,
     "expected the end of the text after the expression, found ','"},
    {"foo,@0", 3, 4,
     "expected the end of the text after the expression, found ','"},
    {"add(@0,,mul(@1,2)", 7, 8, "expected argument 2 of 'add', found ','"},
    {"neg(neg(neg(@0)", 15, 15,
     "expected ',' or ')' after argument 1 of 'neg', found the end of the "
     "text"},
    {"\xc3\xa4(@0)", 0, 1, "unexpected byte 0xc3"},
    {"add(@0,\x7f)", 7, 8, "unexpected byte 0x7f"},
    {std::string_view("add(\0,@1)", 9), 4, 5, "unexpected byte 0x00"},
    {"True(@0)", 4, 5,
     "expected the end of the text after the expression, found '('"},
    {"add(@0,\n@1\n@2)", 11, 13,
     "expected ',' or ')' after argument 2 of 'add', found '@2'"},
};

TEST(Malformed, EveryErrorHasItsPlaceAndSentence) {
  static_assert(std::size(Cases) >= 70);
  for (const Malformed &bad : Cases) {
    auto expression = Expression::parse(bad.text);
    ASSERT_FALSE(expression) << bad.text;
    const Error &error = expression.error();
    EXPECT_TRUE(error.hasRange()) << bad.text;
    EXPECT_EQ(error.range().begin, bad.begin) << bad.text;
    EXPECT_EQ(error.range().end, bad.end) << bad.text;
    EXPECT_EQ(error.message(), bad.message) << bad.text;
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
    EXPECT_EQ(error.source(), bad.text);
  }
}

TEST(Malformed, LongWordsAreCutInMessages) {
  const std::string word(100000, 'x');
  for (const std::string &text :
       {"1" + word, "@1" + word, "add(@0 " + word + ")", word + "(@0 @1)"}) {
    auto expression = Expression::parse(text);
    ASSERT_FALSE(expression);
    EXPECT_LT(expression.error().message().size(), 200u);
    EXPECT_LT(expression.error().render().size(), 400u);
  }
}

static ErrorCode codeOf(const std::string &text, const ParseLimits &limits) {
  auto expression = Expression::parse(text, limits);
  EXPECT_FALSE(expression);
  return expression ? ErrorCode::Io : expression.error().code();
}

TEST(Malformed, AMillionBracketsAreAnErrorWithAPlace) {
  const std::size_t million = 1000000;
  for (char bracket : {'(', '[', ')', ',', '-'}) {
    auto expression = Expression::parse(std::string(million, bracket));
    ASSERT_FALSE(expression);
    EXPECT_TRUE(expression.error().hasRange());
    EXPECT_LT(expression.error().render().size(), 500u);
  }
  std::string calls;
  for (int i = 0; i < 200000; ++i)
    calls += "neg(";
  EXPECT_EQ(codeOf(calls, {}), ErrorCode::LimitExceeded);
}

TEST(Malformed, LimitsHold) {
  ParseLimits limits;
  limits.maxLength = 9;
  EXPECT_EQ(codeOf("add(@0,@1)", limits), ErrorCode::LimitExceeded);
  limits = {};
  limits.maxDepth = 2;
  EXPECT_TRUE(Expression::parse("neg(neg(@0))", limits));
  EXPECT_EQ(codeOf("neg(neg(neg(@0)))", limits), ErrorCode::LimitExceeded);
  limits = {};
  limits.maxNodes = 3;
  EXPECT_TRUE(Expression::parse("add(@0,@1)", limits));
  EXPECT_EQ(codeOf("add(neg(@0),@1)", limits), ErrorCode::LimitExceeded);
  limits = {};
  limits.maxOperands = 2;
  EXPECT_TRUE(Expression::parse("@1", limits));
  EXPECT_EQ(codeOf("@2", limits), ErrorCode::LimitExceeded);
  limits.maxOperands = std::numeric_limits<std::size_t>::max();
  auto last = Expression::parse("@4294967294", limits);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->operandCount(), 4294967295u);
  EXPECT_EQ(codeOf("@4294967295", limits), ErrorCode::LimitExceeded);
  limits = {};
  limits.maxLiterals = 1;
  EXPECT_TRUE(Expression::parse("add(@0,1)", limits));
  EXPECT_EQ(codeOf("add(2,1)", limits), ErrorCode::LimitExceeded);
  // PNNX's own faults are no way around a limit.
  EXPECT_FALSE(Expression::parse("add(1,,2)", limits));
}

TEST(Malformed, ALimitIsReportedWhereItIsPassed) {
  ParseLimits limits;
  limits.maxDepth = 2;
  auto deep = Expression::parse("neg(neg(neg(@0)))", limits);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().message(), "more than 2 nested calls");
  EXPECT_EQ(deep.error().range(), (SourceRange{8, 11}));
  limits.maxLength = 4;
  auto lengthy = Expression::parse("@0 @0", limits);
  ASSERT_FALSE(lengthy);
  EXPECT_EQ(lengthy.error().message(),
            "the expression has 5 bytes, more than the limit of 4");
  EXPECT_FALSE(lengthy.error().hasRange());
}
