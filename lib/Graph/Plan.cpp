//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Plan.h"
#include "Graph/Faults.h"

#include <utility>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
class Planner {
public:
  Planner(const Flow &flow, const Engine &engine, const GraphOptions &options,
          Plan &plan)
      : flow(flow), engine(engine), options(options), plan(plan) {}

  Status addRegion(const Region &region);

private:
  Status addKernel(const Region &region, Step &step);
  void addReport(const Region &region, Step &step);

  const Flow &flow;
  const Engine &engine;
  const GraphOptions &options;
  Plan &plan;
};
} // namespace

Status Planner::addKernel(const Region &region, Step &step) {
  std::vector<const Unit *> units;
  for (const UnitId unit : region.units)
    units.push_back(&plan.draft.units[unit]);
  auto fused = fuse(plan.draft, units, region.outputs);
  if (!fused)
    return fused.error();
  auto compiled = engine.compile(
      fused->expression,
      optionsFor(plan.draft, fused->operands, options.mode, options.precision));
  if (!compiled)
    return compiled.error();
  step.kernel = std::move(*compiled);
  step.inputs = std::move(fused->operands);
  step.report.expression = fused->expression.text();
  return {};
}

void Planner::addReport(const Region &region, Step &step) {
  GraphStep &report = step.report;
  const PnnxOperator *last = nullptr;
  for (const UnitId id : region.units) {
    const PnnxOperator *op = plan.draft.units[id].node->op;
    // Units of one operator stand together.
    if (op == std::exchange(last, op))
      continue;
    report.operators.push_back(op->name);
    report.types.push_back(op->type);
  }
  for (const ValueId input : step.inputs) {
    report.inputs.push_back(flow.nameOf(input));
    report.bytes += plan.bytesOf(input);
  }
  for (const ValueId output : step.outputs) {
    report.outputs.push_back(flow.nameOf(output));
    report.bytes += plan.bytesOf(output);
    report.elements += plan.typeOf(output).shape.elementCount();
  }
}

Status Planner::addRegion(const Region &region) {
  const Unit &first = plan.draft.units[region.units[0]];
  Step step;
  step.op = first.node->op;
  step.outputs = region.outputs;
  if (first.isElementwise()) {
    if (Status status = addKernel(region, step); !status)
      return inOperator(*step.op, status.error());
  } else {
    step.layer = first.node->layer.get();
    step.inputs = first.inputs;
  }
  addReport(region, step);
  plan.steps.push_back(std::move(step));
  return {};
}

Expected<Plan> graph::makePlan(const Flow &flow, const Engine &engine,
                               const GraphOptions &options,
                               std::vector<TensorType> inputs) {
  auto draft = makeDraft(flow, inputs, options.precision);
  if (!draft)
    return draft.error();
  Plan plan;
  plan.inputs = std::move(inputs);
  plan.draft = std::move(*draft);
  Planner planner(flow, engine, options, plan);
  for (const Region &region : makeRegions(flow, plan.draft, options.fuse))
    if (Status status = planner.addRegion(region); !status)
      return status.error();
  if (Status status = planMemory(flow, plan, options.reuseMemory); !status)
    return status.error();
  return plan;
}
