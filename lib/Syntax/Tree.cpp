//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Tree.h"

#include "Support/Text.h"
#include "Syntax/Leaf.h"

#include <algorithm>
#include <charconv>

using namespace kexpr;
using namespace kexpr::syntax;

Status TreeBuilder::checkLimit(std::size_t count, std::size_t limit,
                               const char *what, const Token &token) const {
  if (count < limit)
    return {};
  return Error(ErrorCode::LimitExceeded, concat("more than ", limit, ' ', what),
               std::string(text), token.range);
}

/// Whether one more node may be read; names of calls count as well.
Status TreeBuilder::checkNode(const Token &token, bool isLiteral) {
  auto status = checkLimit(nodes.size() + references + frames.size(),
                           limits.maxNodes, "nodes", token);
  return status && isLiteral
             ? checkLimit(literals++, limits.maxLiterals, "literals", token)
             : status;
}

static bool isLiteral(NodeKind kind) {
  return kind >= NodeKind::Integer && kind <= NodeKind::None;
}

Status TreeBuilder::addLeaf(const Token &token) {
  if (auto status = checkNode(token, token.kind != TokenKind::Operand &&
                                         token.kind != TokenKind::Name);
      !status)
    return status;
  auto leaf = leafOf(token, text, limits);
  if (!leaf)
    return leaf.error();
  values.push_back(static_cast<std::uint32_t>(nodes.size()));
  nodes.push_back(*leaf);
  children.emplace_back();
  return {};
}

/// Limits are those of what is written, and where definitions nest, depth adds
/// up.
Status TreeBuilder::addNamed(const Token &token) {
  const std::string_view digits = token.text.substr(1);
  std::size_t number = named.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number >= named.size())
    return fault(concat(token.text, " has no definition so far"), token.range);
  Named &value = named[number];
  value.isUsed = true;
  if (auto status = checkNode(token, value.leaf && isLiteral(value.leaf->kind));
      !status)
    return status;
  if (value.leaf) {
    values.push_back(static_cast<std::uint32_t>(nodes.size()));
    nodes.push_back(*value.leaf);
    children.emplace_back();
    return {};
  }
  const std::size_t depth = frames.size() + children[value.node].depth;
  if (auto status =
          checkLimit(depth - 1, limits.maxDepth, "nested calls", token);
      !status)
    return status;
  ++references;
  values.push_back(value.node);
  return {};
}

Status TreeBuilder::define(const Token &token) {
  const std::uint32_t node = values.back();
  const NodeKind kind = nodes[node].kind;
  if (kind == NodeKind::List || kind == NodeKind::Word)
    return fault(concat("a ", nameOf(kind), " cannot have a name"),
                 token.range);
  values.pop_back();
  named.push_back({node, token.range});
  if (kind == NodeKind::Call)
    return {};
  named.back().leaf = nodes[node];
  literals -= isLiteral(kind);
  nodes.pop_back();
  children.pop_back();
  return {};
}

Status TreeBuilder::open(const Token &token) {
  if (auto status =
          checkLimit(frames.size(), limits.maxDepth, "nested calls", token);
      !status)
    return status;
  if (auto status = checkNode(token, false); !status)
    return status;
  const bool call = token.kind == TokenKind::Name;
  frames.push_back({call ? NodeKind::Call : NodeKind::List,
                    call ? token.text : std::string_view(), token.range.begin,
                    values.size()});
  return {};
}

void TreeBuilder::close(std::size_t end) {
  const Frame frame = frames.back();
  frames.pop_back();
  Node node{frame.kind};
  node.name = frame.name;
  node.range = {frame.begin, end};
  std::size_t depth = 1;
  for (std::size_t i = frame.base; i < values.size(); ++i)
    depth = std::max(depth, children[values[i]].depth + 1);
  children.push_back({childIndices.size(), values.size() - frame.base, depth});
  childIndices.insert(childIndices.end(), values.begin() + frame.base,
                      values.end());
  values.resize(frame.base);
  values.push_back(static_cast<std::uint32_t>(nodes.size()));
  nodes.push_back(node);
}

Status TreeBuilder::finish(detail::ExpressionData &data) {
  for (const Named &value : named) {
    if (!value.isUsed)
      return fault(concat("value %", &value - named.data(), " has no use"),
                   value.range);
    data.isListing = true;
  }
  data.taken.maxNodes = nodes.size() + references;
  data.taken.maxLiterals = literals;
  data.taken.maxDepth = children.back().depth;
  data.nodes = std::move(nodes);
  data.childIndices = std::move(childIndices);
  for (std::size_t i = 0; i < data.nodes.size(); ++i)
    data.nodes[i].children = {data.childIndices.data() + children[i].first,
                              children[i].count};
  return {};
}
