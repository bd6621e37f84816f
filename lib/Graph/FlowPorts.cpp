//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Faults.h"
#include "Graph/FlowBuilder.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

Status FlowBuilder::checkNumbers(const PnnxOperator &op, std::size_t inputs,
                                 std::size_t outputs) {
  if (op.inputs.size() == inputs && op.outputs.size() == outputs)
    return {};
  return Error(ErrorCode::InvalidArgument,
               "it has " + std::to_string(op.inputs.size()) + " inputs and " +
                   std::to_string(op.outputs.size()) + " outputs");
}

/// What the file says of a value, under the name of a port.
GraphPort FlowBuilder::portOf(const std::string &name, ValueId value) const {
  if (value >= model.operands().size())
    return {name, {}, {}};
  const PnnxOperand &operand = model.operands()[value];
  return {name, operand.type, operand.shape};
}

Status FlowBuilder::addInput(const PnnxOperator &op) {
  if (Status status = checkNumbers(op, 0, 1); !status)
    return status;
  flow.inputs.push_back(portOf(op.name, op.outputs[0]));
  flow.inputValues.push_back(op.outputs[0]);
  return {};
}

Status FlowBuilder::addOutput(const PnnxOperator &op) {
  if (Status status = checkNumbers(op, 1, 0); !status)
    return status;
  addOutputs(op.name, op.inputs[0]);
  return {};
}

/// A tuple is an output for each element.
void FlowBuilder::addOutputs(const std::string &name, ValueId value) {
  const auto tuple = tuples.find(value);
  if (tuple == tuples.end()) {
    flow.outputs.push_back(portOf(name, value));
    flow.outputValues.push_back(flow.resolve(value));
    return;
  }
  for (std::size_t i = 0; i < tuple->second.size(); ++i) {
    const ValueId element = tuple->second[i];
    flow.outputs.push_back(portOf(name + "." + std::to_string(i), element));
    flow.outputValues.push_back(flow.resolve(element));
  }
}

/// Tuples in tuples are one.
Status FlowBuilder::addTuple(const PnnxOperator &op) {
  if (Status status = checkNumbers(op, op.inputs.size(), 1); !status)
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
      return Error(ErrorCode::LimitExceeded, "its tuple has more than " +
                                                 std::to_string(MostElements) +
                                                 " elements");
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
                   "extra output " + quote(name) +
                       " is no operand of the network");
    addOutputs(name, static_cast<ValueId>(found - operands.begin()));
  }
  return {};
}
