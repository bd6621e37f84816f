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
#include <limits>

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

static ParseLimits takenBy(const detail::ExpressionData &data) {
  return {.maxLength = data.text.size(),
          .maxDepth = data.taken.maxDepth,
          .maxNodes = data.taken.maxNodes,
          .maxOperands = data.usedOperands.empty()
                             ? 0
                             : std::size_t{data.usedOperands.back()} + 1,
          .maxLiterals = data.taken.maxLiterals};
}

/// What follows from the nodes: the reverse Polish order, which is the
/// post-order that those of a tree stand in, the canonical text, the operands,
/// the size.
static void derive(detail::ExpressionData &data) {
  for (std::uint32_t i = 0; i < data.nodes.size(); ++i) {
    const Node &node = data.nodes[i];
    if (!data.isListing)
      data.rpn.push_back(
          {node.kind, i, static_cast<std::uint32_t>(node.children.size())});
    if (node.kind == NodeKind::Operand)
      data.usedOperands.push_back(node.index);
  }
  auto &used = data.usedOperands;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  data.canonical = print({data.nodes.data(), data.nodes.size()});
  data.taken = takenBy(data);
}

/// Which reading a text has does not depend on limits: those of the prefix
/// notation are for the caller to look at.
static Status readTree(Span<const Token> tokens, const ParseLimits &limits,
                       ArityFn arityOf, detail::ExpressionData &data) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  constexpr ParseLimits none = {any, any, any, any, any};
  TreeBuilder prefix(data.text, none);
  if (hasOnlyPnnxFaults(tokens) && readPrefix(tokens, arityOf, prefix))
    return prefix.finish(data);
  TreeBuilder calls(data.text, limits);
  auto status = readCalls(data.text, tokens, calls);
  return status ? calls.finish(data) : status;
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

  auto status = readTree(all, limits, arityOf, *data);
  if (!status)
    return status.error();
  derive(*data);
  if (!fits(data->taken, limits))
    return Error(ErrorCode::LimitExceeded,
                 "the text, read as prefix notation, is past a limit",
                 std::string(text), {0, text.size()});
  return ExpressionPtr(std::move(data));
}
