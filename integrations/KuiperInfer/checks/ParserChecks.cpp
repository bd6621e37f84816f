//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Framework.h"

#include <gtest/gtest.h>

using namespace kexpr::kuiper;

static const std::vector<std::string> &stringsOf(ExpressionParser &parser) {
#ifdef KEXPR_KUIPER_COURSE
  return parser.token_strs();
#else
  return parser.token_str_array();
#endif
}

static std::vector<int> numbersOf(const std::string &text) {
  std::vector<int> numbers;
  for (const auto &node : ExpressionParser(text).Generate())
    numbers.push_back(node->num_index);
  return numbers;
}

TEST(Parser, CountsPlacesWithoutBlanks) {
  ExpressionParser parser(" a dd ( @1 2,\tmul(@0,@3))\n");
  parser.Tokenizer();
  const std::vector<std::string> strings = {"add", "(", "@12", ",", "mul", "(",
                                            "@0",  ",", "@3",  ")", ")"};
  EXPECT_EQ(stringsOf(parser), strings);
  int place = 0;
  ASSERT_EQ(parser.tokens().size(), strings.size());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(parser.tokens()[i].start_pos, place);
    place += static_cast<int>(strings[i].size());
    EXPECT_EQ(parser.tokens()[i].end_pos, place);
  }
  EXPECT_EQ(parser.tokens()[2].token_type, TokenType::TokenInputNumber);
  EXPECT_EQ(parser.tokens()[4].token_type, TokenType::TokenMul);
}

TEST(Parser, TokenizesOnceUnlessAskedAgain) {
  ExpressionParser parser("add(@0,@1)");
  parser.Tokenizer();
  const auto *first = parser.tokens().data();
  parser.Tokenizer();
  EXPECT_EQ(parser.tokens().data(), first);
  parser.Tokenizer(true);
  EXPECT_EQ(parser.tokens().size(), 6u);
  EXPECT_EQ(stringsOf(parser).size(), 6u);
}

TEST(Parser, GeneratesNodesInPostOrder) {
  EXPECT_EQ(numbersOf("@7"), std::vector<int>({7}));
  EXPECT_EQ(numbersOf("add(@0,add(@1,add(@3,mul(@4,@5))))"),
            std::vector<int>({0, 1, 3, 4, 5, -5, -6, -6, -6}));
  const auto nodes = ExpressionParser("mul(add(@0,@1),add(@0,@1))").Generate();
  ASSERT_EQ(nodes.size(), 7u);
  EXPECT_EQ(nodes[6]->left, nodes[2]);
  EXPECT_EQ(nodes[6]->right, nodes[5]);
  EXPECT_EQ(nodes[5]->right->num_index, 1);
  EXPECT_EQ(nodes[0]->left, nullptr);
}

TEST(Parser, RefusesWhatATokenNodeCannotHold) {
  for (const char *text : {"add(@0,2)", "sigmoid(@0)", "sub(@0,@1)",
                           "add(@0,@1,2)", "[@0,@1]", "True"}) {
    ExpressionParser parser(text);
    parser.Tokenizer();
    EXPECT_FALSE(parser.tokens().empty()) << text;
    EXPECT_TRUE(parser.Generate().empty()) << text;
  }
  ExpressionParser parser("sub(@0,2)");
  parser.Tokenizer();
  EXPECT_EQ(parser.tokens()[0].token_type, TokenType::TokenUnknown);
  EXPECT_EQ(parser.tokens()[4].token_type, TokenType::TokenUnknown);
}

TEST(Parser, WhatIsNoExpressionHasNoTokens) {
  for (const char *text : {"", " ", "add(@0", "add(@0,@1))", "@"}) {
    ExpressionParser parser(text);
    parser.Tokenizer();
    EXPECT_TRUE(parser.tokens().empty()) << text;
    EXPECT_TRUE(parser.Generate().empty()) << text;
  }
}

#ifdef KEXPR_KUIPER_COURSE
TEST(Parser, KnowsSin) {
  EXPECT_EQ(numbersOf("add(sin(@0),@1)"), std::vector<int>({0, -2, 1, -6}));
}

TEST(Parser, GeneratesThePartThatBeginsWithAToken) {
  ExpressionParser parser("add(@0,mul(@1,@2))");
  parser.Tokenizer();
  int index = 4;
  const auto tree = parser.Generate_(index);
  ASSERT_NE(tree, nullptr);
  EXPECT_EQ(tree->num_index, int(TokenType::TokenMul));
  EXPECT_EQ(tree->right->num_index, 2);
  EXPECT_EQ(index, 9) << "its last token";
  for (int none : {-1, 1, 11, 1000}) {
    EXPECT_EQ(parser.Generate_(none), nullptr);
  }
}
#endif
