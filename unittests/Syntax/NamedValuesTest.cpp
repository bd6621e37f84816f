//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Listing.h"

#include <gtest/gtest.h>

using namespace kexpr;

// Texts that name values: listings of graphs.

static Expression graphOf(const std::string &text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << expression.error().render();
  return *expression;
}

TEST(NamedValues, AreNodesWithSeveralParents) {
  const Expression expression =
      graphOf("%0 = mul(@0,@1); %1 = 2.5; add(%0,sub(%0,%1))");
  const auto nodes = expression.nodes();
  ASSERT_EQ(nodes.size(), 6u);
  EXPECT_EQ(nodes[2].name, "mul");
  EXPECT_EQ(nodes[3].kind, NodeKind::Float);
  const Node &root = expression.root();
  EXPECT_EQ(root.name, "add");
  EXPECT_EQ(root.children[0], 2u);
  EXPECT_EQ(nodes[root.children[1]].children[0], 2u);
  EXPECT_EQ(nodes[root.children[1]].children[1], 3u);
  // It is where its definition is.
  EXPECT_EQ(nodes[2].range.begin, 5u);
  EXPECT_EQ(expression.operandCount(), 2u);
  EXPECT_TRUE(expression.rpn().empty());
}

TEST(NamedValues, CanonicalFormsNameCallsThatRepeat) {
  struct {
    const char *text, *canonical;
  } const cases[] = {
      {"add(mul(@0,@1),mul(@0,@1))", "%0=mul(@0,@1);add(%0,%0)"},
      {"%0=mul(@0,@1);add(%0,%0)", "%0=mul(@0,@1);add(%0,%0)"},
      {"%0=mul(@0,@1);%1=relu(%0);add(%1,2)", "add(relu(mul(@0,@1)),2)"},
      {"add(@0,@0)", "add(@0,@0)"},
      {"%0=neg(@0);%0", "neg(@0)"},
      {"%0=@0;mul(%0,%0)", "mul(@0,@0)"},
      {"[neg(@0),abs(neg(@0))]", "%0=neg(@0);[%0,abs(%0)]"},
      // In the order in which they are done, whatever the text's.
      {"%0=exp(@1);%1=exp(@0);mul(add(%1,%1),add(%0,%0))",
       "%0=exp(@0);%1=exp(@1);mul(add(%0,%0),add(%1,%1))"},
      {"mul(add(exp(@0),exp(@0)),add(exp(@0),exp(@0)))",
       "%0=exp(@0);%1=add(%0,%0);mul(%1,%1)"},
      // Zeros of two signs are two values, and NaNs one.
      {"mul(add(@0,0.0),add(@0,-0.0))", "mul(add(@0,0.0),add(@0,-0.0))"},
      {"mul(add(@0,nan),add(@0,-nan))", "%0=add(@0,nan);mul(%0,%0)"},
      {"mul(add(@0,1),add(@0,1.0))", "mul(add(@0,1),add(@0,1.0))"},
  };
  for (const auto &each : cases) {
    EXPECT_EQ(graphOf(each.text).canonical(), each.canonical) << each.text;
    EXPECT_EQ(graphOf(each.canonical).canonical(), each.canonical);
  }
}

/// A value that is used twice, forty times over.
static std::string doubled(int times) {
  std::string text = "%0=mul(@0,@0);";
  for (int i = 1; i < times; ++i)
    text += "%" + std::to_string(i) + "=mul(%" + std::to_string(i - 1) + ",%" +
            std::to_string(i - 1) + ");";
  return text + "%" + std::to_string(times - 1);
}

TEST(NamedValues, AreNeverUnfolded) {
  const Expression expression = graphOf(doubled(40));
  EXPECT_EQ(expression.nodes().size(), 42u);
  EXPECT_LT(expression.canonical().size(), 1000u);
  EXPECT_LT(syntax::list(expression).text.size(), 4000u);
}

TEST(NamedValues, ListsInCallsAreNotUnfoldedEither) {
  std::string text = "%0=neg(@0);";
  for (int i = 1; i < 41; ++i) {
    const std::string last = "[%" + std::to_string(i - 1) + "]";
    text += "%" + std::to_string(i) + "=f(" + last + "," + last + ");";
  }
  const std::string canonical = graphOf(text + "%40").canonical();
  EXPECT_LT(canonical.size(), 2000u);
  EXPECT_EQ(graphOf(canonical).canonical(), canonical);
}

TEST(NamedValues, LiteralsStandWhereverTheyAreUsed) {
  const Expression expression = graphOf("%0=@0;%1=2;[neg(%0),add(%0,%1),%1]");
  EXPECT_EQ(expression.canonical(), "[neg(@0),add(@0,2),2]");
  EXPECT_EQ(expression.nodes().size(), 7u);
  EXPECT_EQ(expression.tightestLimits().maxLiterals, 2u);
}

/// What is written counts: nodes, and names of calls.
TEST(NamedValues, LimitsCountTheGraph) {
  const auto codeOf = [](const std::string &text, const ParseLimits &limits) {
    const auto expression = Expression::parse(text, limits);
    return expression ? 0 : static_cast<int>(expression.error().code());
  };
  EXPECT_EQ(codeOf(doubled(40), {.maxNodes = 121}), 0);
  EXPECT_EQ(codeOf(doubled(40), {.maxNodes = 120}),
            static_cast<int>(ErrorCode::LimitExceeded));
  // Depth adds up over definitions.
  EXPECT_EQ(codeOf(doubled(40), {.maxDepth = 40}), 0);
  EXPECT_EQ(codeOf(doubled(40), {.maxDepth = 39}),
            static_cast<int>(ErrorCode::LimitExceeded));
  EXPECT_EQ(graphOf(doubled(40)).tightestLimits().maxDepth, 40u);
}

TEST(NamedValues, StandInFrontInListings) {
  EXPECT_EQ(syntax::list(graphOf("%0=mul(@0,@1);add(%0,neg(%0))")).text,
            "for each element:\n"
            "  %0 =\n"
            "    mul(@0, @1)\n"
            "  out0 =\n"
            "    add(\n"
            "      %0,\n"
            "      neg(%0))\n");
}
