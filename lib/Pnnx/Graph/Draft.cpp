//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Draft.h"
#include "Pnnx/Graph/Faults.h"
#include "Support/DefaultFloats.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
class Drafter {
public:
  Drafter(const Flow &flow, const Engine &probe, Precision precision)
      : flow(flow), probe(probe), precision(precision) {}

  void addConstants(Span<const TensorType> inputs);
  Status addNode(const FlowNode &node);
  Status addNumbers();

  Draft draft;

private:
  Status addLayer(const FlowNode &node);
  Status addElementwise(const FlowNode &node, std::size_t output);
  void fillChannels(const FlowNode &node);
  Expected<std::string> sizeText(const FlowNode &node,
                                 const std::string &call) const;
  Expected<std::vector<Term>> bind(const FlowNode &node,
                                   const Formula &formula) const;
  Status addNumber(const std::vector<Term> &terms, ValueId output);
  Expected<Kernel> compile(const Unit &unit) const;
  Status measure(Unit &unit);
  void castTo(Unit &unit, DType type);
  Status wantTensor(ValueId value);

  const Flow &flow;
  const Engine &probe;
  const Precision precision;
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
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (Status status = addElementwise(node, i); !status)
      return status;
  return {};
}

/// A layer sees tensors only.
Status Drafter::wantTensor(ValueId value) {
  const DefaultFloats floats;
  const auto &number = draft.facts[value].number;
  const auto isKnown = [&](const NumberTensor &n) { return n.value == value; };
  if (!number ||
      std::any_of(draft.numbers.begin(), draft.numbers.end(), isKnown))
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

Expected<std::string> Drafter::sizeText(const FlowNode &node,
                                        const std::string &call) const {
  std::vector<Shape> shapes;
  for (const ValueId input : node.inputs)
    shapes.push_back(draft.facts[input].tensor.shape);
  auto parsed = Expression::parse(call);
  if (!parsed)
    return parsed.error();
  auto value = evaluate(*parsed, shapes);
  if (!value)
    return value.error();
  return value->str();
}

Expected<std::vector<Term>> Drafter::bind(const FlowNode &node,
                                          const Formula &formula) const {
  std::vector<Term> terms;
  for (const Piece &piece : formula) {
    if (piece.kind == Piece::Kind::Size) {
      auto text = sizeText(node, piece.text);
      if (!text)
        return text.error();
      terms.push_back({std::move(*text), {}});
    } else if (piece.kind == Piece::Kind::Text) {
      terms.push_back({piece.text, {}});
    } else if (const auto &number = draft.facts[piece.value].number) {
      terms.push_back({number->str(), {}});
    } else {
      terms.push_back({{}, piece.value});
    }
  }
  return terms;
}

/// The value of a text without operands.
Status Drafter::addNumber(const std::vector<Term> &terms, ValueId output) {
  std::string text;
  for (const Term &term : terms)
    text += term.text;
  auto parsed = Expression::parse(text);
  if (!parsed)
    return parsed.error();
  auto value = evaluate(*parsed);
  if (!value)
    return value.error();
  draft.facts[output].number = std::move(*value);
  return {};
}

Status Drafter::addElementwise(const FlowNode &node, std::size_t output) {
  const DefaultFloats floats;
  auto terms = bind(node, node.formulas[output]);
  if (!terms)
    return terms.error();
  Unit unit;
  unit.node = &node;
  unit.outputs = {node.outputs[output]};
  for (const Term &term : *terms)
    if (term.value && std::find(unit.inputs.begin(), unit.inputs.end(),
                                *term.value) == unit.inputs.end())
      unit.inputs.push_back(*term.value);
  if (unit.inputs.empty())
    return addNumber(*terms, unit.outputs[0]);
  unit.terms = std::move(*terms);
  if (Status status = measure(unit); !status)
    return status;
  if (node.typeFrom && !draft.facts[*node.typeFrom].number)
    castTo(unit, draft.facts[*node.typeFrom].tensor.type);
  draft.units.push_back(std::move(unit));
  return {};
}

Expected<Kernel> Drafter::compile(const Unit &unit) const {
  CompileOptions options{.mode = Mode::Interpret, .precision = precision};
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) {
    const TensorType &type = draft.facts[unit.inputs[i]].tensor;
    options.operandTypes.push_back(type.type);
    if (type.shape.rank() == 0)
      options.zeroDimOperands.push_back(static_cast<std::uint32_t>(i));
  }
  std::string text;
  for (const Term &term : unit.terms)
    text +=
        !term.value
            ? term.text
            : "@" + std::to_string(std::find(unit.inputs.begin(),
                                             unit.inputs.end(), *term.value) -
                                   unit.inputs.begin());
  return probe.compile(text, options);
}

/// What the kernel of a unit alone says of it.
Status Drafter::measure(Unit &unit) {
  auto kernel = compile(unit);
  if (!kernel)
    return kernel.error();
  if (kernel->outputCount() != 1)
    return Error(ErrorCode::Unsupported, "its list of tensors is one output");
  static const double somewhere = 0; // Never read: only shapes are asked for.
  std::vector<TensorView> views;
  for (const ValueId input : unit.inputs) {
    const TensorType &type = draft.facts[input].tensor;
    views.emplace_back(static_cast<const void *>(&somewhere), type.type,
                       type.shape);
  }
  auto shape = kernel->outputShape(views);
  if (!shape)
    return shape.error();
  draft.facts[unit.outputs[0]].tensor = {kernel->outputType(), *shape};
  unit.operations = kernel->operationsPerElement();
  unit.textNodes = kernel->expression().nodes().size();
  return {};
}

void Drafter::castTo(Unit &unit, DType type) {
  DType &result = draft.facts[unit.outputs[0]].tensor.type;
  if (type == result)
    return;
  unit.terms.insert(unit.terms.begin(),
                    {std::string(castName(type)) + "(", {}});
  unit.terms.push_back({")", {}});
  ++unit.textNodes;
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
                                 const Engine &probe, Precision precision) {
  Drafter drafter(flow, probe, precision);
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
