//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Expression.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kexpr;

static Expression treeOf(std::string_view text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << expression.error().render();
  return *expression;
}

/// The entries of the reverse Polish order, as text.
static std::string rpnOf(std::string_view text) {
  const Expression expression = treeOf(text);
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
  const Expression expression = treeOf("add(mul(@0,@1),mul(@2,@3))");
  EXPECT_EQ(inOrder(expression, expression.root()), "@0 mul @1 add @2 mul @3");
  EXPECT_EQ(expression.root().range, (SourceRange{0, 26}));
}

TEST(Parser, OperandsMayHaveAnyOrderAndGaps) {
  const Expression expression = treeOf("add(@31231,mul(@2,@2))");
  EXPECT_EQ(expression.operandCount(), 31232u);
  const auto used = expression.usedOperands();
  EXPECT_EQ(std::vector<std::uint32_t>(used.begin(), used.end()),
            (std::vector<std::uint32_t>{2, 31231}));
  EXPECT_EQ(treeOf("5").operandCount(), 0u);
}

TEST(Parser, WordsThatAreNoOperatorsHaveATree) {
  EXPECT_EQ(treeOf("axc(@0,mcl(@1))").root().name, "axc");
  EXPECT_EQ(treeOf("div(@0,@1,trunc)").nodes()[2].kind, NodeKind::Word);
}

TEST(Parser, ListsNestAndMayBeEmpty) {
  EXPECT_EQ(treeOf("[]").root().children.size(), 0u);
  EXPECT_EQ(treeOf("[None,None,[1,0]]").root().children.size(), 3u);
  EXPECT_EQ(treeOf("[add(@0,1),mul(@1,2)]").canonical(),
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
    EXPECT_EQ(treeOf(text).canonical(), meaning) << text;
}

TEST(Parser, AStrictReadingIsPreferred) {
  EXPECT_EQ(treeOf("add(@0,@1,2)").root().children.size(), 3u);
  EXPECT_EQ(treeOf("sqrt(div(add(mul(@0,2),@1,1),12))").canonical(),
            "sqrt(div(add(mul(@0,2),@1,1),12))");
}
