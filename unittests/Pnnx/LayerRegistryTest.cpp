//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

using namespace kexpr;
using namespace kexpr::test;

static LayerCreator creator() {
  return [](const PnnxModel &model,
            const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
    if (op.parameter("bad"))
      return Error(ErrorCode::InvalidArgument, "'bad' is bad");
    if (op.parameter("none"))
      return std::unique_ptr<Layer>();
    return std::unique_ptr<Layer>(new Failing(model, op));
  };
}

TEST(LayerRegistry, ListsWhatWasAdded) {
  LayerRegistry registry;
  EXPECT_TRUE(registry.types().empty());
  ASSERT_TRUE(registry.add("my.Layer", creator()));
  ASSERT_TRUE(registry.addElementwise("F.relu"));
  EXPECT_EQ(registry.types(), (std::vector<std::string>{"F.relu", "my.Layer"}));
  EXPECT_TRUE(registry.contains("my.Layer"));
  EXPECT_FALSE(registry.isElementwise("my.Layer"));
  EXPECT_TRUE(registry.isElementwise("F.relu"));
  EXPECT_FALSE(registry.contains("F.silu"));
}

TEST(LayerRegistry, AllElementwiseTypesAtOnce) {
  LayerRegistry registry;
  ASSERT_TRUE(registry.addElementwise());
  const auto types = LayerRegistry::elementwiseTypes();
  EXPECT_GT(types.size(), 60u);
  EXPECT_EQ(registry.types(),
            std::vector<std::string>(types.begin(), types.end()));
  EXPECT_TRUE(registry.addElementwise());
}

TEST(LayerRegistry, WhatTheHostAddedStaysItsOwn) {
  LayerRegistry registry;
  ASSERT_TRUE(registry.add("nn.Softmax", creator()));
  ASSERT_TRUE(registry.addElementwise());
  EXPECT_FALSE(registry.isElementwise("nn.Softmax"));
  ASSERT_TRUE(registry.add("nn.LayerNorm", creator()));
  EXPECT_FALSE(registry.isElementwise("nn.LayerNorm"));
  EXPECT_TRUE(registry.isElementwise("nn.Softmin"));
}

TEST(LayerRegistry, RefusesDuplicatesAndWhatIsNoType) {
  LayerRegistry registry;
  ASSERT_TRUE(registry.add("F.relu", creator()));
  const auto message = [](const Status &status) {
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message(registry.add("F.relu", creator())),
            "layer type 'F.relu' is registered already");
  EXPECT_EQ(message(registry.addElementwise("F.relu")),
            "layer type 'F.relu' is registered already");
  EXPECT_EQ(message(registry.add("", creator())), "layer type '' is empty");
  EXPECT_EQ(message(registry.add("x", nullptr)),
            "layer type 'x' has no creator");
  EXPECT_EQ(message(registry.add("pnnx.Input", creator())),
            "layer type 'pnnx.Input' is one that graphs know themselves");
  EXPECT_EQ(message(registry.addElementwise("nn.Conv2d")),
            "'nn.Conv2d' is no type that kexpr computes");
  EXPECT_EQ(registry.types().size(), 1u) << "a refusal adds nothing";
}

TEST(LayerRegistry, CreatesLayers) {
  LayerRegistry registry;
  ASSERT_TRUE(registry.add("my.Layer", creator()));
  const auto model =
      modelOf({"my.Layer a 0 1 x #x=(2)f32", "my.Layer b 0 1 y bad=1",
               "my.Layer c 0 1 z none=1", "F.relu d 0 1 w"});
  const auto layer = registry.create(model, model.operators()[0]);
  ASSERT_TRUE(layer);
  EXPECT_EQ((*layer)->name(), "a");
  const char *messages[] = {"'bad' is bad",
                            "the creator of type 'my.Layer' made no layer",
                            "no layer of the host has type 'F.relu'"};
  for (int i = 0; i < 3; ++i) {
    const auto refused = registry.create(model, model.operators()[i + 1]);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), messages[i]);
  }
}

namespace {
/// A layer that leaves shapes to the file.
class Plain : public Layer {
public:
  using Layer::Layer;
  Status forward(Span<const TensorView>, Span<const TensorView>,
                 const RunOptions &) override {
    return {};
  }
};
} // namespace

TEST(LayerRegistry, LayersTakeShapesFromTheFile) {
  const auto model = modelOf({"t a 0 2 x y #x=(2,3)f32 #y=(4)i64",
                              "t b 0 1 z #z=(2,?)f32", "t c 0 1 w"});
  const auto types = Plain(model, model.operators()[0]).outputTypes({});
  ASSERT_TRUE(types);
  EXPECT_EQ(*types,
            (std::vector<TensorType>{{DType::F32, {2, 3}}, {DType::I64, {4}}}));
  for (int i : {1, 2})
    EXPECT_FALSE(Plain(model, model.operators()[i]).outputTypes({}));
}
