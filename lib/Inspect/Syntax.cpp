//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Syntax.h"

#include "Support/Text.h"

#include <vector>

using namespace kexpr;
using namespace kexpr::inspect;

static std::string rangeText(SourceRange range) {
  return concat(range.begin, "..", range.end);
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
  std::string out;
  for (const Token &token : expression.tokens())
    out +=
        concat(padded(rangeText(token.range), 10),
               padded(std::string(nameOf(token.kind)), 18), token.text, '\n');
  return out;
}

std::string inspect::treeOf(const Expression &expression) {
  const auto nodes = expression.nodes();
  struct Entry {
    std::uint32_t node;
    int depth;
  };
  std::string out;
  std::vector<bool> isShown(nodes.size());
  // A stack of its own: the tree may be thousands of levels deep.
  std::vector<Entry> pending = {
      {static_cast<std::uint32_t>(nodes.size() - 1), 0}};
  while (!pending.empty()) {
    const auto [id, depth] = pending.back();
    pending.pop_back();
    const Node &node = nodes[id];
    out.append(static_cast<std::size_t>(depth) * 2, ' ');
    out += concat(nameOf(node.kind), ' ', label(expression, node), "  ",
                  rangeText(node.range), '\n');
    // What is used again has its arguments where it stood first.
    if (isShown[id])
      continue;
    isShown[id] = true;
    for (std::size_t i = node.children.size(); i-- > 0;)
      pending.push_back({node.children[i], depth + 1});
  }
  return out;
}

std::string inspect::rpnOf(const Expression &expression) {
  if (expression.rpn().empty())
    return "the expression names values, and a stack has each once\n";
  std::string out;
  std::size_t height = 0;
  for (const RpnEntry &entry : expression.rpn()) {
    height = height + 1 - entry.arity;
    std::string text(label(expression, expression.nodes()[entry.node]));
    if (entry.kind == NodeKind::Call || entry.kind == NodeKind::List)
      text += concat('/', entry.arity);
    out += concat(padded(std::move(text), 20), " stack ", height, '\n');
  }
  return out;
}
