//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Parser.h"

#include "Support/Text.h"
#include "Syntax/Printer.h"
#include "Syntax/Tree.h"

#include <algorithm>
#include <limits>

using namespace kexpr;
using namespace kexpr::syntax;

template <class T> static Span<const T> spanOf(const std::vector<T> &values) {
  return {values.data(), values.size()};
}

std::string_view kexpr::nameOf(TokenKind kind) {
  constexpr std::string_view names[] = {"operand",
                                        "integer",
                                        "float",
                                        "complex",
                                        "bool",
                                        "None",
                                        "name",
                                        "left parenthesis",
                                        "right parenthesis",
                                        "left bracket",
                                        "right bracket",
                                        "comma",
                                        "value",
                                        "equals sign",
                                        "semicolon"};
  return names[static_cast<int>(kind)];
}

std::string_view kexpr::nameOf(NodeKind kind) {
  constexpr std::string_view names[] = {
      "operand", "integer", "float", "complex", "bool",
      "None",    "word",    "call",  "list",    "integer"};
  return names[static_cast<int>(kind)];
}

std::string_view Expression::text() const { return data->text; }
Span<const Token> Expression::tokens() const { return spanOf(data->tokens); }
Span<const Node> Expression::nodes() const { return spanOf(data->nodes); }
const Node &Expression::root() const { return data->nodes.back(); }
Span<const RpnEntry> Expression::rpn() const { return spanOf(data->rpn); }
const std::string &Expression::canonical() const { return data->canonical; }

std::uint32_t Expression::operandCount() const {
  return data->usedOperands.empty() ? 0 : data->usedOperands.back() + 1;
}

Span<const std::uint32_t> Expression::usedOperands() const {
  return spanOf(data->usedOperands);
}

const ParseLimits &Expression::tightestLimits() const { return data->taken; }

bool syntax::fits(const ParseLimits &taken, const ParseLimits &limits) {
  return taken.maxLength <= limits.maxLength &&
         taken.maxDepth <= limits.maxDepth &&
         taken.maxNodes <= limits.maxNodes &&
         taken.maxOperands <= limits.maxOperands &&
         taken.maxLiterals <= limits.maxLiterals;
}

/// Fills in what follows from the nodes: the reverse Polish order, which is the
/// post-order of the nodes of a tree, the canonical text, the operands and the
/// limits taken.
static void derive(detail::ExpressionData &data) {
  data.rpn.reserve(data.isListing ? 0 : data.nodes.size());
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
  data.taken.maxLength = data.text.size();
  data.taken.maxOperands = used.empty() ? 0 : std::size_t{used.back()} + 1;
}

/// The choice of the grammar does not depend on limits: the caller checks those
/// of the prefix notation.
static Status readTree(Span<const Token> tokens, const ParseLimits &limits,
                       ArityFn arityOf, detail::ExpressionData &data) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  constexpr ParseLimits none = {any, any, any, any, any};
  if (hasOnlyPnnxFaults(tokens)) {
    TreeBuilder prefix(data.text, tokens, none);
    if (readPrefix(tokens, arityOf, prefix))
      return prefix.finish(data);
  }
  TreeBuilder calls(data.text, tokens, limits);
  auto status = readCalls(data.text, tokens, calls);
  return status ? calls.finish(data) : status;
}

/// Whether the canonical form of a listing, where that has calls alone, would
/// be read in prefix notation, for a name without arguments.
static bool isMisread(const detail::ExpressionData &data, ArityFn arityOf) {
  const auto isWord = [](const Node &node) {
    return node.kind == NodeKind::Word;
  };
  if (!data.isListing ||
      std::none_of(data.nodes.begin(), data.nodes.end(), isWord))
    return false;
  const auto tokens = lex(data.canonical);
  if (!tokens)
    return false;
  const Span<const Token> all(tokens->data(), tokens->size());
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  constexpr ParseLimits none = {any, any, any, any, any};
  TreeBuilder prefix(data.canonical, all, none);
  return hasOnlyPnnxFaults(all) && readPrefix(all, arityOf, prefix);
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
  if (all.empty())
    return Error(ErrorCode::InvalidSyntax,
                 text.empty() ? "the expression is empty"
                              : "the expression holds nothing but blanks",
                 std::string(text), {0, text.size()});
  auto status = readTree(all, limits, arityOf, *data);
  if (!status)
    return status.error();
  derive(*data);
  if (isMisread(*data, arityOf))
    return Error(ErrorCode::InvalidSyntax,
                 "a name without arguments, which prefix notation would give "
                 "it outside of a listing",
                 std::string(text), {0, text.size()});
  if (!fits(data->taken, limits))
    return Error(ErrorCode::LimitExceeded,
                 "the text, read as prefix notation, is past a limit",
                 std::string(text), {0, text.size()});
  return ExpressionPtr(std::move(data));
}
