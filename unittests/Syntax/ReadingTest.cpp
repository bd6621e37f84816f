//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Reading.h"

using namespace kexpr;
using namespace kexpr::syntax;

TEST(Reading, PnnxsOwnFaultsAreReadAsPnnxMeansThem) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"expm1,@0", "expm1(@0)"},
      {"log1p,@0", "log1p(@0)"},
      {"expm1,log1p,@0", "expm1(log1p(@0))"},
      {"expm1,sub(@0,0.5)", "expm1(sub(@0,0.5))"},
      {"mul(expm1,@0),@1", "mul(expm1(@0),@1)"},
      {"add(@0,expm1),@1", "add(@0,expm1(@1))"},
      {"add(@0,expm1),size(@1,2)", "add(@0,expm1(size(@1,2)))"},
      {"mul(torch.int,@0),@1", "mul(torch.int(@0),@1)"},
      {"mul(int(@0),torch.half),@1", "mul(int(@0),torch.half(@1))"},
      {"[expm1,@0]", "[expm1(@0)]"},
      {"[@1,expm1,@0]", "[@1,expm1(@0)]"},
      {"add(@0,,mul(@1,2))", "add(@0,mul(@1,2))"},
      {"add(,@0,@1)", "add(@0,@1)"},
      {"add(@0,@1,)", "add(@0,@1)"},
      {" add( @0 , , mul( @1 , 2 ) ) ", "add(@0,mul(@1,2))"},
  };
  for (const auto &[text, meaning] : cases) {
    const ExpressionPtr data = read(text);
    ASSERT_TRUE(data) << text;
    EXPECT_EQ(data->canonical, meaning) << text;
    EXPECT_EQ(read(meaning)->canonical, meaning);
  }
}

TEST(Reading, OtherFaultsKeepTheStrictError) {
  for (const char *text : {"add(@0,@1",
                           "add @0 @1",
                           "add(@0,@1))",
                           "(@0)",
                           "add(@0,@1),1",
                           "neg,@0",
                           "sigmoid,@0",
                           "mul(expm1,@0),@1,@2",
                           ",expm1,@0",
                           "expm1,@0,",
                           "expm1 @0",
                           "(expm1),@0",
                           "add(@0,,@1),2",
                           "add(@0,,@1,2)",
                           "add(@0,,)",
                           "add(,)",
                           "[@0,,@1]",
                           "expm1,@0)",
                           "mul(expm1,@0]),@1",
                           "add(@0,,foo(@1))",
                           "expm1,"})
    EXPECT_FALSE(parse(text, {}, arityOf)) << text;
}

TEST(Reading, ABareNameThatPrefixNotationCannotUseIsAWord) {
  for (const char *text :
       {"mul(expm1,@0)", "add(@0,expm1)", "expm1", "[[expm1,@0]]"}) {
    const ExpressionPtr data = read(text);
    EXPECT_EQ(data->canonical, text);
    EXPECT_TRUE(std::any_of(
        data->nodes.begin(), data->nodes.end(),
        [](const Node &node) { return node.kind == NodeKind::Word; }));
  }
}

TEST(Reading, AListingIsNotWhatItsCallsWouldBeReadAs) {
  // [add(mul(log1p(@1),2),neg(@0))], without names.
  EXPECT_FALSE(parse("%0=neg(@0);[add(mul(log1p),@1),2,%0]", {}, arityOf));
  EXPECT_TRUE(parse("%0=neg(@0);[add(mul(log1p),@1),2,%0,%0]", {}, arityOf));
  EXPECT_TRUE(parse("%0=neg(@0);[add(mul(tanh),@1),2,%0]", {}, arityOf));
}

TEST(Reading, AritiesAreTheCallers) {
  EXPECT_FALSE(parse("add(@0,,@1)", {}, [](std::string_view) { return 0u; }));
  auto data = parse("f(@0,,@1,@2)", {}, [](std::string_view) { return 3u; });
  ASSERT_TRUE(data);
  EXPECT_EQ((*data)->canonical, "f(@0,@1,@2)");
  // The strict reading takes any name with any number of arguments.
  EXPECT_EQ(read("f(@0,g(1,2,3),add(@1))")->canonical,
            "f(@0,g(1,2,3),add(@1))");
}

TEST(Reading, RangesCoverANodesOwnTokens) {
  // Strict: from the name to the closing parenthesis, or bracket to bracket.
  const ExpressionPtr call = read(" add( @0 , neg(@1) ) ");
  EXPECT_EQ(call->nodes[0].range, (SourceRange{6, 8}));
  EXPECT_EQ(call->nodes[2].range, (SourceRange{11, 18}));
  EXPECT_EQ(call->nodes[3].range, (SourceRange{1, 20}));
  EXPECT_EQ(read("[@0, 1]")->nodes.back().range, (SourceRange{0, 7}));
  // Prefix: from the name to the last value.
  const ExpressionPtr prefix = read("mul(expm1,@0),@1");
  EXPECT_EQ(prefix->nodes[1].range, (SourceRange{4, 12}));
  EXPECT_EQ(prefix->nodes[3].range, (SourceRange{0, 16}));
}

TEST(Reading, TheListedExpressionsRunOnAStack) {
  const auto expressions = listedExpressions();
  ASSERT_GT(expressions.size(), 250u);
  for (const std::string &text : expressions) {
    const ExpressionPtr data = read(text);
    ASSERT_TRUE(data) << text;
    EXPECT_TRUE(runsOnAStack(*data)) << text;
    EXPECT_EQ(data->rpn.size(), data->nodes.size());
    EXPECT_EQ(data->text, text);
    EXPECT_EQ(read(data->canonical)->canonical, data->canonical);
  }
}

TEST(Reading, PnnxsCallsAreCanonicalAlready) {
  for (const char *text :
       {"sqrt(div(add(mul(@0,2),@1,1),12))", "div(@0,@1,trunc)",
        "add(mul(@0,3),torch.bool(None))", "[[2,1],[0,1]]",
        "add(add(mul(@0,mul(size(@1,2),size(@1,3))),1.33333337),4)"})
    EXPECT_EQ(read(text)->canonical, text);
}
