//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/LayerGuard.h"

#include <algorithm>
#include <string>

using namespace kexpr;

using MadeLayer = Expected<ExpressionLayer, LayerError>;

std::string_view kexpr::nameOf(LayerStatus status) {
  constexpr std::string_view names[] = {"null operator",
                                        "missing expression",
                                        "null expression",
                                        "expression not text",
                                        "empty expression",
                                        "malformed expression",
                                        "unsupported expression",
                                        "compile failed",
                                        "no inputs",
                                        "no outputs",
                                        "too few tensors",
                                        "surplus tensors",
                                        "empty input",
                                        "invalid tensor",
                                        "type mismatch",
                                        "input mismatch",
                                        "output mismatch",
                                        "empty output",
                                        "allocation failed",
                                        "overlapping output",
                                        "out of memory"};
  static_assert(std::size(names) == LayerStatusCount);
  const auto row = static_cast<std::size_t>(status);
  return row < LayerStatusCount ? names[row] : "?";
}

static LayerError refuse(LayerStatus status, std::string message) {
  return {status, Error(ErrorCode::InvalidArgument, std::move(message))};
}

/// What stands in the way of a kernel.
static LayerStatus statusOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidSyntax:
  case ErrorCode::LimitExceeded:
  case ErrorCode::UnknownOperator:
  case ErrorCode::WrongArity:
    return LayerStatus::MalformedExpression;
  case ErrorCode::TypeMismatch:
  case ErrorCode::Unsupported:
    return LayerStatus::UnsupportedExpression;
  case ErrorCode::OutOfMemory:
    return LayerStatus::OutOfMemory;
  default:
    return LayerStatus::CompileFailed;
  }
}

MadeLayer ExpressionLayer::create(const Engine &engine,
                                  std::string_view expression,
                                  const CompileOptions &options) {
  return pnnx::guardedLayer([&]() -> MadeLayer {
    if (expression.find_first_not_of(" \t\n\v\f\r") == expression.npos)
      return LayerError(
          LayerStatus::EmptyExpression,
          Error(ErrorCode::InvalidSyntax, "the expression is empty"));
    auto kernel = engine.compile(expression, options);
    if (!kernel)
      return LayerError(statusOf(kernel.error().code()), kernel.error());
    if (kernel->outputCount() != 1)
      return LayerError(LayerStatus::UnsupportedExpression,
                        Error(ErrorCode::Unsupported,
                              "a layer has one output; the expression has " +
                                  std::to_string(kernel->outputCount())));
    return ExpressionLayer(std::move(*kernel));
  });
}

static std::string_view phraseOf(ParameterKind kind) {
  constexpr std::string_view names[] = {"null",    "a bool",   "an int",
                                        "a float", "a string", "a list"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(names) ? names[index] : "of an unknown kind";
}

static Expected<std::string_view, LayerError>
findText(const LayerOperator *description) {
  if (!description)
    return refuse(LayerStatus::NullOperator, "there is no operator");
  const auto &parameters = description->parameters;
  const auto expr = std::find_if(
      parameters.begin(), parameters.end(),
      [](const LayerParameter &parameter) { return parameter.key == "expr"; });
  if (expr == parameters.end())
    return refuse(LayerStatus::MissingExpression,
                  "the operator has no parameter 'expr'");
  if (expr->kind == ParameterKind::Null)
    return refuse(LayerStatus::NullExpression,
                  "the parameter 'expr' has no value");
  if (expr->kind != ParameterKind::String)
    return refuse(LayerStatus::ExpressionNotText,
                  std::string("the parameter 'expr' is ")
                      .append(phraseOf(expr->kind))
                      .append("; it must be a string"));
  return expr->text;
}

Expected<std::string_view, LayerError>
ExpressionLayer::expressionOf(const LayerOperator *description) {
  return pnnx::guardedLayer([&] { return findText(description); });
}

MadeLayer ExpressionLayer::create(const Engine &engine,
                                  const LayerOperator *description,
                                  const CompileOptions &options) {
  auto text = expressionOf(description);
  if (!text)
    return text.error();
  return create(engine, *text, options);
}
