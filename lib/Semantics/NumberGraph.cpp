//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/NumberGraph.h"

#include "Support/Hash.h"
#include "Support/InlineBuffer.h"
#include "Support/Text.h"

#include <algorithm>
#include <bit>

using namespace kexpr;
using namespace kexpr::semantics;

using Kind = Number::Kind;

/// The value of a node whose arguments have these values.
static Expected<Number> compute(const NumberNode &node,
                                std::span<const Number> args,
                                const Shapes &shapes) {
  switch (node.kind) {
  case NumberNode::Kind::Literal:
    return node.number;
  case NumberNode::Kind::Size:
    return sizeNumber(shapes, node.operand, args[0]);
  case NumberNode::Kind::Cast:
    return callCast(node.type, args[0]);
  case NumberNode::Kind::Call:
    break;
  }
  return callNumber(node.op, args);
}

bool semantics::operator==(const NumberNode &a, const NumberNode &b) {
  return a.kind == b.kind && a.number.kind == b.number.kind &&
         a.number.integer == b.number.integer &&
         std::bit_cast<std::uint64_t>(a.number.real) ==
             std::bit_cast<std::uint64_t>(b.number.real) &&
         a.operand == b.operand && a.op == b.op && a.type == b.type &&
         a.args == b.args && a.arity == b.arity;
}

std::size_t NumberGraph::Hash::operator()(const NumberNode &node) const {
  WordHash hash;
  hash.add(std::bit_cast<std::uint64_t>(node.number.real),
           static_cast<std::uint64_t>(node.number.integer),
           static_cast<std::uint64_t>(node.kind) << 32 | node.operand,
           std::uint64_t{node.op} << 8 | static_cast<std::uint64_t>(node.type));
  for (NumberId arg : node.args)
    hash.add(arg);
  return hash.value;
}

Expected<NumberId> NumberGraph::add(const NumberNode &given) {
  using NodeKind = NumberNode::Kind;
  NumberNode node = given;
  std::array<Number, ops::MaxArity> args;
  bool isKnown = node.kind != NodeKind::Size;
  for (unsigned i = 0; i < node.arity; ++i) {
    args[i] = nodes[node.args[i]].number;
    isKnown &= isLiteral(node.args[i]);
  }
  const std::span<const Number> numbers(args.data(), node.arity);
  if (isKnown && node.kind != NodeKind::Literal) {
    auto number = compute(node, numbers, {});
    if (!number)
      return number.error();
    node = {.number = *number, .range = node.range};
  } else if (node.kind == NodeKind::Size) {
    node.number.kind = Kind::Int;
  } else if (node.kind == NodeKind::Cast) {
    node.number = castNumber({}, node.type);
  } else if (node.kind == NodeKind::Call) {
    node.number.kind = callKind(node.op, numbers);
  }
  auto [place, isNew] =
      ids.try_emplace(node, static_cast<NumberId>(nodes.size()));
  if (isNew)
    nodes.push_back(node);
  return place->second;
}

/// The text of a node up to its arguments.
static std::string beginningOf(const NumberNode &node) {
  switch (node.kind) {
  case NumberNode::Kind::Literal:
    return node.number.str();
  case NumberNode::Kind::Size:
    return concat("size(@", node.operand, ",");
  case NumberNode::Kind::Cast:
    return concat("cast.", nameOf(node.type), "(");
  case NumberNode::Kind::Call:
    break;
  }
  return concat(ops::table()[node.op].info.name, "(");
}

std::string NumberGraph::str(NumberId id) const {
  // An explicit stack: calls may nest deeply, and the stack of a host's thread
  // may be small.
  struct Frame {
    NumberId id;
    unsigned next; ///< Argument to print next.
  };
  std::string text = beginningOf(nodes[id]);
  std::vector<Frame> open = {{id, 0}};
  while (!open.empty()) {
    const NumberNode &node = nodes[open.back().id];
    const unsigned next = open.back().next++;
    if (next < node.arity) {
      text += (next ? "," : "") + beginningOf(nodes[node.args[next]]);
      open.push_back({node.args[next], 0});
    } else {
      text += node.kind == NumberNode::Kind::Literal ? "" : ")";
      open.pop_back();
    }
  }
  return text;
}

/// The error for a value that these shapes do not have, or that is of another
/// kind than assumed.
Error NumberGraph::placed(NumberId id, const Expected<Number> &value) const {
  const SourceRange range = nodes[id].range;
  if (!value)
    return {value.error().code(), value.error().message(), {}, range};
  return {ErrorCode::InvalidArgument,
          concat(str(id), " is no whole number for these shapes"),
          {},
          range};
}

Status NumberGraph::evaluate(std::span<const NumberId> needed,
                             const Shapes &shapes,
                             std::span<Number> values) const {
  InlineBuffer<Number, 32> all(nodes.size());
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    const NumberNode &node = nodes[id];
    std::array<Number, ops::MaxArity> args;
    for (unsigned i = 0; i < node.arity; ++i)
      args[i] = all[node.args[i]];
    const auto value = compute(node, {args.data(), node.arity}, shapes);
    if (!value || value->kind != node.number.kind)
      return placed(static_cast<NumberId>(id), value);
    all[id] = *value;
  }
  std::transform(needed.begin(), needed.end(), values.begin(),
                 [&all](NumberId id) { return all[id]; });
  return {};
}

NumberGraph NumberGraph::keep(std::span<NumberId> needed) const {
  std::vector<bool> isKept(nodes.size());
  for (NumberId id : needed)
    isKept[id] = true;
  for (std::size_t id = nodes.size(); id-- > 0;)
    for (unsigned i = 0; isKept[id] && i < nodes[id].arity; ++i)
      isKept[nodes[id].args[i]] = true;

  NumberGraph result;
  std::vector<NumberId> renamed(nodes.size());
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    if (!isKept[id])
      continue;
    renamed[id] = static_cast<NumberId>(result.nodes.size());
    result.nodes.push_back(nodes[id]);
    for (NumberId &arg : result.nodes.back().args)
      arg = renamed[arg];
  }
  for (NumberId &id : needed)
    id = renamed[id];
  return result;
}
