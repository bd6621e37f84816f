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

#include "Status.h"
#include "layer/abstract/layer_factory.hpp"

using kexpr::kuiper::codeOf;

namespace kuiper_infer {

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
  return codeOf("expression",
                kexpr::kuiper::forward(statement_, inputs, outputs, allocates));
}

StatusCode
ExpressionLayer::CreateInstance(const std::shared_ptr<RuntimeOperator> &op,
                                std::shared_ptr<Layer<float>> &layer) {
  const auto text = kexpr::kuiper::expressionOf(op);
  if (!text)
    return codeOf("expression", text.error());
  layer = std::make_shared<ExpressionLayer>(*text);
  return StatusCode::kSuccess;
}

LayerRegistererWrapper
    kExpressionCreateInstance(ExpressionLayer::CreateInstance,
                              "pnnx.Expression");

} // namespace kuiper_infer
