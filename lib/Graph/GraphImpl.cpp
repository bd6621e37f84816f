//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/GraphImpl.h"
#include "Graph/Faults.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

// A host that takes turns between a few shapes plans each once.
static constexpr std::size_t MostPlans = 4;

Status GraphImpl::planDeclared() {
  std::vector<TensorType> types;
  for (const GraphPort &port : flow.inputs) {
    if (!port.type || !port.shape || port.shape->elementCount() < 0)
      return {};
    types.push_back({*port.type, *port.shape});
  }
  auto plan = makePlan(flow, engine, options, std::move(types));
  if (!plan)
    return plan.error();
  plans.push_back(std::move(*plan));
  return {};
}

/// Brings the plan for these inputs to the front.
Status GraphImpl::makeCurrent(const std::vector<TensorView> &inputs) {
  std::vector<TensorType> types;
  for (const TensorView &input : inputs)
    types.push_back({input.type(), input.shape()});
  auto found = std::find_if(plans.begin(), plans.end(), [&](const Plan &plan) {
    return plan.inputs == types;
  });
  isBound = isBound && found == plans.begin();
  if (found == plans.end()) {
    auto plan = makePlan(flow, engine, options, std::move(types));
    if (!plan)
      return plan.error();
    if (plans.size() == MostPlans)
      plans.pop_back();
    found = plans.insert(plans.end(), std::move(*plan));
  }
  std::rotate(plans.begin(), found, found + 1);
  return {};
}

/// Says where values lie as long as the plan is the same.
Status GraphImpl::bindPlan() {
  const Plan &plan = plans.front();
  views.assign(flow.values.size(), TensorView());
  for (std::size_t i = 0; i < flow.values.size(); ++i)
    if (const TensorView &constant = flow.values[i].constant; !constant.empty())
      views[i] = {static_cast<const void *>(constant.data()), constant.type(),
                  plan.draft.facts[i].tensor.shape};
  for (const NumberTensor &number : plan.draft.numbers)
    views[number.value] = {static_cast<const void *>(number.bytes.data()),
                           plan.typeOf(number.value).type,
                           plan.typeOf(number.value).shape};
  if (Status status = arena.reserve(plan.memory.arena); !status)
    return status;
  for (const Slot &slot : plan.slots) {
    const TensorType &type = plan.typeOf(slot.value);
    views[slot.value] = {static_cast<void *>(arena.data() + slot.offset),
                         type.type, type.shape};
  }
  isBound = true;
  return {};
}

/// Values that are outputs are computed where the host wants them, if that is
/// row-major, else in memory of the graph's own.
Status GraphImpl::bindTensors(const Tensors &tensors) {
  const Plan &plan = plans.front();
  for (std::size_t i = 0; i < tensors.inputs.size(); ++i)
    views[flow.inputValues[i]] = tensors.inputs[i];
  for (const ValueId value : plan.computedOutputs)
    views[value] = TensorView();
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const TensorView &given = tensors.outputs[i];
    TensorView &view = views[flow.outputValues[i]];
    if (view.empty() && !given.empty() &&
        given.strides() == contiguousStrides(given.shape()))
      view = given;
  }
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    TensorView &view = views[flow.outputValues[i]];
    if (!view.empty())
      continue;
    auto own = ownMemory(i, tensors);
    if (!own)
      return own.error();
    view = *own;
  }
  return {};
}

/// What a run was given it neither writes nor frees, though it may be the
/// graph's.
Expected<TensorView> GraphImpl::ownMemory(std::size_t output,
                                          const Tensors &tensors) {
  kept.resize(flow.outputs.size());
  std::vector<Arena> &own = kept[output];
  auto free = std::find_if(own.begin(), own.end(), [&](const Arena &memory) {
    return !areIn(memory, tensors);
  });
  if (free == own.end())
    free = own.emplace(own.end());
  const ValueId value = flow.outputValues[output];
  if (Status status = free->reserve(plans.front().bytesOf(value)); !status)
    return status.error();
  const TensorType &type = plans.front().typeOf(value);
  return TensorView(static_cast<void *>(free->data()), type.type, type.shape);
}

Status GraphImpl::runStep(const Step &step, const RunOptions &run) {
  stepInputs.clear();
  stepOutputs.clear();
  for (const ValueId value : step.inputs)
    stepInputs.push_back(views[value]);
  for (const ValueId value : step.outputs)
    stepOutputs.push_back(views[value]);
  Status status =
      step.kernel ? step.kernel->run(stepInputs, stepOutputs, run)
                  : callHost([&] {
                      return step.layer->forward(stepInputs, stepOutputs, run);
                    });
  return status ? status : inOperator(*step.op, status.error());
}

Status GraphImpl::copyOutput(std::size_t output, const RunOptions &run) {
  const TensorView &from = views[flow.outputValues[output]];
  auto kernel = engine.compile(
      "@0", {.mode = options.mode, .operandTypes = {from.type()}});
  if (!kernel)
    return kernel.error();
  return kernel->run(from, results[output], run);
}

/// A Python value is part of a plan, which may go before the host reads it.
Status GraphImpl::keepNumber(std::size_t output, const Tensors &tensors) {
  auto own = ownMemory(output, tensors);
  if (!own)
    return own.error();
  const ValueId value = flow.outputValues[output];
  std::copy_n(static_cast<const char *>(views[value].data()),
              plans.front().bytesOf(value), static_cast<char *>(own->data()));
  results[output] = *own;
  return {};
}

/// What could not be computed where the host wants it.
Status GraphImpl::copyOutputs(const Tensors &tensors, const RunOptions &run) {
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const ValueId value = flow.outputValues[i];
    const bool isGiven = !tensors.outputs[i].empty();
    results[i] = isGiven ? tensors.outputs[i] : views[value];
    Status status;
    if (!isGiven && plans.front().draft.facts[value].number)
      status = keepNumber(i, tensors);
    else if (results[i].data() != views[value].data())
      status = copyOutput(i, run);
    if (!status)
      return status;
  }
  return {};
}

Status GraphImpl::run(Span<const NamedTensor> inputs,
                      Span<const NamedTensor> outputs, const RunOptions &run,
                      std::vector<GraphStep> *times) {
  auto tensors = matchTensors(flow, inputs, outputs);
  if (!tensors)
    return tensors.error();
  if (Status status = makeCurrent(tensors->inputs); !status)
    return status;
  if (Status status = checkOutputs(flow, plans.front(), *tensors); !status)
    return status;
  isDone = false;
  if (!isBound)
    if (Status status = bindPlan(); !status)
      return status;
  if (Status status = bindTensors(*tensors); !status)
    return status;
  using Clock = std::chrono::steady_clock;
  for (const Step &step : plans.front().steps) {
    const auto start = times ? Clock::now() : Clock::time_point();
    if (Status status = runStep(step, run); !status)
      return status;
    if (times) {
      times->push_back(step.report);
      times->back().time = Clock::now() - start;
    }
  }
  results.resize(flow.outputs.size());
  Status status = copyOutputs(*tensors, run);
  isDone = bool(status);
  return status;
}

Expected<TensorView> GraphImpl::output(std::string_view name) const {
  for (std::size_t i = 0; i < flow.outputs.size(); ++i)
    if (flow.outputs[i].name == name) {
      if (!isDone)
        return Error(ErrorCode::InvalidArgument,
                     "output " + quote(name) + " has no value before a run");
      return results[i];
    }
  return Error(ErrorCode::InvalidArgument,
               "the graph has no output " + quote(name));
}
