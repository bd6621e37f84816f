//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Graph.h"

#include "Semantics/Promotion.h"
#include "Support/Hash.h"
#include "Support/Text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace kexpr;
using namespace kexpr::semantics;

std::size_t GraphBuilder::Hash::operator()(const Value &value) const {
  WordHash hash;
  hash.add(value.bits,
           static_cast<std::uint64_t>(value.kind) << 8 |
               static_cast<std::uint64_t>(value.type),
           std::uint64_t{value.op} << 32 | value.input);
  for (ValueId arg : value.args)
    hash.add(arg);
  return hash.value;
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
  auto [slot, isNew] = inputSlots.try_emplace(
      operand, static_cast<std::uint32_t>(graph.inputs.size()));
  if (isNew)
    graph.inputs.push_back(operand);
  return add({.kind = ValueKind::Input, .type = type, .input = slot->second});
}

std::uint64_t GraphBuilder::bitsOf(NumberId number, DType type) const {
  Number literal = graph.numbers[number].number;
  // One NaN, so that equal constants are one value.
  if (std::isnan(literal.real))
    literal.real = std::numeric_limits<double>::quiet_NaN();
  return literal.bitsAs(type);
}

ValueId GraphBuilder::constant(NumberId number, DType type) {
  if (!graph.numbers.isLiteral(number))
    return parameter(number, type);
  return add({.kind = ValueKind::Constant,
              .type = type,
              .bits = bitsOf(number, type)});
}

ValueId GraphBuilder::parameter(NumberId number, DType type) {
  const bool isLiteral = graph.numbers.isLiteral(number);
  const auto [slot, isNew] = parameterSlots.try_emplace(
      {isLiteral, isLiteral ? bitsOf(number, type) : number, type},
      static_cast<std::uint32_t>(graph.parameters.size()));
  if (isNew)
    graph.parameters.push_back(number);
  return add(
      {.kind = ValueKind::Parameter, .type = type, .input = slot->second});
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

ValueId GraphBuilder::reduce(const ReductionOf &reduction,
                             const AxisSet &axes) {
  auto &sets = graph.axisSets;
  const auto known = std::find(sets.begin(), sets.end(), axes);
  const auto set = static_cast<std::uint32_t>(known - sets.begin());
  if (known == sets.end())
    sets.push_back(axes);
  return add({.kind = reduction.isScan ? ValueKind::Scan : ValueKind::Reduce,
              .type = graph.values[reduction.elements].type,
              .op = reduction.reduction,
              .input = set,
              .bits = static_cast<std::uint64_t>(reduction.form) |
                      std::uint64_t{reduction.uncounted} << 8 |
                      (reduction.isExact ? Value::Exact : 0),
              .args = {reduction.elements}});
}

ValueId GraphBuilder::view(ViewKind kind, ValueId value, ValueId beside,
                           std::uint64_t groups) {
  return add({.kind = ValueKind::View,
              .type = graph.values[value].type,
              .op = static_cast<ops::OpId>(kind),
              .bits = groups,
              .args = {beside, value}});
}

ValueId GraphBuilder::atClasses(ViewKind kind, ValueId value, ValueId beside,
                                ValueId classes) {
  return add({.kind = ValueKind::View,
              .type = kind == ViewKind::IsClass ? DType::Bool
                                                : graph.values[value].type,
              .op = static_cast<ops::OpId>(kind),
              .bits = 1,
              .args = {beside, value, classes}});
}

ValueId GraphBuilder::elementsAt(ValueId classes, ValueId value) {
  // More are computed once, not again for each loss that takes them.
  constexpr std::size_t most = 64;
  const auto isComputed = [&](ValueId id) {
    return graph.values[id].kind == ValueKind::Call ||
           graph.values[id].kind == ValueKind::Convert;
  };
  std::set<ValueId> needed = {value};
  std::size_t computed = 0;
  bool seesOthers = false; // No view sees another.
  for (auto id = needed.end(); id != needed.begin() && computed <= most;) {
    --id;
    if (isComputed(*id)) {
      ++computed;
      const auto args = graph.args(graph.values[*id]);
      needed.insert(args.begin(), args.end());
    }
    seesOthers |= graph.values[*id].kind == ValueKind::View;
  }
  if (computed > most || seesOthers)
    return atClasses(ViewKind::AtClass, value, value, classes);
  std::map<ValueId, ValueId> found;
  for (ValueId id : needed) {
    const Value own = graph.values[id];
    if (isComputed(id)) {
      std::array<ValueId, ops::MaxArity> args = {};
      const auto arity = graph.args(own).size();
      for (std::size_t i = 0; i < arity; ++i)
        args[i] = found.at(own.args[i]);
      found[id] = own.kind == ValueKind::Call
                      ? call(own.op, {args.data(), arity})
                      : convert(args[0], own.type);
    } else {
      found[id] =
          own.kind == ValueKind::Parameter || own.kind == ValueKind::Constant
              ? id
              : atClasses(ViewKind::AtClass, id, value, classes);
    }
  }
  return found.at(value);
}

std::span<const ValueId> Graph::args(const Value &value) const {
  if (value.kind == ValueKind::Call)
    return {value.args.data(), ops::allOperators()[value.op].arity};
  if (value.kind == ValueKind::View)
    return {value.args.data(), value.isOfClasses() ? 3u : 2u};
  const bool hasOne = value.kind == ValueKind::Convert || value.goesOverAxes();
  return {value.args.data(), hasOne ? 1u : 0u};
}

Graph Graph::restrictedTo(std::span<const ValueId> kept) const {
  return restrictedTo(kept, std::vector<bool>(values.size()));
}

Graph Graph::restrictedTo(std::span<const ValueId> kept,
                          const std::vector<bool> &isInput) const {
  // Arguments stand before calls, so one pass backwards finds what is needed.
  std::vector<bool> needed(values.size());
  for (ValueId id : kept)
    needed[id] = true;
  for (std::size_t id = values.size(); id-- > 0;)
    if (needed[id] && !isInput[id])
      for (ValueId arg : args(values[id]))
        needed[arg] = true;

  Graph result;
  bool hasReductions = false;
  std::vector<NumberId> used;
  std::vector<ValueId> renamed(values.size());
  for (std::size_t id = 0; id < values.size(); ++id) {
    if (!needed[id])
      continue;
    Value value = values[id];
    if (isInput[id]) {
      result.inputs.push_back(FirstValue + static_cast<std::uint32_t>(id));
      value = {.kind = ValueKind::Input,
               .type = value.type,
               .input = static_cast<std::uint32_t>(result.inputs.size() - 1)};
    } else if (value.kind == ValueKind::Input) {
      result.inputs.push_back(inputs[value.input]);
      value.input = static_cast<std::uint32_t>(result.inputs.size() - 1);
    }
    if (value.kind == ValueKind::Parameter) {
      used.push_back(parameters[value.input]);
      value.input = static_cast<std::uint32_t>(used.size() - 1);
    }
    hasReductions |= value.goesOverAxes();
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
  if (hasReductions)
    result.axisSets = axisSets;
  result.mixesTypes = mixesTypes;
  return result;
}

ops::Work Graph::workOf(const Value &value, Precision precision) const {
  if (value.kind == ValueKind::Call)
    return ops::allOperators()[value.op].workIn(
        ops::arithmeticOf(computedType(value), precision));
  if (value.isExact())
    return {.operations = 8, .wide = 0, .latency = 8};
  if (value.goesOverAxes())
    return ops::allReductions()[value.op].workOf(value.form());
  // A conversion is about one instruction.
  const bool converts = value.kind == ValueKind::Convert;
  return {.operations = converts, .wide = 0, .latency = converts ? 4u : 0u};
}

std::uint32_t Graph::rowsOf(const Value &value,
                            std::span<const std::uint32_t> rows) const {
  if (value.isElement())
    return OfElements;
  if (value.kind == ValueKind::Reduce)
    return value.input;
  std::uint32_t own = NoRows;
  for (ValueId arg : args(value))
    own = rows[arg] == NoRows || own == NoRows || own == rows[arg]
              ? std::min(own, rows[arg])
              : OfElements;
  return own;
}

ops::Work Graph::work(Precision precision) const {
  ops::Work total;
  std::vector<unsigned> ready(values.size());
  std::vector<std::uint32_t> rows;
  for (std::size_t id = 0; id < values.size(); ++id) {
    const Value &value = values[id];
    rows.push_back(rowsOf(value, rows));
    if (rows[id] < OfElements && value.kind != ValueKind::Reduce)
      continue;
    const ops::Work work = workOf(value, precision);
    for (ValueId arg : args(value))
      ready[id] = std::max(ready[id], ready[arg]);
    ready[id] += work.latency;
    total.operations += work.operations;
    total.wide += work.wide;
    total.divisions += work.divisions;
    total.rareWide += work.rareWide;
    total.rareOperations += work.rareOperations;
    total.rareWays += work.rareWays;
    total.latency = std::max(total.latency, ready[id]);
  }
  return total;
}

std::string Graph::nameOfInput(std::size_t slot) const {
  const std::uint32_t operand = inputs[slot];
  return operand < FirstValue ? concat('@', operand)
                              : concat('r', operand - FirstValue);
}

std::string Graph::nameOf(const Value &value) const {
  switch (value.kind) {
  case ValueKind::Input:
    return nameOfInput(value.input);
  case ValueKind::Parameter:
    return numbers.str(parameters[value.input]);
  case ValueKind::Constant:
    return numberFrom(value.bits, value.type).str();
  case ValueKind::Convert:
    return std::string(kexpr::nameOf(value.type));
  case ValueKind::View:
    return "view";
  case ValueKind::Scan:
    return std::string(ops::allReductions()[value.op].info.scan);
  case ValueKind::Reduce:
  case ValueKind::Fold:
    return concat(value.isExact() ? "exact_" : "",
                  ops::allReductions()[value.op].info.name);
  case ValueKind::Call:
    break;
  }
  return std::string(ops::allOperators()[value.op].info.name);
}

std::string AxisSet::str() const {
  std::string text = "over";
  for (std::int64_t axis : axes)
    text += concat(' ', axis);
  if (axes.empty())
    text += first > 0 ? concat(" all from ", first, " on") : " all";
  return text + (stay ? ", which stay" : "");
}

static std::string line(const Graph &graph, const Value &value) {
  constexpr std::string_view kinds[] = {"input ", "parameter ", "constant ",
                                        "convert "};
  const bool isReduction = value.goesOverAxes();
  const bool isCall = value.kind == ValueKind::Call || isReduction;
  const bool isView = value.kind == ValueKind::View;
  const DType type = isCall ? graph.computedType(value) : value.type;
  std::string text = isCall || isView
                         ? graph.nameOf(value) + ' '
                         : std::string(kinds[static_cast<int>(value.kind)]);
  text += nameOf(type);
  if (!isCall && !isView && value.kind != ValueKind::Convert)
    text += ' ' + graph.nameOf(value);
  for (ValueId arg : graph.args(value))
    text += concat(" %", arg);
  if (isView) {
    constexpr std::string_view views[] = {"channels", "split",   "repeat",
                                          "join",     "classes", "at class",
                                          "of class", "is class"};
    text += concat(" as ", views[value.op]);
  }
  if (isReduction && value.kind != ValueKind::Fold)
    text += ' ' + graph.axisSets[value.input].str();
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
