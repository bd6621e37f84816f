//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {
class GraphErrors : public GraphTest {
protected:
  std::string notMade(const std::vector<std::string> &lines,
                      const GraphOptions &options = {}) {
    const auto graph = tryMake(modelOf(lines), options);
    return graph ? "no refusal" : graph.error().message();
  }
};
} // namespace

TEST_F(GraphErrors, AllTypesThatAreMissingAreListed) {
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "nn.Conv2d c1 1 1 x a",
                     "F.relu r 1 1 a b", "nn.Linear l 1 1 b c",
                     "pnnx.Output out 1 0 c"}),
            "no layer is registered for nn.Conv2d 'c1' in line 4, nn.Linear "
            "'l' in line 6");
}

TEST_F(GraphErrors, ExpressionsAndArguments) {
  const auto one = [&](const std::string &line) {
    return notMade(
        {"pnnx.Input in 0 1 x #x=(2,3)f32", line, "pnnx.Output out 1 0 y"});
  };
  EXPECT_EQ(one("pnnx.Expression e 1 1 x y expr=add(@0,@1)"),
            "pnnx.Expression 'e' in line 4: its expression names @1, and it "
            "has 1 inputs");
  EXPECT_EQ(one("pnnx.Expression e 1 1 x y"),
            "pnnx.Expression 'e' in line 4: 'expr' is missing");
  EXPECT_EQ(one("pnnx.Expression e 1 1 x y expr=ad(@0,@0)"),
            "pnnx.Expression 'e' in line 4: unknown operator 'ad'; did you "
            "mean 'add'?");
  EXPECT_EQ(one("F.threshold t 1 1 x y value=1"),
            "F.threshold 't' in line 4: 'threshold' is missing");
  EXPECT_EQ(one("F.leaky_relu t 1 1 x y negative_slope=1),neg(@0"),
            "F.leaky_relu 't' in line 4: 'negative_slope' is no single value: "
            "'1),neg(@0'");
  EXPECT_EQ(one("F.relu r 2 1 x x y"),
            "F.relu 'r' in line 4: it has 2 inputs, of which 1 have a "
            "meaning");
  EXPECT_EQ(one("F.dropout d 1 1 x y p=0.5 training=True"),
            "F.dropout 'd' in line 4: its arguments have no meaning in "
            "inference");
  EXPECT_EQ(one("nn.BatchNorm2d b 1 1 x y eps=1e-5"),
            "nn.BatchNorm2d 'b' in line 4: 'running_mean' is missing, or no "
            "constant");
  EXPECT_EQ(one("torch.clamp c 1 1 x y min=None max=None"),
            "torch.clamp 'c' in line 4: 'max' is None");
}

TEST_F(GraphErrors, ManyValuesThatShareManyNodes) {
  std::string shared = "@0"; // 2047 nodes
  for (int i = 0; i < 10; ++i)
    shared = "add(" + shared + "," + shared + ")";
  std::string text = "%0=" + shared + ";[neg(%0)";
  for (int i = 1; i < 600; ++i)
    text += ",neg(%0)";
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x #x=(2,3)f32",
                     "pnnx.Expression e 1 1 x y expr=" + text + "]",
                     "pnnx.Output out 1 0 y"}),
            "pnnx.Expression 'e' in line 4: its values are computed from more "
            "than 1048576 nodes");
}

TEST_F(GraphErrors, PortsOfTheNetwork) {
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "pnnx.Output out 1 0 x"},
                    {.extraOutputs = {"z"}}),
            "extra output 'z' is no operand of the network");
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "pnnx.Output x 1 0 x"},
                    {.extraOutputs = {"x"}}),
            "two outputs are named 'x'");
}

TEST_F(GraphErrors, ShapesThatTheFileContradicts) {
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x #x=(2,3)f32",
                     "F.relu r 1 1 x y #y=(2,4)f32", "pnnx.Output out 1 0 y"}),
            "operand 'y' has shape [2,3], and the file says [2,4]");
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x #x=(2,3)f32",
                     "torch.gt g 1 1 x y other=0 #y=(2,3)f32",
                     "pnnx.Output out 1 0 y"}),
            "operand 'y' is bool, and the file says f32");
  EXPECT_EQ(notMade({"pnnx.Input i1 0 1 x #x=(2,3)f32",
                     "pnnx.Input i2 0 1 z #z=(2)f32",
                     "pnnx.Expression e 2 1 x z y expr=add(@0,@1)",
                     "pnnx.Output out 1 0 y"})
                .rfind("pnnx.Expression 'e' in line 5: ", 0),
            0u);
}

TEST_F(GraphErrors, TensorsOfARun) {
  auto graph =
      make(modelOf({"pnnx.Input a 0 1 x #x=(?,3)f32", "pnnx.Input b 0 1 z",
                    "pnnx.Expression e 2 1 x z y expr=add(@0,@1)",
                    "pnnx.Output out 1 0 y"}));
  Floats x = someFloats({2, 3}), z = someFloats({3}), y = someFloats({2, 3});
  EXPECT_EQ(refusal(graph.run({{"a", x.view()}})),
            "input 'b' is missing: 1 tensors given for 2 inputs");
  EXPECT_EQ(refusal(graph.run({{"a", x.view()}, {"c", z.view()}})),
            "input 'c' is not one of the graph's: 'a', 'b'");
  EXPECT_EQ(refusal(graph.run({{"a", x.view()}, {"a", x.view()}})),
            "input 'a' is given twice");
  EXPECT_EQ(refusal(graph.run({{"a", z.view()}, {"b", z.view()}})),
            "input 'a' has shape [3], and the file says [-1,3]");
  EXPECT_EQ(
      refusal(graph.run({{"a", TensorView(x.data.data(), DType::I32, {2, 3})},
                         {"b", z.view()}})),
      "input 'a' is i32, and the file says f32");
  const auto *nothing = static_cast<const float *>(nullptr);
  EXPECT_EQ(refusal(graph.run({{"a", {nothing, {2, 3}}}, {"b", z.view()}})),
            "input 'a' is a null pointer");
  EXPECT_EQ(refusal(graph.run({{"a", x.view()}, {"b", TensorView()}})),
            "input 'b' is no tensor with a shape and strides that make sense");
  const std::vector<NamedTensor> inputs = {{"a", x.view()}, {"b", z.view()}};
  EXPECT_EQ(refusal(graph.run(inputs, {{"y", y.view()}})),
            "output 'y' is not one of the graph's: 'out'");
  EXPECT_EQ(refusal(graph.run(inputs, {{"out", z.view()}})),
            "output 'out' is [3], and its value is [2,3]");
  EXPECT_EQ(refusal(graph.run(inputs, {{"out", x.view()}})),
            "output 'out' shares memory with input 'a'");
  EXPECT_EQ(graph.output("out").error().message(),
            "output 'out' has no value before a run");
  EXPECT_EQ(graph.output("o").error().message(), "the graph has no output 'o'");
  EXPECT_TRUE(graph.run(inputs, {{"out", y.view()}}));
  EXPECT_TRUE(graph.output("out"));
}

TEST_F(GraphErrors, ALayerThatFailsStopsTheRun) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x", "F.relu r 1 1 x a", "test.Fail fails 1 1 a b",
       "test.Rotate after 1 1 b y", "pnnx.Output out 1 0 y"}));
  Floats x = someFloats({4});
  const Status status = graph.run({{"in", x.view()}});
  EXPECT_EQ(refusal(status), "test.Fail 'fails' in line 5: the moon is full");
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(counts.runs["after"], 0);
  EXPECT_FALSE(graph.output("out"));
}

TEST_F(GraphErrors, SizesThatNoMemoryHas) {
  EXPECT_EQ(notMade({"pnnx.Input i1 0 1 x #x=(100000000,1)f32",
                     "pnnx.Input i2 0 1 z #z=(100000000)f32",
                     "pnnx.Expression e 2 1 x z y expr=add(@0,@1)",
                     "pnnx.Output out 1 0 y"}),
            "operand 'y' of shape [100000000,100000000] has more than 2^48 "
            "elements");
}

TEST_F(GraphErrors, OnlyOutputsTakeTuples) {
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "prim::TupleConstruct t 2 1 x x a",
                     "F.relu r 1 1 a y", "pnnx.Output out 1 0 y"}),
            "F.relu 'r' in line 5: operand 'a' is a tuple, which only an "
            "output takes");
}

TEST_F(GraphErrors, ValuesThatAreNoTensors) {
  EXPECT_EQ(notMade({"pnnx.Expression e 0 1 x expr=None",
                     "test.Rotate r 1 1 x y", "pnnx.Output out 1 0 y"}),
            "test.Rotate 'r' in line 4: value None is no number and no list "
            "of numbers");
  EXPECT_EQ(notMade({"pnnx.Expression e 0 1 x expr=[1,None]",
                     "pnnx.Output out 1 0 x"}),
            "output 'out': value [1,None] is no number and no list of "
            "numbers");
}

TEST_F(GraphErrors, ListsOfOtherListsDoNotGrow) {
  // Forty of them would hold 2^40 numbers.
  EXPECT_EQ(notMade({"pnnx.Expression e 0 1 a expr=[1,2]",
                     "pnnx.Expression f 1 1 a b expr=[@0,@0]",
                     "pnnx.Output out 1 0 b"}),
            "pnnx.Expression 'f' in line 4: operand @0 is a list, which no "
            "other holds");
}

TEST_F(GraphErrors, OutputsThatNoValueIsFor) {
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "F.relu r 1 0 x"}),
            "F.relu 'r' in line 4: it has 0 outputs for 1 values");
  EXPECT_EQ(notMade({"pnnx.Input in 0 1 x", "F.relu r 1 2 x y z"}),
            "F.relu 'r' in line 4: it has 2 outputs for 1 values");
}
