//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Syntax.h"

#include <iomanip>
#include <sstream>
#include <vector>

using namespace kexpr;
using namespace kexpr::inspect;

static std::string rangeText(SourceRange range) {
  return std::to_string(range.begin) + ".." + std::to_string(range.end);
}

/// The text that a node was read from.
static std::string_view spelling(const Expression &expression,
                                 const Node &node) {
  return expression.text().substr(node.range.begin,
                                  node.range.end - node.range.begin);
}

/// A node without its children: `add`, `list`, `@0`, `0.5`.
static std::string_view label(const Expression &expression, const Node &node) {
  switch (node.kind) {
  case NodeKind::Call:
  case NodeKind::Word:
    return node.name;
  case NodeKind::List:
    return "[]";
  default:
    return spelling(expression, node);
  }
}

std::string inspect::tokensOf(const Expression &expression) {
  std::ostringstream out;
  for (const Token &token : expression.tokens())
    out << std::left << std::setw(10) << rangeText(token.range) << std::setw(18)
        << nameOf(token.kind) << token.text << '\n';
  return out.str();
}

std::string inspect::treeOf(const Expression &expression) {
  const auto nodes = expression.nodes();
  struct Entry {
    std::uint32_t node;
    int depth;
  };
  std::ostringstream out;
  // A stack of its own: the tree may be thousands of levels deep.
  std::vector<Entry> pending = {
      {static_cast<std::uint32_t>(nodes.size() - 1), 0}};
  while (!pending.empty()) {
    const auto [id, depth] = pending.back();
    pending.pop_back();
    const Node &node = nodes[id];
    out << std::string(static_cast<std::size_t>(depth) * 2, ' ')
        << nameOf(node.kind) << ' ' << label(expression, node) << "  "
        << rangeText(node.range) << '\n';
    for (std::size_t i = node.children.size(); i-- > 0;)
      pending.push_back({node.children[i], depth + 1});
  }
  return out.str();
}

std::string inspect::rpnOf(const Expression &expression) {
  std::ostringstream out;
  std::size_t height = 0;
  for (const RpnEntry &entry : expression.rpn()) {
    height = height + 1 - entry.arity;
    std::ostringstream text;
    text << label(expression, expression.nodes()[entry.node]);
    if (entry.kind == NodeKind::Call || entry.kind == NodeKind::List)
      text << '/' << entry.arity;
    out << std::left << std::setw(20) << text.str() << " stack " << height
        << '\n';
  }
  return out.str();
}
