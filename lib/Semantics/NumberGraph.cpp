//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/NumberGraph.h"

#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <bit>

using namespace kexpr;
using namespace kexpr::semantics;

using Kind = Number::Kind;

Expected<Number> NumberGraph::compute(const NumberNode &node,
                                      std::span<const Number> values,
                                      const Shapes &shapes) const {
  std::array<Number, ops::MaxArity> args;
  for (unsigned i = 0; i < node.arity; ++i)
    args[i] = values[node.args[i]];
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
  return callNumber(node.op, {args.data(), node.arity});
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
  std::uint64_t hash = std::bit_cast<std::uint64_t>(node.number.real);
  auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(node.number.integer));
  mix(static_cast<std::uint64_t>(node.kind) << 32 | node.operand);
  mix(std::uint64_t{node.op} << 8 | static_cast<std::uint64_t>(node.type));
  for (NumberId arg : node.args)
    mix(arg);
  return hash;
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
    auto number = node.kind == NodeKind::Cast ? callCast(node.type, args[0])
                                              : callNumber(node.op, numbers);
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

std::string NumberGraph::str(NumberId id) const {
  const NumberNode &node = nodes[id];
  std::string args;
  for (unsigned i = 0; i < node.arity; ++i)
    args += (i ? "," : "") + str(node.args[i]);
  switch (node.kind) {
  case NumberNode::Kind::Literal:
    return node.number.kind == Kind::Bool
               ? (node.number.integer ? "True" : "False")
           : node.number.kind == Kind::Int
               ? std::to_string(node.number.integer)
               : syntax::printFloat(node.number.real);
  case NumberNode::Kind::Size:
    return concat("size(@", node.operand, ",", args, ")");
  case NumberNode::Kind::Cast:
    return concat("cast.", nameOf(node.type), "(", args, ")");
  case NumberNode::Kind::Call:
    break;
  }
  return concat(ops::table()[node.op].info.name, "(", args, ")");
}

Expected<std::vector<Number>>
NumberGraph::evaluate(std::span<const NumberId> needed,
                      const Shapes &shapes) const {
  std::vector<Number> values(nodes.size());
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    auto value = compute(nodes[id], values, shapes);
    if (value && value->kind != nodes[id].number.kind)
      value = Error(ErrorCode::InvalidArgument,
                    concat(str(static_cast<NumberId>(id)),
                           " is no whole number for these shapes"));
    if (!value)
      return Error(value.error().code(), value.error().message(), {},
                   nodes[id].range);
    values[id] = *value;
  }
  std::vector<Number> result;
  for (NumberId id : needed)
    result.push_back(values[id]);
  return result;
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
