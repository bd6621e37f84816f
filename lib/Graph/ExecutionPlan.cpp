//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/ExecutionPlan.h"

#include "Graph/Faults.h"

#include <algorithm>
#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

GraphStep ExecutionPlan::report(const Flow &flow, const Step &step) const {
  GraphStep report;
  if (step.expression)
    report.expression = step.expression->text();
  const PnnxOperator *last = nullptr;
  for (const UnitId id : step.units) {
    const PnnxOperator *op = typed.units[id].node->op;
    // Units of one operator stand together.
    if (op == std::exchange(last, op))
      continue;
    report.operators.push_back(op->name);
    report.types.push_back(op->type);
  }
  for (const ValueId input : step.inputs) {
    report.inputs.push_back(flow.nameOf(input));
    report.bytes += bytesOf(input);
  }
  for (const ValueId output : step.outputs) {
    report.outputs.push_back(flow.nameOf(output));
    report.bytes += bytesOf(output);
    report.elements += typed.typeOf(output).shape.elementCount();
  }
  return report;
}

namespace {
class StepBuilder {
public:
  StepBuilder(const Engine &engine, const GraphOptions &options,
              ExecutionPlan &plan)
      : engine(engine), options(options), plan(plan) {}

  Status add(Region region);

private:
  struct FusedKernel {
    Expression expression;
    Kernel kernel;
  };

  Status addKernel(Step &step);
  Expected<FusedKernel> compile(const Step &step,
                                std::vector<ValueId> &operands) const;

  const Engine &engine;
  const GraphOptions &options;
  ExecutionPlan &plan;
  std::vector<const Unit *> units; ///< Of the current region.
  ByStructure<FusedKernel> kernels;
};
} // namespace

/// The kernel of the current units, and its operands.
Expected<StepBuilder::FusedKernel>
StepBuilder::compile(const Step &step, std::vector<ValueId> &operands) const {
  auto fused = fuse(plan.typed, units, step.outputs);
  if (!fused)
    return fused.error();
  auto compiled = engine.compile(
      fused->expression,
      optionsFor(plan.typed, fused->operands, options.mode, options.precision));
  if (!compiled)
    return compiled.error();
  operands = std::move(fused->operands);
  return FusedKernel{std::move(fused->expression), std::move(*compiled)};
}

Status StepBuilder::addKernel(Step &step) {
  units.clear();
  for (const UnitId unit : step.units)
    units.push_back(&plan.typed.units[unit]);
  bool isNew = false;
  const auto found = kernels.findOrMake(plan.typed, units, step.outputs, [&] {
    isNew = true;
    return compile(step, step.inputs);
  });
  if (!found)
    return found.error();
  if (!isNew)
    step.inputs = kernels.operands();
  step.expression = (*found)->expression;
  step.kernel = (*found)->kernel;
  return {};
}

Status StepBuilder::add(Region region) {
  const Unit &first = plan.typed.units[region.units[0]];
  Step &step = plan.steps.emplace_back();
  step.op = first.node->op;
  for (const UnitId id : region.units)
    if (const auto &rows = plan.typed.units[id].rows; rows && rows->groups)
      step.groups = rows->groups;
  step.units = std::move(region.units);
  step.outputs = std::move(region.outputs);
  if (first.isElementwise()) {
    Status status = addKernel(step);
    return status ? status : inOperator(*step.op, status.error());
  }
  step.layer = first.node->layer.get();
  step.inputs = first.inputs;
  return {};
}

//===-- Memory ------------------------------------------------------------===//

namespace {
/// Memory of one value, or of several in turn.
struct Buffer {
  Interval interval;
  TensorType type;
};

class MemoryPlanner {
public:
  MemoryPlanner(const Flow &flow, ExecutionPlan &plan, bool reuse)
      : plan(plan), reuse(reuse), bufferOf(flow.values.size(), None),
        lastUse(flow.values.size(), 0), isOutput(flow.values.size(), false) {
    for (const ValueId output : flow.outputValues)
      isOutput[output] = true;
  }

  void addSteps();
  Status finish();

private:
  static constexpr std::uint32_t None = ~std::uint32_t{0};

  void addValue(std::uint32_t position, ValueId value);
  std::uint32_t findReusable(std::uint32_t position, ValueId value) const;

  ExecutionPlan &plan;
  const bool reuse;
  std::vector<Buffer> buffers;
  std::vector<std::uint32_t> bufferOf; ///< By value.
  std::vector<std::uint32_t> lastUse;  ///< By value: a step.
  std::vector<bool> isOutput; ///< By value: outputs lie outside the arena.
};
} // namespace

/// The buffer of an operand that this step, an elementwise kernel, is the last
/// to read. It has exactly the type of `value`, so the kernel may overwrite it
/// in place.
std::uint32_t MemoryPlanner::findReusable(std::uint32_t position,
                                          ValueId value) const {
  const Step &step = plan.steps[position];
  const auto reduces = [&](UnitId unit) {
    return plan.typed.units[unit].rows.has_value();
  };
  if (!reuse || !step.kernel ||
      std::any_of(step.units.begin(), step.units.end(), reduces))
    return None;
  for (const ValueId input : step.inputs)
    if (const std::uint32_t buffer = bufferOf[input];
        buffer != None && buffers[buffer].interval.last == position &&
        lastUse[input] == position &&
        plan.typed.typeOf(input) == plan.typed.typeOf(value))
      return buffer;
  return None;
}

void MemoryPlanner::addValue(std::uint32_t position, ValueId value) {
  plan.memory.values += plan.bytesOf(value);
  const std::uint32_t last = std::max(position, lastUse[value]);
  const std::uint32_t reusable = findReusable(position, value);
  if (reusable != None && last > position) {
    buffers[reusable].interval.last = last;
    bufferOf[value] = reusable;
    return;
  }
  bufferOf[value] = static_cast<std::uint32_t>(buffers.size());
  buffers.push_back(
      {{plan.bytesOf(value), position, last}, plan.typed.typeOf(value)});
}

void MemoryPlanner::addSteps() {
  const auto count = static_cast<std::uint32_t>(plan.steps.size());
  for (std::uint32_t position = 0; position < count; ++position)
    for (const ValueId input : plan.steps[position].inputs)
      lastUse[input] = position;
  for (std::uint32_t position = 0; position < count; ++position)
    for (const ValueId output : plan.steps[position].outputs)
      if (isOutput[output])
        plan.computedOutputs.push_back(output);
      else
        addValue(position, output);
}

Status MemoryPlanner::finish() {
  std::vector<Interval> intervals;
  for (const Buffer &buffer : buffers)
    intervals.push_back(buffer.interval);
  auto layout = layOut(intervals, reuse);
  if (!layout)
    return layout.error();
  for (ValueId value = 0; value < bufferOf.size(); ++value)
    if (bufferOf[value] != None)
      plan.arenaValues.push_back({value, layout->offsets[bufferOf[value]]});
  plan.memory.arena = layout->bytes;
  return {};
}

/// Has a kernel make the loops of its call.
static Status prepareCall(const TypedFlow &typed, const Step &step) {
  std::vector<TensorView> inputs, outputs;
  const auto viewOf = [&](ValueId value) {
    const TensorType &type = typed.typeOf(value);
    const std::size_t rank = typed.typeOf(step.outputs[0]).shape.rank();
    const TensorView view(static_cast<void *>(nullptr), type.type, type.shape);
    return step.groups ? *inGroups(view, rank, step.groups) : view;
  };
  for (const ValueId value : step.inputs)
    inputs.push_back(viewOf(value));
  for (const ValueId value : step.outputs)
    outputs.push_back(viewOf(value));
  const auto prepared = step.kernel->prepare(inputs, outputs);
  return prepared ? Status() : inOperator(*step.op, prepared.error());
}

static RegionGraph regionGraph(const Flow &flow, const TypedFlow &typed) {
  RegionGraph graph;
  for (const ValueType &value : typed.values)
    graph.shapes.push_back(value.tensor.shape);
  graph.units.reserve(typed.units.size());
  for (const Unit &unit : typed.units)
    graph.units.push_back({unit.inputs,
                           {unit.outputs.begin(), unit.outputs.end()},
                           unit.isElementwise(),
                           unit.operations,
                           unit.values,
                           unit.rows});
  graph.outputs = flow.outputValues;
  return graph;
}

Expected<ExecutionPlan> graph::makePlan(const Flow &flow, const Engine &engine,
                                        const GraphOptions &options,
                                        std::vector<TensorType> inputs) {
  auto typed = inferTypes(flow, inputs, options.precision);
  if (!typed)
    return typed.error();
  ExecutionPlan plan;
  plan.inputs = std::move(inputs);
  plan.typed = std::move(*typed);
  auto regions = makeRegions(regionGraph(flow, plan.typed), options.fuse);
  if (!regions)
    return regions.error();
  plan.steps.reserve(regions->size());
  StepBuilder steps(engine, options, plan);
  for (Region &region : *regions)
    if (Status status = steps.add(std::move(region)); !status)
      return status.error();
  for (const Step &step : plan.steps)
    if (options.prepare && step.kernel)
      if (Status status = prepareCall(plan.typed, step); !status)
        return status.error();
  MemoryPlanner memory(flow, plan, options.reuseMemory);
  memory.addSteps();
  if (Status status = memory.finish(); !status)
    return status.error();
  return plan;
}
