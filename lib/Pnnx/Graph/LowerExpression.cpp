//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Lowering.h"

#include <new>

using namespace kexpr;
using namespace kexpr::graph;

Expected<Lowered> graph::lowerExpression(const PnnxOperator &op) {
  const std::string *text = op.parameter("expr");
  if (!text)
    return Error(ErrorCode::InvalidArgument, "'expr' is missing");
  auto parsed = Expression::parse(*text);
  if (!parsed)
    return parsed.error();
  // The canonical form has brackets everywhere, so its parts can be cut out.
  auto canonical = Expression::parse(parsed->canonical());
  if (!canonical)
    return canonical.error();
  if (canonical->operandCount() > op.inputs.size())
    return Error(ErrorCode::MissingOperand,
                 "its expression names @" +
                     std::to_string(canonical->operandCount() - 1) +
                     ", and it has " + std::to_string(op.inputs.size()) +
                     " inputs");
  Lowered lowered;
  for (const std::uint32_t input : op.inputs)
    lowered.arguments.push_back({input, nullptr});
  lowered.texts = {canonical->canonical()};
  if (op.outputs.size() != 1)
    lowered.texts = listElements(lowered.texts[0]);
  return lowered;
}

std::optional<Expression> graph::parseText(const std::string &text,
                                           const ParseLimits &limits) {
  auto parsed = Expression::parse(text, limits);
  if (parsed)
    return std::move(*parsed);
  if (parsed.error().code() == ErrorCode::OutOfMemory)
    throw std::bad_alloc();
  return std::nullopt;
}

std::vector<std::string> graph::listElements(const std::string &text) {
  std::vector<std::string> elements;
  const auto expression = parseText(text);
  if (!expression || expression->root().kind != NodeKind::List)
    return elements;
  for (const std::uint32_t child : expression->root().children) {
    const SourceRange range = expression->nodes()[child].range;
    elements.push_back(text.substr(range.begin, range.end - range.begin));
  }
  return elements;
}
