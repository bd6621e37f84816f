//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerTensors.h"

#include <gtest/gtest.h>

#include <set>

using namespace kexpr;

namespace {
class Layer : public testing::Test {
protected:
  ExpressionLayer layerOf(std::string_view expression) {
    auto made = ExpressionLayer::create(engine, expression);
    EXPECT_TRUE(made) << made.error().render();
    return *made;
  }

  Engine engine;
  LayerTensors own;
};

class LayerCreation : public Layer {
protected:
  /// What comes of a parameter `expr`: a status and a message.
  std::string outcome(ParameterKind kind, std::string_view text) {
    const std::vector<LayerParameter> list = {
        {"alpha", ParameterKind::Int, "1"}, {"expr", kind, text}};
    return outcome(LayerOperator{list});
  }
  std::string outcome(const LayerOperator &description) {
    auto made = ExpressionLayer::create(engine, &description);
    if (made)
      return "made";
    return std::string(nameOf(made.error().status())) + ": " +
           made.error().message();
  }
};

/// (in[i] + in[B + i]) * in[2B + i] over 3 B distinct tensors.
class LayerBatch : public Layer, public testing::WithParamInterface<int> {};
} // namespace

TEST_P(LayerBatch, ComputesEveryItem) {
  const auto layer = layerOf("mul(add(@0,@1),@2)");
  const int batch = GetParam();
  const auto inputs = own.tensors(3 * batch, 1);
  const auto outputs = own.tensors(batch, -1);
  for (unsigned threads : {0u, 1u}) {
    RunOptions options;
    options.maxThreads = threads;
    ASSERT_TRUE(layer.forward(inputs, outputs, options));
    for (int i = 0; i < batch; ++i)
      EXPECT_EQ(own.valueOf(outputs[i]),
                (i + 1 + batch + i + 1) * (2 * batch + i + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LayerBatch, testing::Values(1, 4, 256));

TEST_F(Layer, WritesIntoAnInputOfTheSameItem) {
  const auto inputs = own.tensors(6, 0);
  const Span<const TensorView> second(inputs.data() + 2, 2);
  ASSERT_TRUE(layerOf("mul(add(@0,@1),@2)").forward(inputs, second));
  EXPECT_EQ(own.valueOf(inputs[2]), (0 + 2) * 4);
  EXPECT_EQ(own.valueOf(inputs[3]), (1 + 3) * 5);
}

TEST_F(Layer, ABareOperandCopies) {
  const auto inputs = own.tensors(4, 5);
  const auto outputs = own.tensors(2, -1);
  ASSERT_TRUE(layerOf("@1").forward(inputs, outputs));
  EXPECT_EQ(own.valueOf(outputs[0]), 7);
  EXPECT_EQ(own.valueOf(outputs[1]), 8);
  EXPECT_NE(outputs[0].data(), inputs[2].data());
}

TEST_F(Layer, OperandsThatAreNotUsedMayBeMissing) {
  auto inputs = own.tensors(6, 1);
  inputs[2] = inputs[3] = {};
  const auto outputs = own.tensors(2, -1);
  ASSERT_TRUE(layerOf("add(@0,@2)").forward(inputs, outputs));
  EXPECT_EQ(own.valueOf(outputs[1]), 2 + 6);
}

TEST_F(Layer, ItemsMayDifferInShape) {
  const std::vector<TensorView> inputs = {own.tensor(1), own.tensor(2, {5}),
                                          own.tensor(3), own.tensor(4, {1})};
  const std::vector<TensorView> outputs = {own.tensor(-1), own.tensor(-1, {5})};
  ASSERT_TRUE(layerOf("add(@0,@1)").forward(inputs, outputs));
  EXPECT_EQ(own.valueOf(outputs[0]), 4);
  EXPECT_EQ(own.valueOf(outputs[1]), 6);
}

TEST_F(Layer, HasOutputsAllocatedThatAreEmpty) {
  const auto inputs = own.tensors(6, 1);
  std::vector<TensorView> outputs = own.tensors(3, -1), made(3);
  const TensorView given = outputs[1];
  outputs[0] = outputs[2] = {};
  const auto done =
      layerOf("add(@0,@1)")
          .forward(inputs, outputs, {},
                   [&](std::size_t item, DType type, const Shape &s) {
                     EXPECT_EQ(type, DType::F32);
                     return made[item] = own.tensor(-1, s);
                   });
  ASSERT_TRUE(done) << done.error().render();
  EXPECT_EQ(own.valueOf(made[0]), 1 + 4);
  EXPECT_EQ(own.valueOf(given), 2 + 5);
  EXPECT_EQ(own.valueOf(made[2]), 3 + 6);
  EXPECT_TRUE(made[1].empty()) << "one that was given is left alone";
}

TEST_F(LayerCreation, ReadsTheParameterExpr) {
  EXPECT_EQ(outcome(ParameterKind::String, "add(@0,@1)"), "made");
  EXPECT_EQ(outcome(ParameterKind::String, " add ( @0 , 2 ) "), "made");
}

TEST_F(LayerCreation, EveryRefusalHasItsStatus) {
  using enum ParameterKind;
  auto none = ExpressionLayer::create(engine, nullptr);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status(), LayerStatus::NullOperator);
  EXPECT_EQ(none.error().message(), "there is no operator");
  EXPECT_EQ(outcome(LayerOperator{}),
            "missing expression: the operator has no parameter 'expr'");
  EXPECT_EQ(outcome(Null, ""),
            "null expression: the parameter 'expr' has no value");
  for (const auto &[kind, name] :
       {std::pair(Bool, "a bool"), std::pair(Int, "an int"),
        std::pair(Float, "a float"), std::pair(List, "a list")})
    EXPECT_EQ(outcome(kind, "1"), std::string("expression not text: the "
                                              "parameter 'expr' is ") +
                                      name + "; it must be a string");
  EXPECT_EQ(outcome(String, " \t"),
            "empty expression: the expression is empty");
  EXPECT_EQ(outcome(String, "ad(@0,@1)"), "malformed expression: unknown "
                                          "operator 'ad'; did you mean 'add'?");
  EXPECT_EQ(outcome(String, "[@0,@1]"),
            "unsupported expression: a layer has one output; the expression "
            "has 2");
}

TEST_F(LayerCreation, FaultsHaveTheirPlaceInTheText) {
  auto bad = ExpressionLayer::create(engine, "add(@0,)");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().status(), LayerStatus::MalformedExpression);
  EXPECT_EQ(bad.error().code(), ErrorCode::InvalidSyntax);
  EXPECT_TRUE(bad.error().hasRange());
}

TEST_F(LayerCreation, AHostMayLookAtTheTextLater) {
  const std::vector<LayerParameter> list = {
      {"expr", ParameterKind::String, "not,an(expression"}};
  const LayerOperator description{list};
  auto text = ExpressionLayer::expressionOf(&description);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "not,an(expression");
}

TEST_F(LayerCreation, TakesTypes) {
  CompileOptions options;
  options.operandTypes = {DType::I32};
  auto layer = ExpressionLayer::create(engine, "add(@0,1)", options);
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->kernel().outputType(), DType::I32);
}

TEST(LayerStatus, EveryValueHasAName) {
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < LayerStatusCount; ++row)
    names.insert(nameOf(static_cast<LayerStatus>(row)));
  EXPECT_EQ(names.size(), LayerStatusCount);
  EXPECT_EQ(nameOf(LayerStatus::CompileFailed), "compile failed");
  EXPECT_EQ(nameOf(LayerStatus::OutOfMemory), "out of memory");
  EXPECT_EQ(nameOf(static_cast<LayerStatus>(LayerStatusCount)), "?");
}
