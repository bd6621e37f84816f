//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageParts.h"

#include "Ops/Table.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <unordered_map>

using namespace kexpr;
using namespace kexpr::tools;

static bool isCall(const Node &node) {
  return node.kind == NodeKind::Call || node.kind == NodeKind::List;
}

/// The same for two nodes that compute the same from equal children.
static std::string keyOf(const Node &node,
                         const std::vector<std::uint32_t> &equals) {
  if (!isCall(node))
    return concat(static_cast<int>(node.kind), ' ', syntax::printLeaf(node));
  const auto op = ops::find(node.name);
  std::string key = concat(static_cast<int>(node.kind), ' ',
                           op ? std::string(ops::table()[*op].info.name)
                              : std::string(node.name));
  for (std::uint32_t child : node.children)
    key += concat(' ', equals[child]);
  return key;
}

std::vector<std::uint32_t> tools::equalNodes(const Expression &expression) {
  std::vector<std::uint32_t> equals;
  std::unordered_map<std::string, std::uint32_t> first;
  for (const Node &node : expression.nodes()) {
    const auto id = static_cast<std::uint32_t>(equals.size());
    equals.push_back(first.try_emplace(keyOf(node, equals), id).first->second);
  }
  return equals;
}

/// The text of a node, cut where it is long.
static std::string textOf(const Expression &expression, const Node &node) {
  constexpr std::size_t most = 64;
  const std::string_view text = expression.text().substr(
      node.range.begin, node.range.end - node.range.begin);
  return text.size() <= most ? std::string(text)
                             : std::string(text.substr(0, most - 3)) + "...";
}

static Part partOf(const Expression &expression, std::uint32_t id) {
  const Node &node = expression.nodes()[id];
  Part part;
  part.kind = isCall(node) ? Part::Kind::Operator : Part::Kind::Leaf;
  part.id = concat('n', id);
  part.name = isCall(node) ? std::string(node.name) : syntax::printLeaf(node);
  part.text = textOf(expression, node);
  return part;
}

static std::uint32_t add(PageData &data, Part part) {
  data.parts.push_back(std::move(part));
  return static_cast<std::uint32_t>(data.parts.size() - 1);
}

void tools::addParts(PageData &data) {
  const syntax::Listing &listing = *data.plan.listing;
  const auto nodes = data.expression.nodes();
  add(data, {.kind = Part::Kind::Loop,
             .id = "loop",
             .name = "the loop",
             .text = "counting, and going on with the next step"});
  data.partOfPlace[syntax::Listing::loop()] = 0;
  const std::vector<std::uint32_t> equals = equalNodes(data.expression);
  for (std::uint32_t id = 0; id < nodes.size(); ++id) {
    const bool isOutputs = nodes[id].kind == NodeKind::List;
    data.partOfNode.push_back(isOutputs ? 0
                              : equals[id] < id
                                  ? data.partOfNode[equals[id]]
                                  : add(data, partOf(data.expression, id)));
    if (isOutputs)
      continue;
    ++data.parts[data.partOfNode[id]].nodes;
    data.partOfPlace[listing.nodes[id]] = data.partOfNode[id];
  }
  for (std::size_t i = 0; i < listing.outputs.size(); ++i) {
    data.partOfOutput.push_back(add(data, {.kind = Part::Kind::Store,
                                           .id = concat("out", i),
                                           .name = concat("store out", i),
                                           .text = "writing the result",
                                           .nodes = 1}));
    data.partOfPlace[listing.outputs[i]] = data.partOfOutput.back();
  }
}
