//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Flow.h"
#include "kexpr/Expression.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

/// Where the outermost calls of `size` stand, in the order of the text.
static std::vector<SourceRange> findSizes(const Expression &expression) {
  std::vector<SourceRange> calls;
  for (const Node &node : expression.nodes())
    if (node.kind == NodeKind::Call && node.name == "size") {
      // Post-order: calls inside this one came before it.
      while (!calls.empty() && calls.back().begin >= node.range.begin)
        calls.pop_back();
      calls.push_back(node.range);
    }
  return calls;
}

static void addText(Formula &formula, std::string_view text) {
  if (formula.empty() || formula.back().kind != Piece::Kind::Text)
    formula.emplace_back();
  formula.back().text.append(text);
}

Expected<Formula> graph::makeFormula(const std::string &text,
                                     const std::vector<ValueId> &operands) {
  auto parsed = Expression::parse(text);
  if (!parsed)
    return parsed.error();
  // Only the canonical form is sure to be a call form that can be put together
  // with others.
  auto expression = Expression::parse(parsed->canonical());
  if (!expression)
    return expression.error();
  const auto sizes = findSizes(*expression);
  auto size = sizes.begin();
  Formula formula;
  const std::string_view all = expression->text();
  for (const Token &token : expression->tokens()) {
    while (size != sizes.end() && token.range.begin >= size->end)
      ++size;
    if (size != sizes.end() && token.range.begin >= size->begin) {
      if (token.range.begin == size->begin)
        formula.push_back(
            {Piece::Kind::Size,
             std::string(all.substr(size->begin, size->end - size->begin)), 0});
    } else if (token.kind != TokenKind::Operand) {
      addText(formula, token.text);
    } else {
      const auto index = std::stoul(std::string(token.text.substr(1)));
      formula.push_back({Piece::Kind::Operand, {}, operands[index]});
    }
  }
  return formula;
}
