//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Parser.h"

#include "Support/Text.h"
#include "Syntax/Lexer.h"
#include "Syntax/Printer.h"
#include "Syntax/Readings.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::syntax;

static Status checkText(std::string_view text, Span<const Token> tokens) {
  if (!tokens.empty())
    return {};
  return Error(ErrorCode::InvalidSyntax,
               text.empty() ? "the expression is empty"
                            : "the expression holds nothing but blanks",
               std::string(text), {0, text.size()});
}

/// What follows from the tree: the reverse Polish order, which is the
/// post-order the nodes stand in, the canonical text, the operands.
static void derive(detail::ExpressionData &data) {
  for (std::uint32_t i = 0; i < data.nodes.size(); ++i) {
    const Node &node = data.nodes[i];
    data.rpn.push_back(
        {node.kind, i, static_cast<std::uint32_t>(node.children.size())});
    if (node.kind == NodeKind::Operand)
      data.usedOperands.push_back(node.index);
  }
  auto &used = data.usedOperands;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  data.canonical = print({data.nodes.data(), data.nodes.size()});
}

Expected<ExpressionPtr> syntax::parse(std::string_view text,
                                      const ParseLimits &limits,
                                      ArityFn arityOf) {
  if (text.size() > limits.maxLength)
    return Error(ErrorCode::LimitExceeded,
                 concat("the expression has ", text.size(),
                        " bytes, more than the limit of ", limits.maxLength));
  auto data = std::make_shared<detail::ExpressionData>();
  data->text = text;
  auto tokens = lex(data->text);
  if (!tokens)
    return tokens.error();
  data->tokens = std::move(*tokens);
  const Span<const Token> all(data->tokens.data(), data->tokens.size());
  if (auto status = checkText(text, all); !status)
    return status.error();

  TreeBuilder calls(data->text, limits), prefix(data->text, limits);
  const auto strict = readCalls(data->text, all, calls);
  if (hasOnlyPnnxFaults(all) && readPrefix(all, arityOf, prefix))
    prefix.finish(*data);
  else if (strict)
    calls.finish(*data);
  else
    return strict.error();
  derive(*data);
  return ExpressionPtr(std::move(data));
}
