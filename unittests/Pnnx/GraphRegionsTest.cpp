//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

using namespace kexpr;
using namespace kexpr::test;

using Names = std::vector<std::string>;

namespace {
class GraphRegions : public GraphTest {
protected:
  /// The operators of every step.
  std::vector<Names> stepsOf(const PnnxModel &model) {
    std::vector<Names> steps;
    for (const GraphStep &step : make(model).steps())
      steps.push_back(step.operators);
    return steps;
  }
};
} // namespace

TEST_F(GraphRegions, TheTailOfAResidualBlockIsOneKernel) {
  const auto model = modelOf(
      {"pnnx.Input in 0 1 x #x=(2,3,4,5)f32", "test.Rotate conv 1 1 x a",
       "nn.BatchNorm2d bn 1 1 a b affine=True eps=1.0e-5 num_features=3 "
       "@bias=(3)f32 @running_mean=(3)f32 @running_var=(3)f32 @weight=(3)f32",
       "pnnx.Expression sum 2 1 b x c expr=add(@0,@1)", "nn.ReLU relu 1 1 c y",
       "pnnx.Output out 1 0 y"},
      {constantOf("bn.bias", {1, 2, 3}),
       constantOf("bn.running_mean", {0, 1, -1}),
       constantOf("bn.running_var", {1, 4, 9}),
       constantOf("bn.weight", {1, 2, 3})});
  const auto graph = make(model);
  const auto steps = graph.steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].operators, Names{"conv"});
  EXPECT_EQ(steps[0].expression, "");
  EXPECT_EQ(steps[1].operators, (Names{"bn", "sum", "relu"}));
  EXPECT_EQ(steps[1].types,
            (Names{"nn.BatchNorm2d", "pnnx.Expression", "nn.ReLU"}));
  EXPECT_EQ(steps[1].expression, "relu(add(add(mul(@0,@1),@2),@3))");
  EXPECT_EQ(steps[1].inputs, (Names{"a", "constant", "constant", "x"}));
  EXPECT_EQ(steps[1].outputs, Names{"y"});
  EXPECT_EQ(steps[1].elements, 120);
}

TEST_F(GraphRegions, ASiluGateIsOneKernel) {
  EXPECT_EQ(stepsOf(modelOf(
                {"pnnx.Input in 0 1 x #x=(2,8)f32", "test.Rotate up 1 1 x u",
                 "test.Rotate gate 1 1 x g", "F.silu silu 1 1 g s",
                 "pnnx.Expression mul 2 1 s u m expr=mul(@0,@1)",
                 "test.Rotate down 1 1 m y", "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"up"}, {"gate"}, {"silu", "mul"}, {"down"}}));
}

TEST_F(GraphRegions, BothBranchesMergeWhereTheyMeet) {
  EXPECT_EQ(
      stepsOf(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32",
                       "test.Rotate short 1 1 x a", "F.sigmoid s1 1 1 a b",
                       "test.Rotate long1 1 1 x c", "F.tanh t 1 1 c d",
                       "test.Rotate long2 1 1 d e", "F.sigmoid s2 1 1 e f",
                       "pnnx.Expression sum 2 1 b f y expr=add(@0,@1)",
                       "pnnx.Output out 1 0 y"})),
      (std::vector<Names>{
          {"short"}, {"long1"}, {"t"}, {"long2"}, {"s1", "s2", "sum"}}));
}

TEST_F(GraphRegions, NoRegionSwallowsAPathThroughALayer) {
  // s -> layer -> sum and s -> sum: one kernel of s and sum would need the
  // layer's result before it has given the layer its input.
  EXPECT_EQ(stepsOf(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32",
                             "F.sigmoid s 1 1 x a", "test.Rotate layer 1 1 a b",
                             "pnnx.Expression sum 2 1 a b y expr=add(@0,@1)",
                             "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"s"}, {"layer"}, {"sum"}}));
}

TEST_F(GraphRegions, SeveralResultsOfOneKernel) {
  const auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x #x=(2,8)f32", "F.sigmoid s 1 1 x a",
       "F.tanh t 1 1 x b", "pnnx.Expression e 2 1 a b c expr=mul(@0,@1)",
       "pnnx.Output out1 1 0 a", "pnnx.Output out2 1 0 c"}));
  ASSERT_EQ(graph.steps().size(), 1u);
  EXPECT_EQ(graph.steps()[0].expression,
            "%0=sigmoid(@0);[%0,mul(%0,tanh(@0))]");
}

TEST_F(GraphRegions, ConsumersOfOneValueShareAKernel) {
  EXPECT_EQ(
      stepsOf(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32", "F.sigmoid s 1 1 x a",
                       "F.tanh t 1 1 x b", "pnnx.Output out1 1 0 a",
                       "pnnx.Output out2 1 0 b"})),
      (std::vector<Names>{{"s", "t"}}));
}

TEST_F(GraphRegions, CheapValuesAreComputedAgain) {
  EXPECT_EQ(stepsOf(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32",
                             "pnnx.Expression half 1 1 x a expr=mul(@0,0.5)",
                             "F.sigmoid s 1 1 a b", "test.Rotate layer 1 1 b c",
                             "pnnx.Expression sum 2 1 a c y expr=add(@0,@1)",
                             "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"half", "s"}, {"layer"}, {"half", "sum"}}));
}

TEST_F(GraphRegions, ExpensiveValuesAreStored) {
  const auto graph =
      make(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32", "F.gelu g 1 1 x a",
                    "F.sigmoid s 1 1 a b", "test.Rotate layer 1 1 b c",
                    "pnnx.Expression sum 2 1 a c y expr=add(@0,@1)",
                    "pnnx.Output out 1 0 y"}));
  ASSERT_EQ(graph.steps().size(), 3u);
  EXPECT_EQ(graph.steps()[0].outputs, (Names{"a", "b"}));
  EXPECT_EQ(graph.steps()[2].operators, Names{"sum"});
}

TEST_F(GraphRegions, AnExpensiveSmallValueIsNotComputedForEveryElement) {
  EXPECT_EQ(stepsOf(modelOf({"pnnx.Input in1 0 1 x #x=(2,3,8,8)f32",
                             "pnnx.Input in2 0 1 z #z=(2,3,1,1)f32",
                             "F.sigmoid s 1 1 z a",
                             "pnnx.Expression e 2 1 x a y expr=mul(@0,@1)",
                             "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"s"}, {"e"}}));
  EXPECT_EQ(stepsOf(modelOf({"pnnx.Input in1 0 1 x #x=(2,3,8,8)f32",
                             "pnnx.Input in2 0 1 z #z=(2,3,1,1)f32",
                             "pnnx.Expression one 1 1 z a expr=add(@0,1)",
                             "pnnx.Expression e 2 1 x a y expr=mul(@0,@1)",
                             "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"one", "e"}}));
}

TEST_F(GraphRegions, ScalarTensorsAreNotComputedAmongTensors) {
  // As a tensor, the sum would make the product f64.
  EXPECT_EQ(stepsOf(modelOf({"pnnx.Input in1 0 1 x #x=(2,3)f32",
                             "pnnx.Input in2 0 1 z #z=()f64",
                             "pnnx.Expression one 1 1 z a expr=add(@0,1)",
                             "pnnx.Expression e 2 1 x a y expr=mul(@0,@1) "
                             "#y=(2,3)f32",
                             "pnnx.Output out 1 0 y"})),
            (std::vector<Names>{{"one"}, {"e"}}));
}

TEST_F(GraphRegions, WhatIsUsedTwiceIsThereOnce) {
  // As a tree, the last would have 2^100 leaves.
  std::vector<std::string> lines = {"pnnx.Input in 0 1 v0 #v0=(4)f32"};
  for (int i = 0; i < 100; ++i)
    lines.push_back("pnnx.Expression e" + std::to_string(i) + " 1 1 v" +
                    std::to_string(i) + " v" + std::to_string(i + 1) +
                    " expr=sub(mul(@0,0.5),sqrt(abs(@0)))");
  lines.push_back("pnnx.Output out 1 0 v100");
  const auto graph = make(modelOf(lines));
  ASSERT_EQ(graph.steps().size(), 1u);
  EXPECT_LT(graph.steps()[0].expression.size(), 5000u);
}

TEST_F(GraphRegions, WhatNobodyNeedsIsLeftOut) {
  EXPECT_EQ(
      stepsOf(modelOf({"pnnx.Input in 0 1 x #x=(4)f32", "F.relu r 1 1 x y",
                       "F.tanh t 1 1 y z", "pnnx.Output out 1 0 y"})),
      (std::vector<Names>{{"r"}}));
}

TEST_F(GraphRegions, WithoutFusionEveryOperatorIsAStep) {
  auto model = modelOf({"pnnx.Input in 0 1 x #x=(2,8)f32",
                        "nn.Identity i 1 1 x x2", "F.silu s 1 1 x2 a",
                        "pnnx.Expression e 2 1 a x y expr=mul(add(@0,1),@1)",
                        "pnnx.Output out 1 0 y"});
  const auto graph = make(model, {.fuse = false});
  ASSERT_EQ(graph.steps().size(), 2u);
  EXPECT_EQ(graph.steps()[0].operators, Names{"s"});
  EXPECT_EQ(graph.steps()[1].operators, Names{"e"});
}

TEST_F(GraphRegions, HalvesAreRoundedInsideAKernelAsBetweenKernels) {
  const auto graph =
      make(modelOf({"pnnx.Input in 0 1 x #x=(2,8)f16", "F.sigmoid s 1 1 x a",
                    "F.tanh t 1 1 a y", "pnnx.Output out 1 0 y"}));
  ASSERT_EQ(graph.steps().size(), 1u);
  EXPECT_EQ(graph.steps()[0].expression, "tanh(torch.half(sigmoid(@0)))");
}
