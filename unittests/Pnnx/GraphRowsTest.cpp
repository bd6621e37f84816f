//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions, softmaxes and norms of networks: which expression a type becomes,
// and what runs as one kernel.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphRows.h"

#include <cstring>
#include <sstream>

using namespace kexpr;
using namespace kexpr::test;

using Names = std::vector<std::string>;

namespace {
/// Operators of one input of rank `rank`, and the expression that they are.
struct RowMeaning {
  const char *types; ///< Separated by blanks.
  const char *parameters;
  const char *text;
  std::size_t rank = 4;
};

class GraphRows : public GraphTest {
protected:
  static Shape shapeOf(std::size_t rank) {
    const std::int64_t extents[] = {2, 3, 4, 5, 6};
    return {extents, rank};
  }
  static PnnxModel modelOf(const std::string &type, const std::string &words,
                           std::size_t rank) {
    constexpr const char *shapes[] = {"",        "(2)",       "(2,3)",
                                      "(2,3,4)", "(2,3,4,5)", "(2,3,4,5,6)"};
    return test::modelOf(
        {std::string("pnnx.Input in 0 1 x #x=") + shapes[rank] + "f32",
         type + " op 1 1 x y " + words, "pnnx.Output out 1 0 y"});
  }
  std::string refusalOf(const std::string &type, const std::string &words,
                        std::size_t rank = 4) {
    auto graph = tryMake(modelOf(type, words, rank));
    if (!graph)
      return graph.error().message();
    Floats x = someFloats(shapeOf(rank));
    return refusal(graph->run(NamedTensor{"in", x.view()}));
  }
  /// The operators of every step.
  std::vector<Names> stepsOf(const std::vector<std::string> &lines,
                             bool fuse = true) {
    GraphOptions options;
    options.fuse = fuse;
    std::vector<Names> steps;
    for (const GraphStep &step : make(test::modelOf(lines), options).steps())
      steps.push_back(step.operators);
    return steps;
  }
};
} // namespace

static const RowMeaning RowMeanings[] = {
    {"torch.sum torch.mean torch.prod torch.amax torch.amin torch.logsumexp",
     "dim=(1,-1) keepdim=True", "{}(@0,[1,-1],True)"},
    {"torch.sum torch.mean", "dim=(-1) keepdim=False", "{}(@0,-1)"},
    {"torch.sum torch.mean", "", "{}(@0)"},
    {"torch.prod torch.argmax torch.argmin", "dim=2 keepdim=False", "{}(@0,2)"},
    {"torch.argmax", "dim=None keepdim=False", "argmax(@0)"},
    {"torch.max", "", "amax(@0)"},
    {"torch.min", "dim=1 keepdim=True", "amin(@0,1,True)"},
    {"torch.var torch.std", "dim=(2,3) keepdim=False unbiased=True",
     "{}(@0,[2,3],False,1)"},
    {"torch.var torch.std", "dim=(2,3) keepdim=False unbiased=False",
     "{}(@0,[2,3],False,0)"},
    {"torch.var", "dim=(0) keepdim=True unbiased=2", "var(@0,0,True,2)"},
    {"torch.std", "dim=(1) keepdim=True correction=0", "std(@0,1,True,0)"},
    {"torch.cumsum torch.cumprod", "dim=-2", "{}(@0,2)"},
    {"torch.norm", "dim=(1) keepdim=True p=2", "norm(@0,2,1,True)"},
    {"torch.norm", "dim=None keepdim=False p=fro", "norm(@0,2)"},
    {"torch.norm", "dim=(2,3) keepdim=False p=1", "norm(@0,1,[2,3])"},
    {"torch.norm", "dim=(1) keepdim=False p=inf", "norm(@0,inf,1)"},
    {"F.normalize", "dim=1 eps=1.0e-6 p=2.0", "normalize(@0,2,1,1e-6)"},
    {"F.softmax nn.Softmax F.softmin nn.Softmin F.log_softmax", "dim=-2",
     "{}(@0,-2)"},
    {"nn.LogSoftmax", "dim=1", "log_softmax(@0,1)"},
    {"nn.Softmax2d", "", "softmax(@0,1)"},
    {"nn.Softmax2d", "", "softmax(@0,0)", 3},
    {"nn.LayerNorm F.layer_norm",
     "elementwise_affine=False eps=1.0e-3 normalized_shape=(4,5)",
     "layer_norm(@0,[-2,-1],None,None,1e-3)"},
    {"nn.RMSNorm F.rms_norm",
     "elementwise_affine=False eps=None normalized_shape=(5)",
     "rms_norm(@0,-1)"},
    {"nn.InstanceNorm2d F.instance_norm",
     "affine=False eps=1.0e-3 track_running_stats=False",
     "layer_norm(@0,[2,3],None,None,1e-3)"},
    {"nn.InstanceNorm1d", "affine=False eps=1.0e-5",
     "layer_norm(@0,2,None,None,1e-5)", 3},
    {"nn.InstanceNorm3d", "affine=False eps=1.0e-5",
     "layer_norm(@0,[2,3,4],None,None,1e-5)", 5},
    {"nn.AdaptiveAvgPool1d F.adaptive_avg_pool1d", "output_size=(1)",
     "mean(@0,-1,True)", 3},
    {"nn.AdaptiveAvgPool1d F.adaptive_avg_pool1d", "output_size=1",
     "mean(@0,-1,True)", 2},
    {"nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", "output_size=(1,1)",
     "mean(@0,[2,3],True)"},
    {"nn.AdaptiveAvgPool2d F.adaptive_avg_pool2d", "output_size=1",
     "mean(@0,[1,2],True)", 3},
    {"nn.AdaptiveAvgPool3d F.adaptive_avg_pool3d", "output_size=(1,1,1)",
     "mean(@0,[-3,-2,-1],True)", 5},
    {"nn.AdaptiveAvgPool3d F.adaptive_avg_pool3d", "output_size=1",
     "mean(@0,[-3,-2,-1],True)", 5},
};

static std::vector<std::string> wordsOf(const char *text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::set<std::string> kexpr::test::rowTypes() {
  std::set<std::string> types;
  for (const RowMeaning &meaning : RowMeanings)
    for (const std::string &type : wordsOf(meaning.types))
      types.insert(type);
  types.insert({"nn.GroupNorm", "F.group_norm"});
  return types;
}

/// The meaning's text, with the name that the type has in PyTorch.
static std::string textOf(const RowMeaning &meaning, const std::string &type) {
  std::string text = meaning.text, name = type.substr(type.find('.') + 1);
  name[0] = static_cast<char>(std::tolower(name[0]));
  if (text.starts_with("{}"))
    text.replace(0, 2, name);
  return text;
}

TEST_F(GraphRows, EveryTypeIsItsExpression) {
  for (const RowMeaning &meaning : RowMeanings)
    for (const std::string &type : wordsOf(meaning.types)) {
      SCOPED_TRACE(type + ' ' + meaning.parameters);
      Floats x = someFloats(shapeOf(meaning.rank));
      auto graph = make(modelOf(type, meaning.parameters, meaning.rank));
      const Status status = graph.run(NamedTensor{"in", x.view()});
      ASSERT_TRUE(status) << status.error().message();
      const TensorView got = *graph.output("out");
      const auto kernel =
          engine.compile(textOf(meaning, type), {.mode = Mode::Interpret});
      ASSERT_TRUE(kernel) << kernel.error().message();
      std::vector<unsigned char> bytes(got.shape().elementCount() *
                                       sizeOf(got.type()));
      const TensorView expected(static_cast<void *>(bytes.data()), got.type(),
                                got.shape());
      const Status run = kernel->run(x.view(), expected);
      ASSERT_TRUE(run) << run.error().message();
      EXPECT_EQ(std::memcmp(bytes.data(), got.data(), bytes.size()), 0);
    }
}

TEST_F(GraphRows, ErrorsSayWhatIsWrong) {
  const auto contains = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusalOf("torch.sum", "dim=(4) keepdim=False"),
           "axis 4 of a tensor of 4 axes");
  contains(refusalOf("torch.sum", "dim=(1,1) keepdim=False"), "appears twice");
  contains(refusalOf("torch.sum", "dim=(1,-3) keepdim=False"), "twice");
  contains(refusalOf("torch.sum", "dim=(0,sum) keepdim=False"), "'sum'");
  contains(refusalOf("torch.sum", "dim=(@0) keepdim=False"), "'dim'");
  contains(refusalOf("torch.sum", "dim=() keepdim=maybe"), "True or False");
  contains(refusalOf("nn.Softmax", "dim=None"), "'dim' is None");
  contains(refusalOf("nn.Softmax", ""), "'dim' is missing");
  contains(refusalOf("nn.AdaptiveAvgPool2d", "output_size=(7,7)"),
           "no meaning");
  contains(refusalOf("nn.InstanceNorm2d", "eps=1e-5", 3), "has no batch");
  contains(refusalOf("F.normalize", "p=1.5"), "an integer");
  contains(refusalOf("torch.norm", "p=nuc"), "number");
  for (const char *shape : {"(2,3,4,5,6)", "(4)", "(4,4)", "()", "3.5", "None",
                            "(5.0)", "(-1)", "((5))"})
    EXPECT_NE(
        refusalOf("nn.LayerNorm", std::string("normalized_shape=") + shape),
        "no refusal")
        << shape;
  EXPECT_NE(refusalOf("torch.sum", "dim=(,)"), "no refusal");
}

TEST_F(GraphRows, InstanceNormsWithoutARankAreRefused) {
  const auto graph = tryMake(test::modelOf(
      {"pnnx.Input in 0 1 x", "nn.InstanceNorm2d op 1 1 x y eps=1e-5",
       "pnnx.Output out 1 0 y"}));
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message().find("no rank of 'input'"),
            std::string::npos);
}

TEST_F(GraphRows, GroupsOfChannelsAreAxes) {
  Floats x = someFloats({2, 6, 5});
  const auto kernel =
      engine.compile("add(mul(layer_norm(@0,[-2,-1],None,None,1e-3),@1),@2)",
                     {.mode = Mode::Interpret});
  Floats weight = someFloats({3, 2, 1}, 1), bias = someFloats({3, 2, 1}, 2);
  std::vector<float> expected(60);
  ASSERT_TRUE(
      kernel->run({{x.data.data(), {2, 3, 2, 5}}, weight.view(), bias.view()},
                  TensorView(expected.data(), {2, 3, 2, 5})));
  auto graph = make(test::modelOf(
      {"pnnx.Input in 0 1 x #x=(2,6,5)f32",
       "nn.GroupNorm norm 1 1 x y affine=True eps=1e-3 num_channels=6 "
       "num_groups=3 @bias=(6)f32 @weight=(6)f32",
       "pnnx.Output out 1 0 y"},
      {constantOf("norm.bias", bias.data),
       constantOf("norm.weight", weight.data)}));
  ASSERT_TRUE(graph.run(NamedTensor{"in", x.view()}));
  const auto got = elementsOf(graph, "out");
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5);
  EXPECT_EQ(graph.output("out")->shape(), (Shape{2, 6, 5}));
}

TEST_F(GraphRows, GroupNormsAreOneKernelWithWhatIsBesideThem) {
  Floats x = someFloats({2, 6, 5}), row = someFloats({6, 1}, 1),
         weight = someFloats({6}, 2);
  const auto model = test::modelOf(
      {"pnnx.Input in 0 1 x #x=(2,6,5)f32", "pnnx.Input in1 0 1 r #r=(6,1)f32",
       "pnnx.Expression e 2 1 x r a expr=add(@0,@1) #a=(2,6,5)f32",
       "nn.GroupNorm n 1 1 a b eps=1e-5 num_groups=3 @weight=(6)f32 "
       "#b=(2,6,5)f32",
       "F.silu s 1 1 b c #c=(2,6,5)f32",
       "pnnx.Expression f 3 1 c a r d expr=mul(add(@0,@1),mul(@2,size(@1,1))) "
       "#d=(2,6,5)f32",
       "nn.GroupNorm o 1 1 d g eps=1e-5 num_groups=3 #g=(2,6,5)f32",
       "nn.GroupNorm p 1 1 g h eps=1e-5 num_groups=2 #h=(2,6,5)f32",
       "F.softmax q 1 1 h i dim=1 #i=(2,6,5)f32", "pnnx.Output out 1 0 i",
       "pnnx.Output out1 1 0 d"},
      {constantOf("n.weight", weight.data)});
  std::vector<Names> steps;
  std::vector<float> results[2];
  for (const bool fuse : {false, true}) {
    auto graph = make(model, {.fuse = fuse});
    ASSERT_TRUE(graph.run({{"in", x.view()}, {"in1", row.view()}}));
    for (const char *output : {"out", "out1"})
      for (const float result : elementsOf(graph, output))
        results[fuse].push_back(result);
    steps.clear();
    for (const GraphStep &step : graph.steps())
      steps.push_back(step.operators);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(steps,
            (std::vector<Names>{{"e", "n", "s", "f", "o"}, {"p"}, {"q"}}));
}

TEST_F(GraphRows, GroupsThatAreNoneAreRefused) {
  const auto refused = [&](const char *words, std::size_t rank = 3) {
    return refusalOf("nn.GroupNorm", words, rank);
  };
  EXPECT_NE(refused("num_groups=2").find("are no 2 groups"), std::string::npos);
  EXPECT_NE(refused("num_groups=0").find("no number of groups"),
            std::string::npos);
  EXPECT_NE(refused("num_groups=1.5").find("no number of groups"),
            std::string::npos);
  EXPECT_NE(refused("").find("is missing"), std::string::npos);
  EXPECT_NE(refused("num_groups=1", 1).find("has 1 axes"), std::string::npos);
  Floats one = someFloats({2, 1, 3});
  auto graph = tryMake(test::modelOf({"pnnx.Input in 0 1 x #x=(2,1,3)f32",
                                      "nn.GroupNorm op 1 1 x y num_groups=2",
                                      "pnnx.Output out 1 0 y"}));
  EXPECT_NE((graph ? refusal(graph->run(NamedTensor{"in", one.view()}))
                   : graph.error().message())
                .find("are no 2 groups"),
            std::string::npos);
}

TEST_F(GraphRows, ConstantsOfNormsHaveTheirExtents) {
  const auto refused = [&](const std::string &type, const std::string &words,
                           std::size_t count) {
    const auto graph = tryMake(test::modelOf(
        {"pnnx.Input in 0 1 x #x=(2,3,4,4)f32",
         type + " op 1 1 x y eps=1e-5 " + words, "pnnx.Output out 1 0 y"},
        {constantOf("op.weight", std::vector<float>(count, 1))}));
    return graph ? std::string() : graph.error().message();
  };
  EXPECT_EQ(refused("nn.LayerNorm", "normalized_shape=(4) @weight=(4)f32", 4),
            "");
  EXPECT_EQ(refused("nn.InstanceNorm2d", "@weight=(3)f32", 3), "");
  EXPECT_NE(refused("nn.LayerNorm", "normalized_shape=(4) @weight=(3)f32", 3),
            "");
  EXPECT_NE(
      refused("nn.LayerNorm", "normalized_shape=(4) @weight=(4,4)f32", 16), "");
  EXPECT_NE(refused("nn.InstanceNorm2d", "@weight=(4)f32", 4), "");
  EXPECT_NE(refused("nn.GroupNorm", "num_groups=3 @weight=(1)f32", 1), "");
}

TEST_F(GraphRows, InputsWithoutNamesAreNotGuessed) {
  const auto graph = tryMake(test::modelOf(
      {"pnnx.Input in 0 1 x #x=(2,3,4,3)f32",
       "pnnx.Attribute w 0 1 wv @data=(3)f32 #wv=(3)f32",
       "F.instance_norm op 2 1 x wv y eps=1e-5", "pnnx.Output out 1 0 y"},
      {constantOf("w.data", {1, 2, 3})}));
  ASSERT_FALSE(graph);
}

TEST_F(GraphRows, TheTypeInTheFileIsWhatWasAskedFor) {
  // PNNX drops `dtype`.
  auto graph = make(test::modelOf(
      {"pnnx.Input in 0 1 x #x=(2,3)f32",
       "torch.sum op 1 1 x y dim=(1) keepdim=False #x=(2,3)f32 #y=(2)f64",
       "pnnx.Output out 1 0 y"}));
  Floats x{{2, 3}, {1, 1e8f, 1, 3, 4, 5}};
  ASSERT_TRUE(graph.run(NamedTensor{"in", x.view()}));
  const TensorView got = *graph.output("out");
  EXPECT_EQ(got.type(), DType::F64);
  EXPECT_EQ(static_cast<const double *>(got.data())[0], 1e8 + 2);
}

TEST_F(GraphRows, AnIntegerTypeInTheFileIsThatOfTheResult) {
  auto graph = make(test::modelOf(
      {"pnnx.Input in 0 1 x #x=(2,3)i32",
       "torch.sum op 1 1 x y dim=(1) keepdim=False #x=(2,3)i32 #y=(2)i32",
       "pnnx.Output out 1 0 y"}));
  std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(graph.run(NamedTensor{
      "in", TensorView(static_cast<void *>(x.data()), DType::I32, {2, 3})}));
  const TensorView got = *graph.output("out");
  EXPECT_EQ(got.type(), DType::I32);
  EXPECT_EQ(static_cast<const std::int32_t *>(got.data())[1], 15);
}

//===-- Regions -----------------------------------------------------------===//

TEST_F(GraphRows, AMaskedSoftmaxIsOneKernel) {
  EXPECT_EQ(stepsOf({"pnnx.Input in0 0 1 x #x=(2,8,16)f32",
                     "pnnx.Input in1 0 1 m #m=(8,16)f32",
                     "pnnx.Expression scale 2 1 x m s expr=add(mul(@0,0.5),@1)",
                     "F.softmax soft 1 1 s p dim=-1",
                     "pnnx.Expression drop 1 1 p y expr=mul(@0,1.25)",
                     "pnnx.Output out 1 0 y"}),
            (std::vector<Names>{{"scale", "soft", "drop"}}));
}

TEST_F(GraphRows, AResidualItsLayerNormAndAnActivationAreOneKernel) {
  EXPECT_EQ(stepsOf({"pnnx.Input in0 0 1 x #x=(4,24)f32",
                     "pnnx.Input in1 0 1 r #r=(4,24)f32",
                     "pnnx.Expression sum 2 1 x r s expr=add(@0,@1)",
                     "F.layer_norm norm 1 1 s n eps=1.0e-5 "
                     "normalized_shape=(24)",
                     "F.gelu gelu 1 1 n y", "pnnx.Output out 1 0 y"}),
            (std::vector<Names>{{"sum", "norm", "gelu"}}));
}

static const std::vector<std::string> RmsNormByHand = {
    "pnnx.Input in0 0 1 x #x=(4,24)f32",
    "pnnx.Input in1 0 1 r #r=(4,24)f32",
    "pnnx.Expression sum 2 1 x r s expr=add(@0,@1)",
    "pnnx.Expression square 1 1 s q expr=mul(@0,@0)",
    "torch.mean mean 1 1 q m dim=(-1) keepdim=True",
    "pnnx.Expression root 1 1 m d expr=rsqrt(add(@0,1e-6))",
    "pnnx.Expression scale 2 1 s d y expr=mul(@0,@1)",
    "pnnx.Output out0 1 0 s",
    "pnnx.Output out1 1 0 y"};

TEST_F(GraphRows, AResidualAndItsNormAreOneKernel) {
  const Names all = {"sum", "square", "mean", "root", "scale"};
  EXPECT_EQ(stepsOf(RmsNormByHand), std::vector<Names>{all});
}

TEST_F(GraphRows, FusingChangesNoBit) {
  mode = Mode::Optimized;
  Floats x = someFloats({4, 24}), residual = someFloats({4, 24}, 5);
  std::vector<float> expected;
  for (const bool fuse : {false, true})
    for (const bool reuse : {false, true}) {
      GraphOptions options;
      options.fuse = fuse;
      options.reuseMemory = reuse;
      auto graph = make(test::modelOf(RmsNormByHand), options);
      ASSERT_TRUE(graph.run({{"in0", x.view()}, {"in1", residual.view()}}));
      auto got = elementsOf(graph, "out1");
      if (expected.empty())
        expected = got;
      EXPECT_EQ(got, expected);
    }
}

TEST_F(GraphRows, OtherAxesAreOtherKernels) {
  EXPECT_EQ(
      stepsOf({"pnnx.Input in 0 1 x #x=(8,16)f32",
               "F.softmax rows 1 1 x a dim=-1",
               "F.softmax columns 1 1 a y dim=0", "pnnx.Output out 1 0 y"}),
      (std::vector<Names>{{"rows"}, {"columns"}}));
}

TEST_F(GraphRows, ReductionsOfOneInputShareALoop) {
  EXPECT_EQ(stepsOf({"pnnx.Input in 0 1 x #x=(8,16)f32",
                     "torch.sum sum 1 1 x a dim=(1) keepdim=False",
                     "torch.amax most 1 1 x b dim=(1) keepdim=False",
                     "pnnx.Output out0 1 0 a", "pnnx.Output out1 1 0 b"}),
            (std::vector<Names>{{"sum", "most"}}));
}

TEST_F(GraphRows, WhatHasNoRankIsTakenFromMemory) {
  // Of rank 0 the sum does not decide the type of the quotients.
  const std::vector<std::string> lines = {
      "pnnx.Input in 0 1 x #x=(8,16)f16",
      "pnnx.Expression wide 1 1 x w expr=torch.float(@0)",
      "torch.sum sum 1 1 w s",
      "pnnx.Expression scale 2 1 x s y expr=div(@0,@1)",
      "pnnx.Output out 1 0 y"};
  EXPECT_EQ(stepsOf(lines), (std::vector<Names>{{"wide", "sum"}, {"scale"}}));
  auto graph = make(test::modelOf(lines));
  std::vector<std::uint16_t> x(128, 0x3c00);
  const TensorView view(static_cast<void *>(x.data()), DType::F16, {8, 16});
  ASSERT_TRUE(graph.run(NamedTensor{"in", view}));
  EXPECT_EQ(graph.output("out")->type(), DType::F16);
}

TEST_F(GraphRows, OutputsMayBeTheInputsOfTheHost) {
  auto graph = make(modelOf("F.softmax", "dim=-1", 2));
  Floats x = someFloats({2, 3}), own = x;
  ASSERT_TRUE(graph.run(NamedTensor{"in", x.view()}));
  const auto expected = elementsOf(graph, "out");
  const Status status =
      graph.run(NamedTensor{"in", own.view()}, NamedTensor{"out", own.view()});
  if (status)
    EXPECT_EQ(own.data, expected);
  else
    EXPECT_EQ(own.data, x.data) << status.error().message();
}
