//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Faults.h"
#include "Graph/FlowBuilder.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

using namespace kexpr;
using namespace kexpr::graph;

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

Status FlowBuilder::addOperator(const PnnxOperator &op) {
  if (op.type == "pnnx.Input")
    return addInput(op);
  if (op.type == "pnnx.Output")
    return addOutput(op);
  if (op.type == "pnnx.Attribute")
    return addAttribute(op);
  if (op.type == "prim::TupleConstruct")
    return addTuple(op);
  for (const std::uint32_t input : op.inputs)
    if (tuples.count(input))
      return Error(ErrorCode::Unsupported,
                   "operand " + quote(model.operands()[input].name) +
                       " is a tuple, which only an output takes");
  return registry.isElementwise(op.type) ? addElementwise(op) : addLayer(op);
}

Status FlowBuilder::addAttribute(const PnnxOperator &op) {
  if (Status status = checkNumbers(op, 0, 1); !status)
    return status;
  if (op.attributes.size() != 1 || op.attributes[0].tensor.empty())
    return Error(ErrorCode::Unsupported,
                 "it does not hold one tensor of a known element type");
  flow.values[op.outputs[0]].constant = op.attributes[0].tensor;
  return {};
}

ValueId FlowBuilder::addChannels(std::shared_ptr<const ChannelData> data,
                                 ValueId rankOf) {
  FlowValue value;
  value.constant = {static_cast<const void *>(data->bytes.get()),
                    data->type,
                    {data->channels}};
  value.isPerChannel = true;
  value.rankOf = rankOf;
  value.name = "constant";
  flow.channels.push_back(std::move(data));
  return addValue(std::move(value));
}

/// A value that the model has no operand for.
ValueId FlowBuilder::addValue(FlowValue value) {
  flow.values.push_back(std::move(value));
  flow.sources.push_back(static_cast<ValueId>(flow.values.size() - 1));
  return flow.sources.back();
}

/// The values of an operator's results: a list of tensors is a tuple of them.
std::vector<ValueId> FlowBuilder::outputsFor(const PnnxOperator &op,
                                             std::size_t count) {
  std::vector<ValueId> outputs(op.outputs.begin(), op.outputs.end());
  if (outputs.size() == count)
    return outputs;
  auto &elements = tuples[op.outputs[0]];
  for (std::size_t i = 0; i < count; ++i) {
    FlowValue value;
    value.name = flow.nameOf(op.outputs[0]) + "." + std::to_string(i);
    elements.push_back(addValue(std::move(value)));
  }
  flow.values[op.outputs[0]].isTuple = true;
  return elements;
}

std::vector<std::uint32_t> Formula::nodes() const {
  const auto all = expression.nodes();
  std::vector<std::uint32_t> found;
  std::priority_queue<std::uint32_t> open;
  open.push(root);
  while (!open.empty()) {
    const std::uint32_t node = open.top();
    open.pop();
    if (!found.empty() && found.back() == node)
      continue;
    found.push_back(node);
    if (!isSize(all[node]))
      for (std::uint32_t child : all[node].children)
        open.push(child);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

/// Whether nothing but Python values goes into a list: shapes and the like.
bool FlowBuilder::isNumeric(const Formula &formula,
                            const std::vector<ValueId> &inputs) const {
  const auto nodes = formula.nodes();
  return std::all_of(nodes.begin(), nodes.end(), [&](std::uint32_t id) {
    const Node &node = formula.expression.nodes()[id];
    return node.kind != NodeKind::Operand || numbers.count(inputs[node.index]);
  });
}

/// A list is several outputs, or a tuple of tensors.
Expected<std::vector<Formula>>
FlowBuilder::formulasOf(const PnnxOperator &op, const Expression &expression,
                        const std::vector<ValueId> &inputs) const {
  const Node &root = expression.root();
  const Formula whole{
      expression, static_cast<std::uint32_t>(expression.nodes().size() - 1)};
  const bool isList = root.kind == NodeKind::List;
  if (op.outputs.size() == 1 &&
      (!isList || root.children.empty() || isNumeric(whole, inputs)))
    return std::vector{whole};
  std::vector<Formula> formulas;
  if (isList)
    for (std::uint32_t child : root.children)
      formulas.push_back({expression, child});
  const std::size_t count = isList ? formulas.size() : 1;
  if (op.outputs.size() != 1 && op.outputs.size() != count)
    return Error(ErrorCode::InvalidArgument,
                 "it has " + std::to_string(op.outputs.size()) +
                     " outputs for " + std::to_string(count) + " values");
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
        argument.channels
            ? addChannels(argument.channels, flow.resolve(argument.operand))
            : flow.resolve(argument.operand));
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
    takeNames(node);
  if (!node.formulas.empty())
    flow.nodes.push_back(std::move(node));
  return {};
}

/// A formula that is an operand alone gives it another name.
void FlowBuilder::takeNames(FlowNode &node) {
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

static Status checkNames(const std::vector<GraphPort> &ports,
                         const char *kind) {
  std::set<std::string_view> names;
  for (const GraphPort &port : ports)
    if (!names.insert(port.name).second)
      return Error(ErrorCode::InvalidArgument, std::string("two ") + kind +
                                                   "s are named " +
                                                   quote(port.name));
  return {};
}

Expected<Flow> graph::makeFlow(const PnnxModel &model,
                               const LayerRegistry &registry,
                               const std::vector<std::string> &extraOutputs) {
  FlowBuilder builder(model, registry);
  if (Status status = builder.checkTypes(); !status)
    return status.error();
  if (Status status = builder.addOperators(); !status)
    return status.error();
  if (Status status = builder.addExtraOutputs(extraOutputs); !status)
    return status.error();
  if (Status status = checkNames(builder.flow.inputs, "input"); !status)
    return status.error();
  if (Status status = checkNames(builder.flow.outputs, "output"); !status)
    return status.error();
  return std::move(builder.flow);
}
