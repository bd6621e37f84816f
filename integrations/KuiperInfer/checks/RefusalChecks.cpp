//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that the layer refuses: with which code, and that nothing is written or
// aborted. Creation succeeds whatever the text says, as in the framework.
//
//===----------------------------------------------------------------------===//
#include "Framework.h"
#include "expression.hpp"

#include <gtest/gtest.h>

using namespace kexpr::kuiper;

namespace {
/// A right call with two items and two operands, to be spoilt.
class Refusal : public testing::Test {
protected:
  static sftensor tensor(float fill, std::uint32_t cols = 4) {
    auto made = std::make_shared<ftensor>(2, 3, cols);
    made->Fill(fill);
    return made;
  }
  Code code(const std::string &expression = "add(@0,@1)") {
    const Code result = ours(expression)->Forward(inputs, outputs);
    for (const sftensor &output : outputs)
      if (result != Success && output && !output->empty()) {
        EXPECT_EQ(output->at(1, 2, 3), -1) << "something was written";
      }
    return result;
  }

  Tensors inputs = {tensor(1), tensor(2), tensor(3), tensor(4)};
  Tensors outputs = {tensor(-1), tensor(-1)};
};
} // namespace

#ifdef KEXPR_KUIPER_COURSE
constexpr Code NoInput = InferStatus::kInferFailedInputEmpty;
constexpr Code NoOutput = InferStatus::kInferFailedOutputEmpty;
constexpr Code BadCount = InferStatus::kInferFailedInputOutSizeMatchError;
constexpr Code BadInputShape = InferStatus::kInferFailedShapeParameterError;
constexpr Code BadOutputShape = InferStatus::kInferFailedOutputSizeError;
constexpr Code BadExpression = InferStatus::kInferUnknown;
constexpr Code Overlap = InferStatus::kInferUnknown;
#else
constexpr Code NoInput = StatusCode::kInferInputsEmpty;
constexpr Code NoOutput = StatusCode::kInferOutputsEmpty;
constexpr Code BadCount = StatusCode::kInferParameterError;
constexpr Code BadInputShape = StatusCode::kInferDimMismatch;
constexpr Code BadOutputShape = StatusCode::kInferDimMismatch;
constexpr Code BadExpression = StatusCode::kParseParameterError;
constexpr Code Overlap = StatusCode::kInferParameterError;
#endif

TEST_F(Refusal, ARightCallIsNone) { EXPECT_EQ(code(), Success); }

TEST_F(Refusal, Expressions) {
  for (const char *text : {"", " \t", "add(@0,", "ad(@0,@1)", "add(@0)", "@",
                           "@99999999999", "[@0,@1]", "and(@0,@1)", "add@0@1"})
    EXPECT_EQ(code(text), BadExpression) << text;
}

TEST_F(Refusal, NumbersOfTensors) {
  EXPECT_EQ(code("mul(@0,@2)"), BadCount);
  inputs.push_back(tensor(5));
  EXPECT_EQ(code(), BadCount);
  inputs.clear();
  EXPECT_EQ(code(), NoInput);
  inputs.resize(4);
  outputs.clear();
  EXPECT_EQ(code(), NoOutput);
}

TEST_F(Refusal, TensorsWithoutElements) {
  const sftensor whole = inputs[3];
  inputs[3] = nullptr;
  EXPECT_EQ(code(), NoInput);
  inputs[3] = std::make_shared<ftensor>();
  EXPECT_EQ(code(), NoInput);
  inputs[3] = whole;
  if (IsCourse)
    for (const sftensor &empty : {sftensor(), std::make_shared<ftensor>()}) {
      outputs[1] = empty;
      EXPECT_EQ(code(), NoOutput);
    }
}

TEST_F(Refusal, Shapes) {
  outputs[1] = tensor(-1, 5);
  EXPECT_EQ(code(), BadOutputShape);
  outputs[1] = tensor(-1);
  inputs[2] = tensor(3, 5);
  EXPECT_EQ(code(), BadInputShape);
}

TEST_F(Refusal, OutputsThatAnotherItemReads) {
  inputs[2] = outputs[1];
  EXPECT_EQ(code(), Overlap);
}

#ifdef KEXPR_KUIPER_COURSE
static ParseParameterAttrStatus
creation(const std::shared_ptr<RuntimeOperator> &op) {
  std::shared_ptr<Layer> layer;
  return ExpressionLayer::GetInstance(op, layer);
}
constexpr auto Created = ParseParameterAttrStatus::kParameterAttrParseSuccess;
constexpr auto NoOperator = ParseParameterAttrStatus::kParameterMissingExpr;
constexpr auto NoText = ParseParameterAttrStatus::kParameterMissingExpr;
#else
static StatusCode creation(const std::shared_ptr<RuntimeOperator> &op) {
  std::shared_ptr<Layer<float>> layer;
  return ExpressionLayer::CreateInstance(op, layer);
}
constexpr auto Created = StatusCode::kSuccess;
constexpr auto NoOperator = StatusCode::kParseNullOperator;
constexpr auto NoText = StatusCode::kParseParameterError;
#endif

TEST(Creation, LooksAtTheParameterAndNotIntoIt) {
  using String = RuntimeParameterString;
  EXPECT_EQ(creation(operatorOf(std::make_shared<String>("add(@0,@1)"))),
            Created);
  EXPECT_EQ(creation(operatorOf(std::make_shared<String>("no expression"))),
            Created);
  EXPECT_EQ(creation(nullptr), NoOperator);
  EXPECT_EQ(creation(std::make_shared<RuntimeOperator>()), NoText);
  EXPECT_EQ(creation(operatorOf(nullptr)), NoText);
  EXPECT_EQ(creation(operatorOf(std::make_shared<RuntimeParameterInt>(3))),
            NoText);
  // A parameter that says it is a string and is none.
  EXPECT_EQ(creation(operatorOf(std::make_shared<RuntimeParameter>(
                RuntimeParameterType::kParameterString))),
            NoText);
  const auto lying = std::make_shared<String>("add(@0,@1)");
  lying->type = RuntimeParameterType::kParameterInt;
  EXPECT_EQ(creation(operatorOf(lying)), NoText);
}
