//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Graph.h"

#include "Semantics/Promotion.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace kexpr;
using namespace kexpr::semantics;

bool semantics::operator==(const Value &a, const Value &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op &&
         a.input == b.input && a.args == b.args && a.bits == b.bits;
}

std::size_t GraphBuilder::Hash::operator()(const Value &value) const {
  std::uint64_t hash = value.bits;
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
  if (isNew) {
    graph.values.push_back(value);
    graph.origins.push_back(origin);
  }
  return place->second;
}

ValueId GraphBuilder::input(std::uint32_t operand, DType type) {
  auto [slot, isNew] = slots.try_emplace(
      operand, static_cast<std::uint32_t>(graph.inputs.size()));
  if (isNew)
    graph.inputs.push_back(operand);
  return add({.kind = ValueKind::Input, .type = type, .input = slot->second});
}

std::uint64_t GraphBuilder::bitsOf(NumberId number, DType type) const {
  const Number &literal = graph.numbers[number].number;
  // One NaN, so that equal constants are one value.
  const bool isNan =
      literal.kind == Number::Kind::Real && std::isnan(literal.real);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return isNan ? Number{.kind = literal.kind, .real = nan}.bitsAs(type)
               : literal.bitsAs(type);
}

ValueId GraphBuilder::constant(NumberId number, DType type) {
  if (!graph.numbers.isLiteral(number))
    return parameter(number, type);
  return add({.kind = ValueKind::Constant,
              .type = type,
              .bits = bitsOf(number, type)});
}

ValueId GraphBuilder::parameter(NumberId number, DType type) {
  const auto next = static_cast<std::uint32_t>(graph.parameters.size());
  std::uint32_t place = next;
  if (graph.numbers.isLiteral(number))
    place =
        literals.try_emplace({bitsOf(number, type), type}, next).first->second;
  else
    place = sizes.try_emplace({number, type}, next).first->second;
  if (place == next)
    graph.parameters.push_back(number);
  return add({.kind = ValueKind::Parameter, .type = type, .input = place});
}

ValueId GraphBuilder::convert(ValueId value, DType type) {
  const Value &from = graph.values[value];
  if (from.type == type)
    return value;
  if (from.kind == ValueKind::Convert) {
    const ValueId source = from.args[0];
    const DType original = graph.values[source].type;
    if (original == type && isExact(original, from.type))
      return source;
  }
  return add({.kind = ValueKind::Convert, .type = type, .args = {value}});
}

ValueId GraphBuilder::call(ops::OpId op, std::span<const ValueId> args) {
  const bool isTruth =
      ops::allOperators()[op].info.result == ops::ResultRule::Bool;
  const DType type = isTruth ? DType::Bool : graph.values[args.back()].type;
  Value value{.kind = ValueKind::Call, .type = type, .op = op};
  std::copy(args.begin(), args.end(), value.args.begin());
  return add(value);
}

std::span<const ValueId> Graph::args(const Value &value) const {
  if (value.kind == ValueKind::Call)
    return {value.args.data(), ops::allOperators()[value.op].arity};
  return {value.args.data(), value.kind == ValueKind::Convert ? 1u : 0u};
}

Graph Graph::restrictedTo(std::span<const ValueId> kept) const {
  // Arguments stand before calls, so one walk backwards finds what is needed.
  std::vector<bool> needed(values.size());
  for (ValueId id : kept)
    needed[id] = true;
  for (std::size_t id = values.size(); id-- > 0;)
    if (needed[id])
      for (ValueId arg : args(values[id]))
        needed[arg] = true;

  Graph result;
  std::vector<NumberId> used;
  std::vector<ValueId> renamed(values.size());
  for (std::size_t id = 0; id < values.size(); ++id) {
    if (!needed[id])
      continue;
    Value value = values[id];
    if (value.kind == ValueKind::Input) {
      result.inputs.push_back(inputs[value.input]);
      value.input = static_cast<std::uint32_t>(result.inputs.size() - 1);
    }
    if (value.kind == ValueKind::Parameter) {
      used.push_back(parameters[value.input]);
      value.input = static_cast<std::uint32_t>(used.size() - 1);
    }
    for (std::size_t i = 0; i < args(value).size(); ++i)
      value.args[i] = renamed[value.args[i]];
    renamed[id] = static_cast<ValueId>(result.values.size());
    result.values.push_back(value);
    result.origins.push_back(origins[id]);
  }
  for (ValueId id : kept)
    result.outputs.push_back(renamed[id]);
  result.numbers = numbers.keep(used);
  result.parameters = std::move(used);
  result.mixesTypes = mixesTypes;
  return result;
}

ops::Work Graph::workOf(const Value &value, Precision precision) const {
  if (value.kind == ValueKind::Call)
    return ops::allOperators()[value.op].workIn(
        ops::arithmeticOf(computedType(value), precision));
  // A conversion is about one instruction.
  const bool converts = value.kind == ValueKind::Convert;
  return {.operations = converts, .wide = 0, .latency = converts ? 4u : 0u};
}

ops::Work Graph::work(Precision precision) const {
  ops::Work total;
  std::vector<unsigned> ready(values.size());
  for (std::size_t id = 0; id < values.size(); ++id) {
    const Value &value = values[id];
    const ops::Work work = workOf(value, precision);
    for (ValueId arg : args(value))
      ready[id] = std::max(ready[id], ready[arg]);
    ready[id] += work.latency;
    total.operations += work.operations;
    total.wide += work.wide;
    total.latency = std::max(total.latency, ready[id]);
  }
  return total;
}

/// The number that a constant's bits stand for.
static std::string spell(const Value &value) {
  const Number number = numberFrom(value.bits, value.type);
  return number.kind == Number::Kind::Real ? syntax::printFloat(number.real)
                                           : std::to_string(number.integer);
}

std::string Graph::nameOf(const Value &value) const {
  switch (value.kind) {
  case ValueKind::Input:
    return concat('@', inputs[value.input]);
  case ValueKind::Parameter:
    return numbers.str(parameters[value.input]);
  case ValueKind::Constant:
    return spell(value);
  case ValueKind::Convert:
    return std::string(kexpr::nameOf(value.type));
  case ValueKind::Call:
    break;
  }
  return std::string(ops::allOperators()[value.op].info.name);
}

static std::string line(const Graph &graph, const Value &value) {
  const auto type = nameOf(value.type);
  switch (value.kind) {
  case ValueKind::Input:
    return concat("input ", type, ' ', graph.nameOf(value));
  case ValueKind::Parameter:
    return concat("parameter ", type, ' ', graph.nameOf(value));
  case ValueKind::Constant:
    return concat("constant ", type, ' ', graph.nameOf(value));
  case ValueKind::Convert:
    return concat("convert ", type, " %", value.args[0]);
  case ValueKind::Call:
    break;
  }
  std::string text =
      concat(graph.nameOf(value), ' ', nameOf(graph.computedType(value)));
  for (ValueId arg : graph.args(value))
    text += concat(" %", arg);
  return text;
}

std::string Graph::str() const {
  std::string text;
  for (std::size_t id = 0; id < values.size(); ++id)
    text += concat('%', id, " = ", line(*this, values[id]), '\n');
  for (ValueId id : outputs)
    text += concat("store %", id, '\n');
  return text;
}
