//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/layer/details/expression.cpp of the course version.
//
//===----------------------------------------------------------------------===//
#include "expression.hpp"

#include "../Forward.h"
#include "layer/abstract/layer_factory.hpp"

using kexpr::kuiper::Course;

namespace kuiper_infer {

constexpr bool isSame(Course ours, InferStatus theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(isSame(Course::Unknown, InferStatus::kInferUnknown));
static_assert(isSame(Course::InputEmpty, InferStatus::kInferFailedInputEmpty));
static_assert(isSame(Course::InputOutSizeMatchError,
                     InferStatus::kInferFailedInputOutSizeMatchError));
static_assert(isSame(Course::OutputSizeError,
                     InferStatus::kInferFailedOutputSizeError));
static_assert(isSame(Course::ShapeParameterError,
                     InferStatus::kInferFailedShapeParameterError));
static_assert(isSame(Course::OutputEmpty,
                     InferStatus::kInferFailedOutputEmpty));

// The parser stays null: the layer needs none.
ExpressionLayer::ExpressionLayer(std::string statement)
    : NonParamLayer("Expression"),
      statement_(kexpr::kuiper::withoutBlanks(std::move(statement))) {}

InferStatus ExpressionLayer::Forward(const std::vector<sftensor> &inputs,
                                     std::vector<sftensor> &outputs) {
  constexpr bool allocates = false;
  const auto done =
      kexpr::kuiper::forward(statement_, inputs, outputs, allocates);
  if (done)
    return InferStatus::kInferSuccess;
  LOG(ERROR) << "expression layer: " << done.error().render();
  return static_cast<InferStatus>(
      kexpr::kuiper::rowOf(done.error().status()).course);
}

// There is one code for all that can be wrong here.
ParseParameterAttrStatus
ExpressionLayer::GetInstance(const std::shared_ptr<RuntimeOperator> &op,
                             std::shared_ptr<Layer> &layer) {
  const auto text = kexpr::kuiper::expressionOf(op);
  if (!text) {
    LOG(ERROR) << "expression layer: " << text.error().render();
    return ParseParameterAttrStatus::kParameterMissingExpr;
  }
  layer = std::make_shared<ExpressionLayer>(*text);
  return ParseParameterAttrStatus::kParameterAttrParseSuccess;
}

LayerRegistererWrapper kExpressionGetInstance("pnnx.Expression",
                                              ExpressionLayer::GetInstance);

} // namespace kuiper_infer
