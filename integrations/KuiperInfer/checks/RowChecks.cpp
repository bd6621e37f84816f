//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What our layers that reduce compute, beside those that they replace and
// beside the same in f64, and what they refuse.
//
//===----------------------------------------------------------------------===//
#include "RowLayers.h"
#include "adaptive_avgpooling.hpp"
#include "softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace kexpr::kuiper;

namespace {
struct Size {
  std::uint32_t channels, rows, cols;
};
} // namespace

static Tensors inputsOf(Size size, std::size_t batch) {
  Tensors tensors;
  for (std::size_t i = 0; i < batch; ++i)
    tensors.push_back(randomTensor(static_cast<unsigned>(i), size.channels,
                                   size.rows, size.cols));
  return tensors;
}

/// Both layers over the same inputs, where ours are made, within a few units of
/// theirs, which round in f32.
static void compare(const RowLayerPtr &ours, const RowLayerPtr &theirs,
                    const Tensors &inputs) {
  Tensors actual(inputs.size()), expected(inputs.size());
  ASSERT_EQ(theirs->Forward(inputs, expected), Success);
  ASSERT_EQ(ours->Forward(inputs, actual), Success);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(actual[i]->shapes(), expected[i]->shapes());
    for (std::uint32_t k = 0; k < actual[i]->size(); ++k)
      ASSERT_NEAR(actual[i]->index(k), expected[i]->index(k),
                  2e-6 * std::max(1.0f, std::fabs(expected[i]->index(k))))
          << "item " << i << ", element " << k;
  }
}

TEST(Rows, SoftmaxIsTheirs) {
  for (const Size size : {Size{3, 20, 31}, Size{7, 1, 5}, Size{2, 64, 64}})
    for (const int dim : {0, 1, 2, -1, -2, -3}) {
      const Tensors inputs = inputsOf(size, 3);
      const auto axes = static_cast<int>(inputs[0]->raw_shapes().size());
      if (dim < axes && dim >= -axes)
        compare(ourSoftmax(dim), theirSoftmax(dim), inputs);
    }
}

TEST(Rows, SoftmaxOfFewerAxes) {
  const auto line = std::make_shared<ftensor>(37u);
  const auto plane = std::make_shared<ftensor>(5u, 9u);
  for (const sftensor &tensor : {line, plane})
    for (std::uint32_t i = 0; i < tensor->size(); ++i)
      tensor->index(i) = 0.1f * static_cast<float>(i * 7 % 11);
  compare(ourSoftmax(0), theirSoftmax(0), {line});
  compare(ourSoftmax(-1), theirSoftmax(-1), {line});
  compare(ourSoftmax(0), theirSoftmax(0), {plane});
  compare(ourSoftmax(1), theirSoftmax(1), {plane});
}

TEST(Rows, SoftmaxOfAWideSpreadIsRight) {
  const auto input = std::make_shared<ftensor>(1u, 1u, 3u);
  input->index(0) = 200;
  input->index(1) = 113;
  input->index(2) = -200;
  Tensors outputs(1);
  ASSERT_EQ(ourSoftmax(-1)->Forward({input}, outputs), Success);
  EXPECT_EQ(outputs[0]->index(0), 1);
  EXPECT_NEAR(outputs[0]->index(1), std::exp(-87.0), 1e-43);
  EXPECT_EQ(outputs[0]->index(2), 0);
}

TEST(Rows, RmsNormIsTheirs) {
  for (const Size size : {Size{1, 1, 4096}, Size{1, 128, 1}, Size{3, 7, 9}}) {
    const sftensor weight =
        randomTensor(99, size.channels, size.rows, size.cols);
    for (const std::size_t batch : {1, 4})
      compare(ourRmsNorm(weight), theirRmsNorm(weight), inputsOf(size, batch));
  }
}

TEST(Rows, PoolingIsTheirs) {
  for (const Size size : {Size{3, 224, 224}, Size{5, 7, 7}, Size{2, 13, 10}})
    for (const Size windows : {Size{1, 1, 1}, Size{1, 3, 3}, Size{1, 7, 5}})
      compare(ourPooling(windows.rows, windows.cols),
              theirPooling(windows.rows, windows.cols), inputsOf(size, 2));
}

TEST(Rows, TheFactoryMakesOurs) {
  EXPECT_NE(dynamic_cast<SoftmaxLayer *>(ourSoftmax(1).get()), nullptr);
  EXPECT_NE(dynamic_cast<AdaptiveAveragePoolingLayer *>(ourPooling(1, 1).get()),
            nullptr);
}

TEST(Rows, OutputsThatAreGivenAreWritten) {
  const Tensors inputs = inputsOf({2, 6, 8}, 2);
  Tensors outputs = inputsOf({2, 6, 8}, 2);
  const Tensors given = outputs;
  ASSERT_EQ(ourSoftmax(2)->Forward(inputs, outputs), Success);
  EXPECT_EQ(outputs, given);
  Tensors expected(2);
  ASSERT_EQ(ourSoftmax(2)->Forward(inputs, expected), Success);
  for (std::uint32_t k = 0; k < 96; ++k)
    EXPECT_EQ(outputs[1]->index(k), expected[1]->index(k));
  Tensors same = inputs; // in place
  ASSERT_EQ(ourSoftmax(2)->Forward(inputs, same), Success);
  EXPECT_EQ(same[1]->index(95), expected[1]->index(95));
}

TEST(Rows, WhatIsRefused) {
  const Tensors inputs = inputsOf({2, 6, 8}, 2);
  Tensors outputs(2), one(1), none;
  const auto weight = randomTensor(1, 1, 1, 5);
  for (const RowLayerPtr &layer :
       {ourSoftmax(1), ourPooling(1, 1), ourRmsNorm(inputs[0])}) {
    EXPECT_EQ(layer->Forward({}, outputs), StatusCode::kInferInputsEmpty);
    EXPECT_EQ(layer->Forward(inputs, none), StatusCode::kInferOutputsEmpty);
    EXPECT_EQ(layer->Forward(inputs, one), StatusCode::kInferDimMismatch);
    EXPECT_EQ(layer->Forward({inputs[0], nullptr}, outputs),
              StatusCode::kInferInputsEmpty);
    Tensors wrong = inputsOf({2, 6, 9}, 2);
    EXPECT_EQ(layer->Forward(inputs, wrong), StatusCode::kInferDimMismatch);
  }
  EXPECT_EQ(ourSoftmax(3)->Forward(inputs, outputs),
            StatusCode::kInferParameterError);
  EXPECT_EQ(ourPooling(7, 1)->Forward(inputs, outputs),
            StatusCode::kInferParameterError);
  EXPECT_EQ(ourRmsNorm(weight)->Forward(inputs, outputs),
            StatusCode::kInferDimMismatch);
}

TEST(Rows, Creation) {
  std::shared_ptr<Layer<float>> layer;
  const auto create = [&](auto creator, const char *name,
                          std::shared_ptr<RuntimeParameter> value) {
    auto op = std::make_shared<RuntimeOperator>();
    if (name)
      op->params[name] = std::move(value);
    return creator(op, layer);
  };
  const auto softmax = SoftmaxLayer::CreateInstance;
  const auto pooling = AdaptiveAveragePoolingLayer::CreateInstance;
  EXPECT_EQ(softmax(nullptr, layer), StatusCode::kParseNullOperator);
  EXPECT_EQ(pooling(nullptr, layer), StatusCode::kParseNullOperator);
  EXPECT_EQ(create(softmax, nullptr, nullptr),
            StatusCode::kParseParameterError);
  EXPECT_EQ(create(softmax, "dim", nullptr), StatusCode::kParseParameterError);
  EXPECT_EQ(create(softmax, "dim", std::make_shared<RuntimeParameterInt>(1)),
            StatusCode::kSuccess);
  EXPECT_EQ(
      create(pooling, "output_size", std::make_shared<RuntimeParameterInt>(1)),
      StatusCode::kParseParameterError);
  EXPECT_EQ(create(pooling, "output_size",
                   std::make_shared<RuntimeParameterIntArray>(
                       std::vector<int>{1, 0})),
            StatusCode::kParseParameterError);
}
