//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Tree.h"

#include "Support/Text.h"
#include "Syntax/Leaf.h"

using namespace kexpr;
using namespace kexpr::syntax;

Status TreeBuilder::checkLimit(std::size_t count, std::size_t limit,
                               const char *what, const Token &token) const {
  if (count < limit)
    return {};
  return Error(ErrorCode::LimitExceeded, concat("more than ", limit, ' ', what),
               std::string(text), token.range);
}

Status TreeBuilder::addLeaf(const Token &token) {
  if (auto status = checkLimit(nodes.size() + frames.size(), limits.maxNodes,
                               "nodes", token);
      !status)
    return status;
  const bool isLiteral =
      token.kind != TokenKind::Operand && token.kind != TokenKind::Name;
  if (isLiteral)
    if (auto status =
            checkLimit(literals++, limits.maxLiterals, "literals", token);
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

Status TreeBuilder::open(const Token &token) {
  if (auto status =
          checkLimit(frames.size(), limits.maxDepth, "nested calls", token);
      !status)
    return status;
  if (auto status = checkLimit(nodes.size() + frames.size(), limits.maxNodes,
                               "nodes", token);
      !status)
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
  children.push_back({childIndices.size(), values.size() - frame.base});
  childIndices.insert(childIndices.end(), values.begin() + frame.base,
                      values.end());
  values.resize(frame.base);
  values.push_back(static_cast<std::uint32_t>(nodes.size()));
  nodes.push_back(node);
}

void TreeBuilder::finish(detail::ExpressionData &data) {
  data.nodes = std::move(nodes);
  data.childIndices = std::move(childIndices);
  for (std::size_t i = 0; i < data.nodes.size(); ++i)
    data.nodes[i].children = {data.childIndices.data() + children[i].first,
                              children[i].count};
}
