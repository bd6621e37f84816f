//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/layer/details/expression.cpp of the newest version.
//
//===----------------------------------------------------------------------===//
#include "expression.hpp"

#include "../Forward.h"
#include "layer/abstract/layer_factory.hpp"

using kexpr::kuiper::Newest;

namespace kuiper_infer {

constexpr bool isSame(Newest ours, StatusCode theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(isSame(Newest::UnknownCode, StatusCode::kUnknownCode));
static_assert(isSame(Newest::InferInputsEmpty, StatusCode::kInferInputsEmpty));
static_assert(isSame(Newest::InferOutputsEmpty,
                     StatusCode::kInferOutputsEmpty));
static_assert(isSame(Newest::InferParameterError,
                     StatusCode::kInferParameterError));
static_assert(isSame(Newest::InferDimMismatch, StatusCode::kInferDimMismatch));
static_assert(isSame(Newest::ParseParameterError,
                     StatusCode::kParseParameterError));
static_assert(isSame(Newest::ParseNullOperator,
                     StatusCode::kParseNullOperator));

static StatusCode refuse(const kexpr::LayerError &error) {
  LOG(ERROR) << "expression layer: " << error.render();
  return static_cast<StatusCode>(kexpr::kuiper::rowOf(error.status()).newest);
}

// The parser stays null: the layer needs none.
ExpressionLayer::ExpressionLayer(std::string statement)
    : NonParamLayer("Expression"),
      statement_(kexpr::kuiper::withoutBlanks(std::move(statement))) {}

bool ExpressionLayer::TokenIsOperator(Token token) const {
  return token.token_type == TokenType::TokenAdd ||
         token.token_type == TokenType::TokenMul;
}

StatusCode ExpressionLayer::Forward(const std::vector<sftensor> &inputs,
                                    std::vector<sftensor> &outputs) {
  constexpr bool allocates = true;
  const auto done =
      kexpr::kuiper::forward(statement_, inputs, outputs, allocates);
  return done ? StatusCode::kSuccess : refuse(done.error());
}

StatusCode
ExpressionLayer::CreateInstance(const std::shared_ptr<RuntimeOperator> &op,
                                std::shared_ptr<Layer<float>> &layer) {
  const auto text = kexpr::kuiper::expressionOf(op);
  if (!text)
    return refuse(text.error());
  layer = std::make_shared<ExpressionLayer>(*text);
  return StatusCode::kSuccess;
}

LayerRegistererWrapper
    kExpressionCreateInstance(ExpressionLayer::CreateInstance,
                              "pnnx.Expression");

} // namespace kuiper_infer
