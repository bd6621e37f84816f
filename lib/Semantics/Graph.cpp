//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Graph.h"

#include "Support/Text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace kexpr;
using namespace kexpr::semantics;

bool semantics::operator==(const Value &a, const Value &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op &&
         a.input == b.input && a.args == b.args &&
         std::bit_cast<std::uint64_t>(a.number) ==
             std::bit_cast<std::uint64_t>(b.number);
}

std::size_t GraphBuilder::Hash::operator()(const Value &value) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(value.number);
  auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(value.kind) << 8 |
      static_cast<std::uint64_t>(value.type));
  mix(std::uint64_t{value.op} << 32 | value.input);
  for (ValueId arg : value.args)
    mix(arg);
  return hash;
}

ValueId GraphBuilder::add(const Value &value) {
  auto [place, isNew] =
      ids.try_emplace(value, static_cast<ValueId>(graph.values.size()));
  if (isNew)
    graph.values.push_back(value);
  return place->second;
}

ValueId GraphBuilder::input(std::uint32_t operand, DType type) {
  auto [slot, isNew] = slots.try_emplace(
      operand, static_cast<std::uint32_t>(graph.inputs.size()));
  if (isNew)
    graph.inputs.push_back(operand);
  return add({.kind = ValueKind::Input, .type = type, .input = slot->second});
}

ValueId GraphBuilder::constant(double number, DType type) {
  if (type == DType::F32)
    number = static_cast<float>(number);
  // One NaN, so that equal constants are one value.
  if (std::isnan(number))
    number = std::numeric_limits<double>::quiet_NaN();
  return add({.kind = ValueKind::Constant, .type = type, .number = number});
}

ValueId GraphBuilder::call(ops::OpId op, DType type,
                           std::span<const ValueId> args) {
  Value value{.kind = ValueKind::Call, .type = type, .op = op};
  std::copy(args.begin(), args.end(), value.args.begin());
  return add(value);
}

Graph GraphBuilder::finish(std::span<const ValueId> outputs) const {
  // Arguments stand before calls, so one walk backwards finds what is needed.
  std::vector<bool> needed(graph.values.size());
  for (ValueId id : outputs)
    needed[id] = true;
  for (std::size_t id = graph.values.size(); id-- > 0;)
    if (needed[id] && graph.values[id].kind == ValueKind::Call)
      for (ValueId arg : graph.args(graph.values[id]))
        needed[arg] = true;

  Graph result;
  std::vector<ValueId> renamed(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    if (!needed[id])
      continue;
    Value value = graph.values[id];
    if (value.kind == ValueKind::Input) {
      result.inputs.push_back(graph.inputs[value.input]);
      value.input = static_cast<std::uint32_t>(result.inputs.size() - 1);
    }
    if (value.kind == ValueKind::Call)
      for (std::size_t i = 0; i < graph.args(value).size(); ++i)
        value.args[i] = renamed[value.args[i]];
    renamed[id] = static_cast<ValueId>(result.values.size());
    result.values.push_back(value);
  }
  for (ValueId id : outputs)
    result.outputs.push_back(renamed[id]);
  return result;
}

ops::Work Graph::work(Precision precision) const {
  ops::Work total;
  std::vector<unsigned> ready(values.size());
  for (std::size_t id = 0; id < values.size(); ++id) {
    if (values[id].kind != ValueKind::Call)
      continue;
    const ops::Work work = ops::table()[values[id].op].workIn(
        ops::arithmeticOf(values[id].type, precision));
    for (ValueId arg : args(values[id]))
      ready[id] = std::max(ready[id], ready[arg]);
    ready[id] += work.latency;
    total.operations += work.operations;
    total.wide += work.wide;
    total.latency = std::max(total.latency, ready[id]);
  }
  return total;
}

static std::string describe(const Graph &graph, const Value &value) {
  switch (value.kind) {
  case ValueKind::Input:
    return concat("input ", nameOf(value.type), " @",
                  graph.inputs[value.input]);
  case ValueKind::Constant: {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << "constant " << nameOf(value.type) << ' ' << value.number;
    return text.str();
  }
  case ValueKind::Call:
    break;
  }
  std::string text =
      concat(ops::table()[value.op].info.name, ' ', nameOf(value.type));
  for (ValueId arg : graph.args(value))
    text += concat(" %", arg);
  return text;
}

std::string Graph::str() const {
  std::string text;
  for (std::size_t id = 0; id < values.size(); ++id)
    text += concat('%', id, " = ", describe(*this, values[id]), '\n');
  for (ValueId id : outputs)
    text += concat("store %", id, '\n');
  return text;
}
