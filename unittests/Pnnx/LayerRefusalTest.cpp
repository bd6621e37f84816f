//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `forward` refuses: its status, its message, and that nothing is written.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerTensors.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace kexpr;

namespace {
/// A right call of mul(add(@0,@1),@2) with two items, to be spoilt.
class LayerRefusal : public testing::Test {
protected:
  std::string outcome(const OutputAllocator &allocate = {}) {
    auto done = layer->forward(inputs, outputs, {}, allocate);
    if (done)
      return "done";
    for (const TensorView &view : written)
      EXPECT_EQ(own.valueOf(view), -1);
    return std::string(nameOf(done.error().status())) + ": " +
           done.error().message();
  }
  OutputAllocator counting() {
    return [this](std::size_t, DType, const Shape &shape) {
      ++allocated;
      written.push_back(own.tensor(-1, shape));
      return written.back();
    };
  }

  Engine engine;
  Expected<ExpressionLayer, LayerError> layer =
      ExpressionLayer::create(engine, "mul(add(@0,@1),@2)");
  LayerTensors own;
  std::vector<TensorView> inputs = own.tensors(6, 1);
  std::vector<TensorView> outputs = {own.tensor(-1), own.tensor(-1)};
  std::vector<TensorView> written = outputs;
  int allocated = 0;
};
} // namespace

TEST_F(LayerRefusal, NumbersOfTensors) {
  outputs.resize(0);
  EXPECT_EQ(outcome(), "no outputs: the layer was given no outputs");
  outputs = written;
  inputs.pop_back();
  EXPECT_EQ(outcome(),
            "too few tensors: operand @2 of batch item 1 is missing: "
            "5 tensors given, 6 needed");
  inputs.resize(0);
  EXPECT_EQ(outcome(), "no inputs: the layer was given no inputs");
  inputs = own.tensors(7, 1);
  EXPECT_EQ(outcome(), "surplus tensors: 7 tensors are no whole number of "
                       "operands for a batch of 2");
  inputs = own.tensors(8, 1);
  EXPECT_EQ(outcome(), "done") << "a whole operand more than is used";
}

TEST_F(LayerRefusal, InputsWithoutMemory) {
  inputs[3] = {};
  EXPECT_EQ(outcome(), "empty input: batch item 1: operand @1 is empty");
  inputs[3] = TensorView(static_cast<const float *>(nullptr), own.Small);
  EXPECT_EQ(outcome(), "empty input: batch item 1: operand @1 of shape [2,3,4] "
                       "has a null pointer");
}

TEST_F(LayerRefusal, OneItemIsABatch) {
  inputs = own.tensors(3, 1);
  outputs.pop_back();
  inputs[1] = {};
  EXPECT_EQ(outcome(), "empty input: batch item 0: operand @1 is empty");
}

TEST_F(LayerRefusal, ShapesOfInputs) {
  inputs[4] = own.tensor(1, {2, 5, 4});
  EXPECT_TRUE(outcome().starts_with("input mismatch: batch item 0: "))
      << outcome();
}

TEST_F(LayerRefusal, ShapesOfOutputs) {
  outputs[1] = own.tensor(-1, {2, 4, 3});
  written.push_back(outputs[1]);
  EXPECT_EQ(outcome(), "output mismatch: batch item 1: output 0 has shape "
                       "[2,4,3]; its operands broadcast to [2,3,4]");
}

TEST_F(LayerRefusal, Types) {
  inputs[0] = TensorView(inputs[0].data(), DType::I32, own.Small);
  EXPECT_EQ(outcome(),
            "type mismatch: batch item 0: operand @0 is i32; it must be f32");
}

TEST_F(LayerRefusal, ImpossibleTensors) {
  inputs[0] = TensorView(inputs[0].data(), DType::F32, {-1, 3});
  EXPECT_EQ(outcome(), "invalid tensor: batch item 0: operand @0 has the "
                       "impossible shape [-1,3]");
  inputs[0] = own.tensor(1);
  outputs[0] = TensorView(static_cast<const float *>(nullptr), own.Small);
  EXPECT_EQ(outcome(), "invalid tensor: batch item 0: output 0 of shape "
                       "[2,3,4] has a null pointer");
}

TEST_F(LayerRefusal, OutputsThatShareMemory) {
  auto *const memory = static_cast<float *>(outputs[0].data());
  outputs[1] = TensorView(memory + 1, own.Small);
  EXPECT_TRUE(outcome().starts_with("overlapping output: ")) << outcome();
  outputs[1] = outputs[0];
  EXPECT_EQ(outcome(), "overlapping output: the output of batch item 1 "
                       "overlaps that of item 0");
  outputs[1] = written[1];
  inputs[2] = outputs[1]; // read by item 0, written by item 1
  EXPECT_EQ(outcome(), "overlapping output: the output of batch item 1 "
                       "overlaps operand @1 of item 0");
}

TEST_F(LayerRefusal, EmptyOutputs) {
  outputs[1] = {};
  EXPECT_EQ(outcome(), "empty output: the output of batch item 1 is empty, and "
                       "the layer has nobody to allocate it");
}

TEST_F(LayerRefusal, AllocationsThatFail) {
  outputs = {{}, {}};
  const auto fails = [this](std::size_t item, DType type, const Shape &shape) {
    return item == 0 ? counting()(item, type, shape) : TensorView();
  };
  EXPECT_EQ(outcome(fails), "allocation failed: the output of batch item 1 of "
                            "shape [2,3,4] was not allocated");
  EXPECT_EQ(allocated, 1) << "and it was not written, as all refusals check";
  const auto throws = [](std::size_t, DType, const Shape &) -> TensorView {
    throw std::bad_alloc();
  };
  EXPECT_EQ(outcome(throws), "out of memory: out of memory");
  const auto stranger = [](std::size_t, DType, const Shape &) -> TensorView {
    throw std::runtime_error("the host's own");
  };
  EXPECT_EQ(outcome(stranger),
            "allocation failed: the output of batch item 0 was not allocated: "
            "the host's own");
}

TEST_F(LayerRefusal, AllocationsOfWrongTensors) {
  outputs[1] = {};
  const auto wrong = [this](std::size_t, DType, const Shape &) {
    return own.tensor(-1, {4, 3, 2});
  };
  EXPECT_EQ(outcome(wrong), "output mismatch: batch item 1: output 0 has shape "
                            "[4,3,2]; its operands broadcast to [2,3,4]");
  const auto again = [this](std::size_t, DType, const Shape &) {
    return outputs[0];
  };
  EXPECT_TRUE(outcome(again).starts_with("overlapping output: "));
}

TEST_F(LayerRefusal, NothingIsAllocatedForACallThatIsWrong) {
  outputs[0] = {};
  const TensorView right = std::exchange(inputs[5], {});
  EXPECT_EQ(outcome(counting()),
            "empty input: batch item 1: operand @2 is empty");
  inputs[5] = own.tensor(1, {7});
  EXPECT_TRUE(
      outcome(counting()).starts_with("input mismatch: batch item 1: "));
  inputs[5] = right;
  outputs[1] = own.tensor(-1, {6});
  EXPECT_EQ(outcome(counting()), "output mismatch: the output of batch item 1 "
                                 "has shape [6]; its operands broadcast to "
                                 "[2,3,4]");
  EXPECT_EQ(allocated, 0);
}

TEST_F(LayerRefusal, ABatchThatIsEmpty) {
  inputs = own.tensors(6, 1, {0, 4});
  outputs = own.tensors(2, -1, {0, 4});
  EXPECT_EQ(outcome(), "done") << "tensors without elements are tensors";
}
