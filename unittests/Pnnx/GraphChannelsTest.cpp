//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose constants or types make them special.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

#include <cmath>
#include <limits>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class GraphChannels : public GraphTest {
protected:
  const std::vector<float> mean = {0.5f, -1, 2}, variance = {1, 4, 0.25f},
                           weight = {2, -1, 0.5f}, bias = {0.25f, 3, -1};

  /// The elements that a batch normalisation must give.
  std::vector<float> normalized(const Floats &x, bool isAffine) const {
    std::vector<float> result;
    const std::int64_t channels = 3, count = x.shape.elementCount();
    const std::int64_t plane = count / x.shape[0] / channels;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto c = static_cast<std::size_t>(i / plane % channels);
      const double scale =
          (isAffine ? weight[c] : 1) / std::sqrt(double(variance[c]) + 1e-3);
      result.push_back(static_cast<float>((x.data[i] - mean[c]) * scale +
                                          (isAffine ? bias[c] : 0)));
    }
    return result;
  }

  void expectNormalized(PnnxGraph graph, const Shape &shape, bool isAffine) {
    Floats x = someFloats(shape);
    const Status status = graph.run({{"in", x.view()}});
    ASSERT_TRUE(status) << status.error().message();
    const auto got = elementsOf(graph, "out"),
               expected = normalized(x, isAffine);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 2e-6 * std::fabs(expected[i]) + 2e-6);
  }
};
} // namespace

TEST_F(GraphChannels, BatchNormOfEveryRank) {
  const struct {
    const char *type;
    Shape shape;
  } cases[] = {{"nn.BatchNorm1d", {4, 3}},
               {"nn.BatchNorm1d", {2, 3, 5}},
               {"nn.BatchNorm2d", {2, 3, 4, 5}},
               {"nn.BatchNorm3d", {2, 3, 2, 3, 2}}};
  for (const auto &[type, shape] : cases)
    expectNormalized(
        make(modelOf({"pnnx.Input in 0 1 x",
                      std::string(type) +
                          " bn 1 1 x y affine=True eps=1.000000e-3 "
                          "num_features=3 @bias=(3)f32 @running_mean=(3)f32 "
                          "@running_var=(3)f32 @weight=(3)f32",
                      "pnnx.Output out 1 0 y"},
                     {constantOf("bn.bias", bias),
                      constantOf("bn.running_mean", mean),
                      constantOf("bn.running_var", variance),
                      constantOf("bn.weight", weight)})),
        shape, true);
}

TEST_F(GraphChannels, BatchNormWithoutWeights) {
  expectNormalized(
      make(modelOf({"pnnx.Input in 0 1 x",
                    "nn.BatchNorm2d bn 1 1 x y affine=False eps=1.000000e-3 "
                    "num_features=3 @running_mean=(3)f32 @running_var=(3)f32",
                    "pnnx.Output out 1 0 y"},
                   {constantOf("bn.running_mean", mean),
                    constantOf("bn.running_var", variance)})),
      {2, 3, 2, 2}, false);
}

TEST_F(GraphChannels, FunctionalBatchNormTakesConstantsFromInputs) {
  for (const char *op :
       {"F.batch_norm bn 5 1 x m v w b y eps=1e-3",
        "F.batch_norm bn 5 1 x w b m v y eps=1e-3 $input=x $running_mean=m "
        "$running_var=v $weight=w $bias=b"})
    expectNormalized(
        make(modelOf(
            {"pnnx.Input in 0 1 x", "pnnx.Attribute m 0 1 m @data=(3)f32",
             "pnnx.Attribute v 0 1 v @data=(3)f32",
             "pnnx.Attribute w 0 1 w @data=(3)f32",
             "pnnx.Attribute b 0 1 b @data=(3)f32", op,
             "pnnx.Output out 1 0 y"},
            {constantOf("m.data", mean), constantOf("v.data", variance),
             constantOf("w.data", weight), constantOf("b.data", bias)})),
        {2, 3, 2, 2}, true);
}

TEST_F(GraphChannels, ConstantsOfOtherLengthsAreRefused) {
  const auto graph =
      tryMake(modelOf({"pnnx.Input in 0 1 x",
                       "nn.BatchNorm2d bn 1 1 x y @running_mean=(3)f32 "
                       "@running_var=(2)f32",
                       "pnnx.Output out 1 0 y"},
                      {constantOf("bn.running_mean", mean),
                       constantOf("bn.running_var", {1, 2})}));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message(),
            "nn.BatchNorm2d 'bn' in line 4: its constants differ in length: 2 "
            "and 3");
}

TEST_F(GraphChannels, PreluHasASlopeAChannel) {
  for (const char *op : {"nn.PReLU p 1 1 x y num_parameters=2 @weight=(2)f32",
                         "F.prelu f 2 1 x w y"}) {
    auto graph = make(modelOf(
        {"pnnx.Input in 0 1 x", "pnnx.Attribute w 0 1 w @data=(2)f32", op,
         "pnnx.Output out 1 0 y"},
        {constantOf("p.weight", {0.5f, 2}), constantOf("w.data", {0.5f, 2})}));
    Floats x{{1, 2, 2}, {-2, 4, -2, 4}};
    ASSERT_TRUE(graph.run({{"in", x.view()}}));
    EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{-1, 4, -4, 4}));
  }
}

TEST_F(GraphChannels, LiteralsHaveNoChannels) {
  const auto refused = [&](const std::vector<std::string> &lines) {
    const auto graph = tryMake(modelOf(
        lines,
        {constantOf("p.weight", {0.5f, 2}), constantOf("w.data", {1}),
         constantOf("p.running_mean", {1}), constantOf("p.running_var", {1})}));
    return graph ? "no refusal" : graph.error().message();
  };
  const std::string why = "'input' is a literal, which has no channels";
  const std::string in = "pnnx.Input in 0 1 x", out = "pnnx.Output out 1 0 y";
  EXPECT_EQ(refused({in, "nn.PReLU p 1 1 x y input=3 @weight=(2)f32", out}),
            "nn.PReLU 'p' in line 4: " + why);
  EXPECT_EQ(refused({in, "nn.PReLU p 0 1 y input=3 @weight=(2)f32", out}),
            "nn.PReLU 'p' in line 4: " + why);
  EXPECT_EQ(refused({"pnnx.Expression e 0 1 x expr=3",
                     "nn.PReLU p 1 1 x y @weight=(2)f32", out}),
            "nn.PReLU 'p' in line 4: " + why);
  EXPECT_EQ(refused({"pnnx.Attribute w 0 1 w @data=(1)f32",
                     "F.prelu p 1 1 w y input=True $weight=w", out}),
            "F.prelu 'p' in line 4: " + why);
  EXPECT_EQ(refused({in,
                     "nn.BatchNorm2d p 1 1 x y input=-1 @running_mean=(1)f32 "
                     "@running_var=(1)f32",
                     out}),
            "nn.BatchNorm2d 'p' in line 4: " + why);
}

TEST_F(GraphChannels, NumbersThatDependOnShapesHaveOneChannel) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x", "pnnx.Expression e 1 1 x n expr=neg(size(@0,0))",
       "nn.PReLU p 1 1 n y @weight=(2)f32", "pnnx.Output out 1 0 y"},
      {constantOf("p.weight", {0.5f, 2})}));
  Floats x = someFloats({3, 2});
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{-1.5f, -6}));
}

TEST_F(GraphChannels, BatchNormKeepsTheTypeOfItsInput) {
  auto graph =
      make(modelOf({"pnnx.Input in 0 1 x #x=(1,3)f16",
                    "nn.BatchNorm1d bn 1 1 x y eps=1e-3 @running_mean=(3)f32 "
                    "@running_var=(3)f32 #y=(1,3)f16",
                    "nn.ReLU r 1 1 y z #z=(1,3)f16", "pnnx.Output out 1 0 z"},
                   {constantOf("bn.running_mean", mean),
                    constantOf("bn.running_var", variance)}));
  EXPECT_EQ(graph.steps().size(), 1u);
}

TEST_F(GraphChannels, ArgumentsMayBeNamed) {
  auto graph = make(modelOf({"pnnx.Input in 0 1 x", "pnnx.Input in2 0 1 m",
                             "torch.clamp c 2 1 m x y max=3.0 $min=m $input=x",
                             "pnnx.Output out 1 0 y"}));
  Floats x{{2}, {-5, 7}}, m{{2}, {-1, 0}};
  ASSERT_TRUE(graph.run({{"in", x.view()}, {"in2", m.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{-1, 3}));
}

TEST_F(GraphChannels, WhereTakesABool) {
  auto graph = make(
      modelOf({"pnnx.Input in 0 1 x", "torch.gt g 1 1 x c other=0.5",
               "torch.where w 2 1 c x y other=-1.5", "pnnx.Output out 1 0 y"}));
  Floats x{{4}, {0.25f, 0.5f, 0.75f, 3}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(graph.steps().size(), 1u);
  EXPECT_EQ(elementsOf(graph, "out"),
            (std::vector<float>{-1.5f, -1.5f, 0.75f, 3}));
}

TEST_F(GraphChannels, MaskedFillAndTypeAsKeepOrTakeATensorsType) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x #x=(3)f32", "torch.lt l 1 1 x m other=0",
       "Tensor.masked_fill f 2 1 x m y value=-inf #y=(3)f32",
       "pnnx.Input in2 0 1 h #h=(1)f16", "Tensor.type_as t 2 1 x h z #z=(3)f16",
       "Tensor.type_as s 2 1 z x w", "pnnx.Output out 1 0 y",
       "pnnx.Output out2 1 0 w"}));
  Floats x{{3}, {-1, 2, 0.1f}};
  const std::int16_t half = 0;
  ASSERT_TRUE(graph.run({{"in", x.view()},
                         {"in2", TensorView(static_cast<const void *>(&half),
                                            DType::F16, {1})}}));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{-infinity, 2, 0.1f}));
  EXPECT_EQ(elementsOf(graph, "out2"),
            (std::vector<float>{-1, 2, 0x1.998p-4f}));
}

TEST_F(GraphChannels, NotOfBitsAndOfBools) {
  auto graph = make(
      modelOf({"pnnx.Input in 0 1 x #x=(1)i32", "torch.bitwise_not n 1 1 x a",
               "torch.gt g 1 1 x b other=5", "torch.bitwise_not m 1 1 b c",
               "pnnx.Output out 1 0 a", "pnnx.Output out2 1 0 c"}));
  const std::int32_t x = 5;
  ASSERT_TRUE(graph.run(
      {{"in", TensorView(static_cast<const void *>(&x), DType::I32, {1})}}));
  EXPECT_EQ(*static_cast<std::int32_t *>(graph.output("out")->data()), ~5);
  EXPECT_EQ(*static_cast<bool *>(graph.output("out2")->data()), true);
}

TEST_F(GraphChannels, LiteralsMayBeOperatorsOfTheirOwn) {
  auto graph = make(
      modelOf({"pnnx.Input in 0 1 x", "pnnx.Expression n 0 1 none expr=None",
               "pnnx.Expression m 0 1 min expr=1.500000e+00",
               "torch.clamp c 3 1 x min none y $input=x $min=min $max=none",
               "pnnx.Output out 1 0 y"}));
  Floats x{{2}, {-5, 7}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{1.5f, 7}));
}

TEST_F(GraphChannels, IntegersWithBits) {
  const struct {
    const char *type;
    int result;
  } cases[] = {{"torch.bitwise_and", 12 & 10},
               {"torch.bitwise_or", 12 | 10},
               {"torch.bitwise_xor", 12 ^ 10},
               {"torch.bitwise_left_shift", 12 << 10},
               {"torch.bitwise_right_shift", 12 >> 10}};
  for (const auto &[type, result] : cases) {
    auto graph = make(modelOf(
        {"pnnx.Input in 0 1 x #x=(1)i32", "pnnx.Input in2 0 1 z #z=(1)i32",
         std::string(type) + " op 2 1 x z y", "pnnx.Output out 1 0 y"}));
    std::int32_t x = 12, z = 10, y = 0;
    ASSERT_TRUE(graph.run({{"in", TensorView(&x, DType::I32, {1})},
                           {"in2", TensorView(&z, DType::I32, {1})}},
                          {{"out", TensorView(&y, DType::I32, {1})}}));
    EXPECT_EQ(y, result) << type;
  }
}
