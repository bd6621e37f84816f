//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Plan.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

namespace {
/// Memory that one value has, or several after each other.
struct Buffer {
  Interval interval;
  TensorType type;
};

class MemoryPlanner {
public:
  MemoryPlanner(const Flow &flow, Plan &plan, bool reuse)
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
  std::uint32_t findDying(std::uint32_t position, ValueId value) const;

  Plan &plan;
  const bool reuse;
  std::vector<Buffer> buffers;
  std::vector<std::uint32_t> bufferOf; ///< By value.
  std::vector<std::uint32_t> lastUse;  ///< By value: a step.
  std::vector<bool> isOutput;          ///< By value: these lie elsewhere.
};
} // namespace

/// The buffer of an operand of a kernel that nobody needs after it, of exactly
/// the type of `value`; a kernel may write over such a one.
std::uint32_t MemoryPlanner::findDying(std::uint32_t position,
                                       ValueId value) const {
  const Step &step = plan.steps[position];
  if (!reuse || !step.kernel)
    return None;
  for (const ValueId input : step.inputs)
    if (const std::uint32_t buffer = bufferOf[input];
        buffer != None && buffers[buffer].interval.last == position &&
        lastUse[input] == position && plan.typeOf(input) == plan.typeOf(value))
      return buffer;
  return None;
}

void MemoryPlanner::addValue(std::uint32_t position, ValueId value) {
  plan.memory.values += plan.bytesOf(value);
  const std::uint32_t last = std::max(position, lastUse[value]);
  const std::uint32_t dying = findDying(position, value);
  if (dying != None && last > position) {
    buffers[dying].interval.last = last;
    bufferOf[value] = dying;
    return;
  }
  bufferOf[value] = static_cast<std::uint32_t>(buffers.size());
  buffers.push_back(
      {{plan.bytesOf(value), position, last}, plan.typeOf(value)});
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
      plan.slots.push_back({value, layout->offsets[bufferOf[value]]});
  plan.memory.arena = layout->bytes;
  return {};
}

Status graph::planMemory(const Flow &flow, Plan &plan, bool reuse) {
  MemoryPlanner planner(flow, plan, reuse);
  planner.addSteps();
  return planner.finish();
}
