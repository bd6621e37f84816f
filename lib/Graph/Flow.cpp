//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Flow.h"

#include "Graph/Faults.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// Makes a flow, operator by operator.
class FlowBuilder {
public:
  FlowBuilder(const PnnxModel &model, const LayerRegistry &registry)
      : flow(model), model(model), registry(registry) {}

  Status checkTypes() const;
  Status addOperators();
  Status addExtraOutputs(const std::vector<std::string> &names);

  Flow flow;

private:
  /// Nested tuples, each listed twice in the next, grow exponentially.
  static constexpr std::size_t MostElements = 1 << 16;

  Status addOperator(const PnnxOperator &op);
  Status addTuple(const PnnxOperator &op);
  Status addElementwise(const PnnxOperator &op);
  Status addLayer(const PnnxOperator &op);
  GraphPort portOf(const std::string &name, ValueId value) const;
  void addOutputs(const std::string &name, ValueId value);
  ValueId addChannels(std::shared_ptr<const ChannelData> data, ValueId rankOf);
  ValueId addValue(FlowValue value);
  std::vector<ValueId> outputsFor(const PnnxOperator &op, std::size_t count);
  bool isNumeric(const Formula &formula,
                 const std::vector<ValueId> &inputs) const;
  Expected<std::vector<Formula>>
  formulasOf(const PnnxOperator &op, const Expression &expression,
             const std::vector<ValueId> &inputs) const;
  void removeAliases(FlowNode &node);

  const PnnxModel &model;
  const LayerRegistry &registry;
  Texts texts;
  std::map<ValueId, std::vector<ValueId>> tuples;
  std::set<ValueId> numbers; ///< The values that are Python values.
};
} // namespace

Status FlowBuilder::checkTypes() const {
  std::string missing;
  for (const PnnxOperator &op : model.operators())
    if (!isOwnType(op.type) && !registry.contains(op.type))
      missing += (missing.empty() ? "" : ", ") + describe(op);
  if (missing.empty())
    return {};
  return Error(ErrorCode::UnknownOperator,
               "no layer is registered for " + missing);
}

Status FlowBuilder::addOperators() {
  const std::size_t count = model.operands().size();
  flow.values.resize(count);
  flow.sources.resize(count);
  std::iota(flow.sources.begin(), flow.sources.end(), ValueId{0});
  for (std::size_t i = 0; i < count; ++i)
    flow.values[i].name = model.operands()[i].name;
  for (const std::uint32_t position : model.order()) {
    const PnnxOperator &op = model.operators()[position];
    if (Status status = addOperator(op); !status)
      return inOperator(op, status.error());
  }
  return {};
}

static Status checkCounts(const PnnxOperator &op, std::size_t inputs,
                          std::size_t outputs) {
  if (op.inputs.size() == inputs && op.outputs.size() == outputs)
    return {};
  return Error(ErrorCode::InvalidArgument,
               concat("it has ", op.inputs.size(), " inputs and ",
                      op.outputs.size(), " outputs"));
}

Status FlowBuilder::addOperator(const PnnxOperator &op) {
  const bool isInput = op.type == "pnnx.Input";
  if (isInput || op.type == "pnnx.Attribute") {
    if (Status status = checkCounts(op, 0, 1); !status)
      return status;
    if (isInput) {
      flow.inputs.push_back(portOf(op.name, op.outputs[0]));
      flow.inputValues.push_back(op.outputs[0]);
      return {};
    }
    if (op.attributes.size() != 1 || op.attributes[0].tensor.empty())
      return Error(ErrorCode::Unsupported,
                   "it does not hold one tensor of a known element type");
    flow.values[op.outputs[0]].constant = &op.attributes[0].tensor;
    return {};
  }
  if (op.type == "pnnx.Output") {
    Status status = checkCounts(op, 1, 0);
    if (status)
      addOutputs(op.name, op.inputs[0]);
    return status;
  }
  if (op.type == "prim::TupleConstruct")
    return addTuple(op);
  for (const std::uint32_t input : op.inputs)
    if (flow.values[input].isTuple)
      return Error(ErrorCode::Unsupported,
                   "operand " + quotedName(model.operands()[input].name) +
                       " is a tuple, which only an output takes");
  return registry.isElementwise(op.type) ? addElementwise(op) : addLayer(op);
}

ValueId FlowBuilder::addChannels(std::shared_ptr<const ChannelData> data,
                                 ValueId rankOf) {
  flow.channels.push_back(std::move(data));
  return addValue({.name = "constant",
                   .constant = &flow.channels.back()->tensor,
                   .isPerChannel = true,
                   .rankOf = rankOf});
}

/// Adds a value that is no operand of the model.
ValueId FlowBuilder::addValue(FlowValue value) {
  flow.values.push_back(std::move(value));
  flow.sources.push_back(static_cast<ValueId>(flow.values.size() - 1));
  return flow.sources.back();
}

/// The values of an operator's results. One output for several results is a
/// tuple of new values.
std::vector<ValueId> FlowBuilder::outputsFor(const PnnxOperator &op,
                                             std::size_t count) {
  std::vector<ValueId> outputs(op.outputs.begin(), op.outputs.end());
  if (outputs.size() == count)
    return outputs;
  auto &elements = tuples[op.outputs[0]];
  for (std::size_t i = 0; i < count; ++i)
    elements.push_back(
        addValue({.name = concat(flow.nameOf(op.outputs[0]), '.', i)}));
  flow.values[op.outputs[0]].isTuple = true;
  return elements;
}

Formula::Formula(Expression whole, std::uint32_t root)
    : expression(std::move(whole)), root(root) {
  const auto all = expression.nodes();
  // A heap with the greatest on top: a node comes after all that need it.
  std::vector<std::uint32_t> open = {root};
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end());
    const std::uint32_t node = open.back();
    open.pop_back();
    if (!nodes.empty() && nodes.back() == node)
      continue;
    nodes.push_back(node);
    if (isSize(all[node]))
      continue;
    for (const std::uint32_t child : all[node].children) {
      open.push_back(child);
      std::push_heap(open.begin(), open.end());
    }
  }
  std::reverse(nodes.begin(), nodes.end());
}

/// Whether a formula is computed from Python values alone, as shapes are.
bool FlowBuilder::isNumeric(const Formula &formula,
                            const std::vector<ValueId> &inputs) const {
  const auto all = formula.expression.nodes();
  return std::all_of(formula.nodes.begin(), formula.nodes.end(),
                     [&](std::uint32_t id) {
                       return all[id].kind != NodeKind::Operand ||
                              numbers.contains(inputs[all[id].index]);
                     });
}

/// Nodes of all values of an operator. Many that share many would take more
/// memory than the text lets expect.
static constexpr std::size_t MostNodes = std::size_t{1} << 20;

/// The formulas of an operator. Each element of a list is one, for several
/// outputs or a tuple, unless the list itself is a Python value.
Expected<std::vector<Formula>>
FlowBuilder::formulasOf(const PnnxOperator &op, const Expression &expression,
                        const std::vector<ValueId> &inputs) const {
  const Node &root = expression.root();
  const auto last = static_cast<std::uint32_t>(expression.nodes().size() - 1);
  Formula whole(expression, last);
  const bool isList = root.kind == NodeKind::List;
  if (op.outputs.size() == 1 &&
      (!isList || root.children.empty() || isNumeric(whole, inputs)))
    return std::vector{std::move(whole)};
  std::vector<Formula> formulas;
  if (isList) {
    std::size_t nodes = 0;
    for (std::uint32_t child : root.children) {
      nodes += formulas.emplace_back(expression, child).nodes.size();
      if (nodes > MostNodes)
        return Error(ErrorCode::LimitExceeded,
                     concat("its values are computed from more than ",
                            MostNodes, " nodes"));
    }
  }
  const std::size_t count = isList ? formulas.size() : 1;
  if (op.outputs.size() != 1 && op.outputs.size() != count)
    return Error(ErrorCode::InvalidArgument,
                 concat("it has ", op.outputs.size(), " outputs for ", count,
                        " values"));
  return formulas;
}

Status FlowBuilder::addElementwise(const PnnxOperator &op) {
  auto lowered = lower(model, op, texts);
  if (!lowered)
    return lowered.error();
  FlowNode node;
  node.op = &op;
  for (const LoweredArgument &argument : lowered->arguments)
    node.inputs.push_back(
        argument.constant
            ? addValue({.name = "constant", .constant = argument.constant})
        : argument.channels
            ? addChannels(argument.channels, flow.resolve(argument.operand))
            : flow.resolve(argument.operand));
  node.groups = lowered->groups;
  if (lowered->typeFrom)
    node.typeFrom = node.inputs[*lowered->typeFrom];
  auto formulas = formulasOf(op, lowered->expression, node.inputs);
  if (!formulas)
    return formulas.error();
  node.formulas = std::move(*formulas);
  node.outputs = outputsFor(op, node.formulas.size());
  for (std::size_t i = 0; i < node.formulas.size(); ++i)
    if (isNumeric(node.formulas[i], node.inputs))
      numbers.insert(node.outputs[i]);
  if (!node.typeFrom)
    removeAliases(node);
  if (!node.formulas.empty())
    flow.nodes.push_back(std::move(node));
  return {};
}

/// A formula that is a single operand makes its output an alias.
void FlowBuilder::removeAliases(FlowNode &node) {
  for (std::size_t i = node.formulas.size(); i-- > 0;) {
    const Formula &formula = node.formulas[i];
    const Node &root = formula.expression.nodes()[formula.root];
    if (root.kind != NodeKind::Operand)
      continue;
    flow.sources[node.outputs[i]] = node.inputs[root.index];
    node.formulas.erase(node.formulas.begin() + i);
    node.outputs.erase(node.outputs.begin() + i);
  }
}

Status FlowBuilder::addLayer(const PnnxOperator &op) {
  auto layer = registry.create(model, op);
  if (!layer)
    return layer.error();
  FlowNode node;
  node.op = &op;
  node.outputs.assign(op.outputs.begin(), op.outputs.end());
  for (const std::uint32_t input : op.inputs)
    node.inputs.push_back(flow.resolve(input));
  node.layer = std::move(*layer);
  flow.nodes.push_back(std::move(node));
  return {};
}

/// The port of a value, with the type and shape in the file.
GraphPort FlowBuilder::portOf(const std::string &name, ValueId value) const {
  if (value >= model.operands().size())
    return {name, {}, {}};
  const PnnxOperand &operand = model.operands()[value];
  return {name, operand.type, operand.shape};
}

/// Adds an output, or for a tuple one for each element.
void FlowBuilder::addOutputs(const std::string &name, ValueId value) {
  const auto tuple = tuples.find(value);
  if (tuple == tuples.end()) {
    flow.outputs.push_back(portOf(name, value));
    flow.outputValues.push_back(flow.resolve(value));
    return;
  }
  for (std::size_t i = 0; i < tuple->second.size(); ++i) {
    const ValueId element = tuple->second[i];
    flow.outputs.push_back(portOf(concat(name, '.', i), element));
    flow.outputValues.push_back(flow.resolve(element));
  }
}

/// Adds a tuple. Tuples in it are replaced by their elements.
Status FlowBuilder::addTuple(const PnnxOperator &op) {
  if (Status status = checkCounts(op, op.inputs.size(), 1); !status)
    return status;
  std::vector<ValueId> elements;
  for (const std::uint32_t input : op.inputs) {
    const auto inner = tuples.find(input);
    if (inner == tuples.end())
      elements.push_back(input);
    else
      elements.insert(elements.end(), inner->second.begin(),
                      inner->second.end());
    if (elements.size() > MostElements)
      return Error(ErrorCode::LimitExceeded, concat("its tuple has more than ",
                                                    MostElements, " elements"));
  }
  tuples[op.outputs[0]] = std::move(elements);
  flow.values[op.outputs[0]].isTuple = true;
  return {};
}

Status FlowBuilder::addExtraOutputs(const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    const auto operands = model.operands();
    const auto found =
        std::find_if(operands.begin(), operands.end(),
                     [&](const PnnxOperand &o) { return o.name == name; });
    if (found == operands.end())
      return Error(ErrorCode::InvalidArgument,
                   "extra output " + quotedName(name) +
                       " is no operand of the network");
    addOutputs(name, static_cast<ValueId>(found - operands.begin()));
  }
  return {};
}

static Status checkNames(const std::vector<GraphPort> &ports,
                         const char *kind) {
  std::set<std::string_view> names;
  for (const GraphPort &port : ports)
    if (!names.insert(port.name).second)
      return Error(ErrorCode::InvalidArgument,
                   concat("two ", kind, "s are named ", quotedName(port.name)));
  return {};
}

Expected<Flow> graph::makeFlow(const PnnxModel &model,
                               const LayerRegistry &registry,
                               const std::vector<std::string> &extraOutputs) {
  FlowBuilder builder(model, registry);
  Status status = builder.checkTypes();
  if (status)
    status = builder.addOperators();
  if (status)
    status = builder.addExtraOutputs(extraOutputs);
  if (status)
    status = checkNames(builder.flow.inputs, "input");
  if (status)
    status = checkNames(builder.flow.outputs, "output");
  if (!status)
    return status.error();
  return std::move(builder.flow);
}
