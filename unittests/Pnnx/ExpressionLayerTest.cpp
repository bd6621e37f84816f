//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/PnnxLayer.h"

#include <gtest/gtest.h>

#include <vector>

using namespace kexpr;

namespace {
/// Tensors of shape (2,3,4), each filled with its own number.
class Layer : public testing::Test {
protected:
  TensorView tensor(float fill) {
    memory.emplace_back(24, fill);
    return TensorView(memory.back().data(), {2, 3, 4});
  }
  std::string message(std::size_t inputCount, std::size_t batch) {
    std::vector<TensorView> inputs, outputs;
    for (std::size_t i = 0; i < inputCount; ++i)
      inputs.push_back(tensor(1));
    for (std::size_t i = 0; i < batch; ++i)
      outputs.push_back(tensor(-1));
    auto status = layer->forward(inputs, outputs);
    return status ? "done" : status.error().message();
  }

  Engine engine;
  Expected<ExpressionLayer> layer =
      ExpressionLayer::create(engine, "mul(add(@0,@1),@2)");
  std::vector<std::vector<float>> memory;
};
} // namespace

TEST_F(Layer, ComputesEveryItemOfABatch) {
  std::vector<TensorView> inputs, outputs;
  for (int i = 0; i < 12; ++i)
    inputs.push_back(tensor(static_cast<float>(i + 1)));
  for (int i = 0; i < 4; ++i)
    outputs.push_back(tensor(-1));
  ASSERT_TRUE(layer->forward(inputs, outputs));
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 24; ++k)
      EXPECT_EQ(static_cast<const float *>(outputs[i].data())[k],
                (i + 1 + i + 5) * (i + 9));
}

TEST_F(Layer, WorksInPlace) {
  std::vector<TensorView> inputs;
  for (int i = 0; i < 6; ++i)
    inputs.push_back(tensor(static_cast<float>(i)));
  const std::vector<TensorView> outputs(inputs.begin(), inputs.begin() + 2);
  ASSERT_TRUE(layer->forward(inputs, outputs));
  EXPECT_EQ(memory[1][23], (1 + 3) * 5);
}

TEST_F(Layer, CountsAreChecked) {
  EXPECT_EQ(message(6, 2), "done");
  EXPECT_EQ(message(8, 2), "done"); // a whole operand more than is used
  EXPECT_EQ(message(6, 0), "the layer was given no outputs");
  EXPECT_EQ(message(0, 2), "the layer was given no inputs");
  EXPECT_EQ(message(5, 2), "operand @2 of batch item 1 is missing: 5 tensors "
                           "given, 6 needed");
  EXPECT_EQ(message(7, 2),
            "7 tensors are no whole number of operands for a batch of 2");
}

TEST_F(Layer, ABadExpressionIsAnError) {
  auto bad = ExpressionLayer::create(engine, "");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::InvalidSyntax);
}
