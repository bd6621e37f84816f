//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Draft.h"
#include "Graph/Faults.h"
#include "Semantics/Broadcast.h"
#include "Semantics/Check.h"
#include "Support/DefaultFloats.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// What the graph of a unit says, whatever the shapes are.
struct Measured {
  DType type;
  unsigned operations;
  std::size_t values;
  std::vector<std::uint32_t> used; ///< Of its operands, ascending.
};

class Drafter {
public:
  Drafter(const Flow &flow, Precision precision)
      : flow(flow), precision(precision) {}

  void addConstants(Span<const TensorType> inputs);
  Status addNode(const FlowNode &node);
  Status addNumbers();

  Draft draft;

private:
  Status addLayer(const FlowNode &node);
  Status addElementwise(const FlowNode &node, std::size_t output);
  void fillChannels(const FlowNode &node);
  Expected<Scalar> evaluate(const Unit &unit, std::uint32_t node) const;
  Status bind(Unit &unit) const;
  Status addNumber(const Unit &unit);
  Expected<Measured> measured(const Unit &unit) const;
  std::string keyOf(const Unit &unit) const;
  Status measure(Unit &unit);
  void castTo(Unit &unit, DType type);
  Status wantTensor(ValueId value);

  const Flow &flow;
  const Precision precision;
  /// What is known of the inputs of the node at hand.
  std::vector<Shape> shapes;
  std::vector<const Scalar *> numbers;
  /// Networks repeat few operators many times.
  std::map<std::string, Measured, std::less<>> known;
};
} // namespace

void Drafter::addConstants(Span<const TensorType> inputs) {
  draft.facts.resize(flow.values.size());
  for (std::size_t i = 0; i < flow.values.size(); ++i)
    if (const TensorView &constant = flow.values[i].constant; !constant.empty())
      draft.facts[i].tensor = {constant.type(), constant.shape()};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    draft.facts[flow.inputValues[i]].tensor = inputs[i];
}

Status Drafter::addNode(const FlowNode &node) {
  if (node.layer)
    return addLayer(node);
  fillChannels(node);
  shapes.clear();
  numbers.clear();
  for (const ValueId input : node.inputs) {
    const Fact &fact = draft.facts[input];
    shapes.push_back(fact.tensor.shape);
    numbers.push_back(fact.number ? &*fact.number : nullptr);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (Status status = addElementwise(node, i); !status)
      return status;
  return {};
}

/// A layer sees tensors only.
Status Drafter::wantTensor(ValueId value) {
  const DefaultFloats floats;
  const auto &number = draft.facts[value].number;
  if (!number || std::exchange(draft.facts[value].isWanted, true))
    return {};
  auto type = tensorTypeOf(*number);
  if (!type)
    return type.error();
  draft.facts[value].tensor = *type;
  draft.numbers.push_back({value, bytesOf(*number, type->type)});
  return {};
}

Status Drafter::addLayer(const FlowNode &node) {
  std::vector<TensorType> inputs;
  for (const ValueId input : node.inputs) {
    if (Status status = wantTensor(input); !status)
      return status;
    inputs.push_back(draft.facts[input].tensor);
  }
  auto outputs = callHost([&] { return node.layer->outputTypes(inputs); });
  if (!outputs)
    return outputs.error();
  if (outputs->size() != node.outputs.size())
    return Error(ErrorCode::ShapeMismatch,
                 "its layer says " + std::to_string(outputs->size()) +
                     " outputs, and it has " +
                     std::to_string(node.outputs.size()));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorType &type = (*outputs)[i];
    if (sizeOf(type.type) == 0 || !type.shape.valid() ||
        type.shape.elementCount() < 0)
      return Error(ErrorCode::ShapeMismatch,
                   "its layer says output " + std::to_string(i) +
                       " has shape " + type.shape.str());
    draft.facts[node.outputs[i]].tensor = type;
  }
  Unit unit;
  unit.node = &node;
  unit.inputs = node.inputs;
  unit.outputs = node.outputs;
  draft.units.push_back(std::move(unit));
  return {};
}

/// Gives constants of one number a channel the rank that puts channels at
/// axis 1.
void Drafter::fillChannels(const FlowNode &node) {
  for (const ValueId input : node.inputs) {
    const FlowValue &value = flow.values[input];
    if (!value.isPerChannel)
      continue;
    const std::size_t rank = draft.facts[value.rankOf].tensor.shape.rank();
    const std::int64_t channels = value.constant.shape()[0];
    std::vector<std::int64_t> extents(std::max<std::size_t>(rank, 2) - 1, 1);
    extents[0] = channels;
    draft.facts[input].tensor.shape = Shape(extents.data(), extents.size());
  }
}

/// The value of a node that no element is needed for.
Expected<Scalar> Drafter::evaluate(const Unit &unit, std::uint32_t node) const {
  return semantics::evaluate(unit.formula->expression, node, shapes, numbers);
}

/// Evaluates sizes, and finds the inputs that are tensors.
Status Drafter::bind(Unit &unit) const {
  for (const std::uint32_t id : unit.formula->nodes()) {
    const Node &node = unit.formula->expression.nodes()[id];
    if (isSize(node)) {
      auto size = evaluate(unit, id);
      if (!size)
        return size.error();
      unit.sizes.emplace(id, std::move(*size));
    } else if (node.kind == NodeKind::Operand) {
      const ValueId value = unit.node->inputs[node.index];
      if (!draft.facts[value].number &&
          std::find(unit.inputs.begin(), unit.inputs.end(), value) ==
              unit.inputs.end())
        unit.inputs.push_back(value);
    }
  }
  return {};
}

/// The value of a formula without tensors.
Status Drafter::addNumber(const Unit &unit) {
  auto value = evaluate(unit, unit.formula->root);
  if (!value)
    return value.error();
  draft.facts[unit.outputs[0]].number = std::move(*value);
  return {};
}

Status Drafter::addElementwise(const FlowNode &node, std::size_t output) {
  const DefaultFloats floats;
  Unit unit;
  unit.node = &node;
  unit.formula = &node.formulas[output];
  unit.outputs = {node.outputs[output]};
  if (Status status = bind(unit); !status)
    return status;
  if (unit.inputs.empty())
    return addNumber(unit);
  if (Status status = measure(unit); !status)
    return status;
  if (node.typeFrom && !draft.facts[*node.typeFrom].number)
    castTo(unit, draft.facts[*node.typeFrom].tensor.type);
  draft.units.push_back(std::move(unit));
  return {};
}

Expected<Measured> Drafter::measured(const Unit &unit) const {
  const Unit *alone[] = {&unit};
  auto fused = fuse(draft, alone, unit.outputs);
  if (!fused)
    return fused.error();
  const CompileOptions options =
      optionsFor(draft, fused->operands, Mode::Interpret, precision);
  const auto graph = semantics::check(
      fused->expression, {options.operandTypes, options.zeroDimOperands});
  if (!graph)
    return graph.error();
  Measured result{graph->values[graph->outputs[0]].type,
                  graph->work(precision).operations, graph->values.size(),
                  graph->inputs};
  std::sort(result.used.begin(), result.used.end());
  return result;
}

/// The same for units of which the same is measured; empty for one that holds
/// numbers, which are seldom those of another.
std::string Drafter::keyOf(const Unit &unit) const {
  std::string key;
  const auto add = [&key](const auto &part) {
    key.append(reinterpret_cast<const char *>(&part), sizeof part);
  };
  // Equal texts of a network are one expression, which the flow keeps alive.
  const auto *nodes = unit.formula->expression.nodes().data();
  add(nodes);
  add(unit.formula->root);
  for (const std::uint32_t id : unit.formula->nodes()) {
    const Node &node = unit.formula->expression.nodes()[id];
    if (node.kind != NodeKind::Operand)
      continue;
    const ValueId input = unit.node->inputs[node.index];
    const auto place = std::find(unit.inputs.begin(), unit.inputs.end(), input);
    const Fact &fact = draft.facts[input];
    if (fact.number)
      return {};
    add(place - unit.inputs.begin());
    add(fact.tensor.type);
    add(fact.tensor.shape.rank() == 0);
  }
  return unit.sizes.empty() ? key : std::string();
}

/// What the graph of a unit alone says of it.
Status Drafter::measure(Unit &unit) {
  const std::string key = keyOf(unit);
  auto found = key.empty() ? known.end() : known.find(key);
  if (found == known.end()) {
    auto made = measured(unit);
    if (!made)
      return made.error();
    found = known.insert_or_assign(key, std::move(*made)).first;
  }
  const Measured &result = found->second;
  std::vector<TensorView> views;
  for (const ValueId operand : unit.inputs) {
    const TensorType &type = draft.facts[operand].tensor;
    views.emplace_back(static_cast<const void *>(nullptr), type.type,
                       type.shape);
  }
  auto shape =
      semantics::broadcastShape({views.data(), views.size()}, result.used);
  if (!shape)
    return shape.error();
  draft.facts[unit.outputs[0]].tensor = {result.type, *shape};
  unit.operations = result.operations;
  unit.values = std::max(result.values, unit.formula->nodes().size());
  return {};
}

void Drafter::castTo(Unit &unit, DType type) {
  DType &result = draft.facts[unit.outputs[0]].tensor.type;
  if (type == result)
    return;
  unit.castTo = type;
  ++unit.values;
  result = type;
}

Status Drafter::addNumbers() {
  for (std::size_t i = 0; i < flow.outputs.size(); ++i)
    if (Status status = wantTensor(flow.outputValues[i]); !status)
      return Error(status.error().code(), "output " +
                                              quote(flow.outputs[i].name) +
                                              ": " + status.error().message());
  return {};
}

Expected<Draft> graph::makeDraft(const Flow &flow,
                                 Span<const TensorType> inputs,
                                 Precision precision) {
  Drafter drafter(flow, precision);
  drafter.addConstants(inputs);
  for (const FlowNode &node : flow.nodes)
    if (Status status = drafter.addNode(node); !status)
      return inOperator(*node.op, status.error());
  if (Status status = checkDeclared(flow, drafter.draft); !status)
    return status.error();
  if (Status status = checkSizes(flow, drafter.draft); !status)
    return status.error();
  if (Status status = drafter.addNumbers(); !status)
    return status.error();
  return std::move(drafter.draft);
}
