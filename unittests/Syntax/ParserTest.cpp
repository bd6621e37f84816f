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
#include <limits>
#include <random>

using namespace kexpr;

static Expression parsed(std::string_view text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << expression.error().render();
  return *expression;
}

/// The entries of the reverse Polish order, as text.
static std::string rpnOf(std::string_view text) {
  const Expression expression = parsed(text);
  std::string result;
  for (const RpnEntry &entry : expression.rpn()) {
    const Node &node = expression.nodes()[entry.node];
    result += result.empty() ? "" : " ";
    if (node.kind == NodeKind::Operand)
      result += '@' + std::to_string(node.index);
    else if (node.kind == NodeKind::Integer)
      result += std::to_string(node.integer);
    else
      result += node.name;
  }
  return result;
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
      {"nan.0", NodeKind::Float, NAN, "nan"},
      {"-nan.0", NodeKind::Float, NAN, "nan"},
      {"0.1000000000000000055511151231257827", NodeKind::Float, 0.1, "0.1"},
      {"9223372036854775807", NodeKind::Integer, 9223372036854775807.0,
       "9223372036854775807"},
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
}

TEST(Parser, ReversePolishOrder) {
  EXPECT_EQ(rpnOf("add(mul(@0,@1),@2)"), "@0 @1 mul @2 add");
  EXPECT_EQ(rpnOf("add(mul(@0,@1),mul(@2,@3))"), "@0 @1 mul @2 @3 mul add");
  EXPECT_EQ(rpnOf("add(@0,add(@1,add(@3,mul(@4,@5))))"),
            "@0 @1 @3 @4 @5 mul add add add");
  EXPECT_EQ(rpnOf("@7"), "@7");
}

/// Left child, node, right child.
static std::string inOrder(const Expression &expression, const Node &node) {
  if (node.kind != NodeKind::Call)
    return '@' + std::to_string(node.index);
  return inOrder(expression, expression.nodes()[node.children[0]]) + ' ' +
         std::string(node.name) + ' ' +
         inOrder(expression, expression.nodes()[node.children[1]]);
}

TEST(Parser, TheTreeCanBeWalkedInOrder) {
  const Expression expression = parsed("add(mul(@0,@1),mul(@2,@3))");
  EXPECT_EQ(inOrder(expression, expression.root()), "@0 mul @1 add @2 mul @3");
  EXPECT_EQ(expression.root().range, (SourceRange{0, 26}));
}

TEST(Parser, OperandsMayHaveAnyOrderAndGaps) {
  const Expression expression = parsed("add(@31231,mul(@2,@2))");
  EXPECT_EQ(expression.operandCount(), 31232u);
  const auto used = expression.usedOperands();
  EXPECT_EQ(std::vector<std::uint32_t>(used.begin(), used.end()),
            (std::vector<std::uint32_t>{2, 31231}));
  EXPECT_EQ(parsed("5").operandCount(), 0u);
}

TEST(Parser, WordsThatAreNoOperatorsHaveATree) {
  EXPECT_EQ(parsed("axc(@0,mcl(@1))").root().name, "axc");
  EXPECT_EQ(parsed("div(@0,@1,trunc)").nodes()[2].kind, NodeKind::Word);
}

TEST(Parser, ListsNestAndMayBeEmpty) {
  EXPECT_EQ(parsed("[]").root().children.size(), 0u);
  EXPECT_EQ(parsed("[None,None,[1,0]]").root().children.size(), 3u);
  EXPECT_EQ(parsed("[add(@0,1),mul(@1,2)]").canonical(),
            "[add(@0,1),mul(@1,2)]");
}

TEST(Parser, ReadsWhatPnnxWroteWrongAsPnnxMeansIt) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"expm1,@0", "expm1(@0)"},
      {"expm1,sub(@0,0.5)", "expm1(sub(@0,0.5))"},
      {"mul(expm1,@0),@1", "mul(expm1(@0),@1)"},
      {"add(@0,expm1),@1", "add(@0,expm1(@1))"},
      {"mul(log1p,@0),expm1,@1", "mul(log1p(@0),expm1(@1))"},
      {"[expm1,@0]", "[expm1(@0)]"},
      {"torch.int,@0", "torch.int(@0)"},
      {"add(@0,,mul(@1,2))", "add(@0,mul(@1,2))"},
      {"add( @0 ,, mul(@1 , 2) )", "add(@0,mul(@1,2))"},
      {"sub(@0,,mul(log1p,@1),3)", "sub(@0,mul(log1p(@1),3))"},
  };
  for (const auto &[text, meaning] : cases)
    EXPECT_EQ(parsed(text).canonical(), meaning) << text;
}

TEST(Parser, AStrictReadingIsPreferred) {
  EXPECT_EQ(parsed("add(@0,@1,2)").root().children.size(), 3u);
  EXPECT_EQ(parsed("sqrt(div(add(mul(@0,2),@1,1),12))").canonical(),
            "sqrt(div(add(mul(@0,2),@1,1),12))");
}

namespace {
/// Random trees in the call grammar.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}
  std::string expression(int depth) {
    if (depth == 0 || random() % 4 == 0)
      return leaf();
    const std::string names[] = {"add", "sin", "torch.float", "x_1"};
    const bool list = random() % 8 == 0;
    std::string text = list ? "[" : names[random() % 4] + blank() + "(";
    const unsigned count = 1 + random() % 3;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? "," : "") + blank() + expression(depth - 1) + blank();
    return text + (list ? "]" : ")");
  }
  std::mt19937 random;

private:
  std::string blank() { return std::string(random() % 2, ' '); }
  std::string leaf() {
    const std::string fixed[] = {
        "inf", "nan.0", "True", "None", "-inf", "1e-7", "1.5e+00-2.5e-01j"};
    switch (random() % 4) {
    case 0:
      return '@' + std::to_string(random() % 100);
    case 1:
      return std::to_string(int(random()));
    case 2:
      return std::to_string(double(int(random())) / 1000);
    default:
      return fixed[random() % std::size(fixed)];
    }
  }
};
} // namespace

/// Reading what was printed gives the same tree.
static void expectRoundTrip(const Expression &expression) {
  auto again = Expression::parse(expression.canonical());
  ASSERT_TRUE(again) << again.error().render();
  EXPECT_EQ(again->canonical(), expression.canonical());
  ASSERT_EQ(again->nodes().size(), expression.nodes().size());
  for (std::size_t i = 0; i < again->nodes().size(); ++i) {
    const Node &a = again->nodes()[i], &b = expression.nodes()[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.name, b.name);
    EXPECT_TRUE(a.number == b.number ||
                (std::isnan(a.number) && std::isnan(b.number)));
    EXPECT_EQ(a.children.size(), b.children.size());
  }
}

TEST(Parser, PrintingAndParsingAreInverse) {
  Generator generator(1);
  for (int i = 0; i < 2000; ++i)
    expectRoundTrip(parsed(generator.expression(5)));
}

TEST(Parser, MutatedTextIsReadOrRefusedWithAPlaceInIt) {
  Generator generator(2);
  for (int i = 0; i < 20000; ++i) {
    std::string text = generator.expression(3);
    const std::string alphabet = "@(),[]0.eE+-jn \0a";
    for (unsigned k = generator.random() % 4; k > 0 && !text.empty(); --k) {
      const std::size_t at = generator.random() % text.size();
      if (generator.random() % 2)
        text.erase(at, 1);
      else
        text[at] = alphabet[generator.random() % alphabet.size()];
    }
    auto expression = Expression::parse(text);
    if (expression) {
      expectRoundTrip(*expression);
      continue;
    }
    EXPECT_LE(expression.error().range().begin, text.size()) << text;
    EXPECT_LE(expression.error().range().end, text.size()) << text;
  }
}
