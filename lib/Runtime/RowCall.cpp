//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/RowCall.h"

#include "Runtime/RowTask.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Graph;
using semantics::Plan;
using semantics::SweepTarget;
using semantics::ValueId;

/// Where a sweep goes: over which shape, and for reductions over which axes.
struct RowCall::Site {
  const RowProgram::Step *step;
  Shape shape;
  std::uint32_t mask = 0;
  bool reduces = false;
  /// Of a sweep with an element a row, whether reduced axes stay.
  bool isOfRows = false, stays = false;
};

Status RowCall::prepare(const CallArguments &arguments) {
  given = &arguments;
  ValueId at = 0;
  auto found = semantics::shapesOf(plan.graph, arguments.inputs, at);
  if (!found)
    return found.error();
  shapes = std::move(*found);
  auto fits = makeGroups(program.steps(), false);
  if (fits && !*fits) {
    auto plain = program.stepsThatKeepNone();
    if (!plain)
      return plain.error();
    fits = makeGroups(**plain, true);
  }
  if (!fits)
    return fits.error();
  movedBytes = 0;
  for (const TensorView &output : arguments.outputs)
    movedBytes += bytesSpanned(output);
  for (std::uint32_t operand : required.operands)
    movedBytes += bytesSpanned(arguments.inputs[operand]);
  for (RowGroup &group : groups)
    if (auto status = chooseLoops(group); !status)
      return status;
  placeResults();
  for (RowGroup &group : groups) {
    group.room = std::max(group.room, group.columns);
    for (const bool isSplit : {false, true})
      group.memory[isSplit] = RowTask::memoryOf(group, isSplit);
  }
  given = nullptr;
  return {};
}

/// False where elements that are kept could not be.
Expected<bool> RowCall::makeGroups(const RowProgram::Steps &steps,
                                   bool keepsAll) {
  chosen = &steps;
  keepsScans = keepsAll;
  groups.clear();
  results.clear();
  losesElements = false;
  for (const RowProgram::Step &step : steps)
    if (auto status = addStep(step); !status)
      return status.error();
  bool fits = !losesElements;
  for (RowGroup &group : groups)
    fits &= finish(group);
  return fits;
}

static const RowResult *resultOf(const std::vector<RowResult> &results,
                                 ValueId value) {
  const auto found =
      std::find_if(results.begin(), results.end(),
                   [&](const RowResult &each) { return each.value == value; });
  return found == results.end() ? nullptr : &*found;
}

static bool isView(const Graph &graph, ValueId value) {
  return graph.values[value].kind == semantics::ValueKind::View;
}

/// Whether a view sees a value.
bool RowCall::isSeen(ValueId value) const {
  const auto &values = plan.graph.values;
  return std::any_of(
      values.begin(), values.end(), [&](const semantics::Value &each) {
        return each.kind == semantics::ValueKind::View &&
               std::ranges::count(plan.graph.readBy(each), value) > 0;
      });
}

/// The axis of the group's shape behind each axis of a tensor with an element
/// a row.
static std::size_t axisOfRows(const RowGroup &group, std::size_t axis,
                              bool stays) {
  for (std::size_t own = 0; !stays && own <= axis; ++own)
    axis += group.mask >> own & 1;
  return axis;
}

/// Whether the results of a reduction of the group lie along its rows where a
/// sweep uses them.
bool RowCall::isAligned(const RowGroup &group, const Site &site,
                        const RowResult &result) const {
  const semantics::Value &value = plan.graph.values[result.value];
  // What is kept for a row has the axes of all.
  const bool stays = value.kind != semantics::ValueKind::Reduce ||
                     plan.graph.axisSets[value.input].stay;
  const std::size_t missing = site.shape.rank() - result.shape.rank();
  for (std::size_t axis = 0; axis < result.shape.rank(); ++axis) {
    const std::size_t used = axis + missing;
    if (result.shape[axis] > 1 &&
        axisOfRows(group, axis, stays) !=
            (site.isOfRows ? axisOfRows(group, used, site.stays) : used))
      return false;
  }
  return true;
}

bool RowCall::joins(const RowGroup &group, const Site &site) const {
  const bool isSame = site.shape == group.shape;
  if (site.reduces ? !isSame || site.mask != group.mask
                   : !isSame && !site.isOfRows)
    return false;
  const auto number = static_cast<std::uint32_t>(&group - groups.data());
  for (std::uint32_t input : site.step->sweep.plan.graph.inputs)
    if (input >= Graph::FirstValue) {
      const ValueId value = input - Graph::FirstValue;
      if (isView(plan.graph, value)) {
        for (ValueId seen : plan.graph.readBy(plan.graph.values[value]))
          if (const RowResult *found = resultOf(results, seen);
              found && found->group == number)
            return false; // Other rows may be seen.
        continue;
      }
      const RowResult &result = *resultOf(results, value);
      if (result.group == number && !result.hasElements && !result.isPlaced &&
          !isAligned(group, site, result))
        return false;
    }
  return true;
}

Status RowCall::addStep(const RowProgram::Step &step) {
  const semantics::Sweep &sweep = step.sweep;
  Site site{.step = &step, .shape = shapes[sweep.elements]};
  if (sweep.axisSet) {
    const semantics::AxisSet &set = plan.graph.axisSets[*sweep.axisSet];
    const auto mask = semantics::axisMask(set, site.shape.rank());
    if (!mask)
      return mask.error();
    site.mask = *mask;
    site.reduces = true;
  }
  if (!groups.empty() && !site.reduces) {
    const RowGroup &last = groups.back();
    for (bool stays : {true, false})
      if (!site.isOfRows && site.shape != last.shape &&
          site.shape == semantics::reducedShape(last.shape, last.mask, stays)) {
        site.isOfRows = true;
        site.stays = stays;
      }
  }
  if (groups.empty() || !joins(groups.back(), site)) {
    site.isOfRows = false;
    RowGroup &group = groups.emplace_back();
    group.shape = site.shape;
    // What only stores is one row.
    group.mask = site.reduces ? site.mask : (1u << site.shape.rank()) - 1;
  }
  RowGroup &group = groups.back();
  RowStep &added = group.steps.emplace_back();
  added.step = &step;
  added.outputs = sweep.plan.outputs.size();
  for (const SweepTarget &target : sweep.targets) {
    const semantics::Value &value = plan.graph.values[target.index];
    if (target.kind == SweepTarget::Kind::Scanned)
      added.scans.push_back(
          {.output = static_cast<std::size_t>(&target - sweep.targets.data()),
           .loops = &ops::loopsOf(value.op, value.form())});
    if (target.kind != SweepTarget::Kind::Reduced)
      continue;
    ++added.reductions;
    added.reductionLoops.push_back(
        &added.step->sweep.plan
             .outputs[static_cast<std::size_t>(&target - sweep.targets.data())]
             .reducing->loops());
    if (value.isExact())
      added.sums.push_back(
          {.exact = &ops::ExactSums::of(value.form()),
           .result = value.form(),
           .isMean = ops::allReductions()[value.op].info.ofSum ==
                     ops::ReductionOfSum::Mean});
  }
  group.hasSums |= !added.sums.empty();
  group.hasScans |= !added.scans.empty();
  added.isOfRows = site.isOfRows;
  if (auto status = addSlots(group, added, site); !status)
    return status;
  added.parameters.resize(sweep.plan.graph.parameters.size());
  return step.parameters.find(given->inputs, added.parameters.data());
}

std::uint32_t RowCall::slotOf(RowGroup &group, RowSlot slot) {
  std::uint32_t number = 0;
  for (const RowSlot &each : group.slots) {
    if (each.kind == slot.kind && each.index == slot.index &&
        each.isLinear == slot.isLinear && each.isScratch == slot.isScratch &&
        std::equal(slot.kept, slot.kept + MaxRank, each.kept) &&
        std::equal(slot.reduced, slot.reduced + MaxRank, each.reduced))
      return number;
    ++number;
  }
  group.slots.push_back(slot);
  return number;
}

/// Adds a tensor to the slots of a step, with its strides along the axes of the
/// group.
void RowCall::place(RowGroup &group, RowStep &step, const Site &site,
                    RowSlot slot, const Shape &shape, const Shape &strides) {
  const std::size_t missing = site.shape.rank() - shape.rank();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1)
      continue;
    std::size_t to = axis + missing;
    if (site.isOfRows)
      to = axisOfRows(group, to, site.stays);
    (group.mask >> to & 1 ? slot.reduced : slot.kept)[to] =
        strides[axis] * slot.size;
  }
  step.slots.push_back(slotOf(group, slot));
}

/// Adds what a sweep reduces to or keeps.
void RowCall::addResult(RowGroup &group, RowStep &step, const Site &site,
                        const SweepTarget &target, DType type) {
  const bool isReduced = target.kind == SweepTarget::Kind::Reduced;
  const bool isScan = target.kind == SweepTarget::Kind::Scanned;
  const bool isPlaced = !isReduced && isSeen(target.index);
  const RowSlot slot{.kind = RowSlot::Kind::Result,
                     .index = static_cast<std::uint32_t>(results.size()),
                     .size = static_cast<std::int64_t>(sizeOf(type)),
                     .isLinear = isReduced || (site.isOfRows && !isPlaced),
                     .isScratch =
                         !isReduced && site.reduces && !(keepsScans && isScan)};
  RowResult &result = results.emplace_back();
  result.value = target.index;
  result.size = slot.size;
  if (isReduced)
    result.uncounted = plan.graph.values[target.index].uncounted();
  result.shape = shapes[target.index];
  result.group = static_cast<std::uint32_t>(groups.size() - 1);
  result.hasElements = slot.isScratch;
  result.isShared = result.isPlaced = !slot.isLinear && !slot.isScratch;
  if (result.isPlaced)
    place(group, step, site, slot, result.shape,
          contiguousStrides(result.shape));
  else
    step.slots.push_back(slotOf(group, slot));
}

/// Adds what an earlier sweep reduced to or kept.
void RowCall::addSource(RowGroup &group, RowStep &step, const Site &site,
                        ValueId value) {
  const RowResult *found = resultOf(results, value);
  RowResult &result = results[static_cast<std::size_t>(found - results.data())];
  RowSlot slot{.kind = RowSlot::Kind::Result,
               .index = static_cast<std::uint32_t>(found - results.data()),
               .size = result.size};
  const bool isOwn = result.group == groups.size() - 1;
  // There are as many as the group has, whatever shape the value has itself.
  losesElements |= result.hasElements && (!isOwn || site.shape != group.shape);
  if (isOwn && !result.isPlaced) {
    slot.isScratch = result.hasElements;
    slot.isLinear = !slot.isScratch;
    step.slots.push_back(slotOf(group, slot));
    return;
  }
  result.isShared = true;
  place(group, step, site, slot, result.shape, contiguousStrides(result.shape));
}

/// An operand, or what an earlier sweep made, as a view sees it.
Expected<RowCall::Seen> RowCall::see(ValueId value,
                                     const semantics::Value &view) {
  const Graph &graph = plan.graph;
  const semantics::Value &own = graph.values[value];
  const Shape &shape = shapes[value];
  RowSlot slot{.kind = RowSlot::Kind::Operand,
               .index = own.input,
               .size = static_cast<std::int64_t>(sizeOf(own.type))};
  Shape strides = contiguousStrides(shape);
  if (own.kind == semantics::ValueKind::Input) {
    strides = given->inputs[graph.inputs[own.input]].strides();
  } else {
    const RowResult *found = resultOf(results, value);
    slot.kind = RowSlot::Kind::Result;
    slot.index = static_cast<std::uint32_t>(found - results.data());
    results[slot.index].isShared = true;
    losesElements |= found->hasElements;
  }
  auto made = semantics::seenBy(view, shape, strides, shapes[view.args[0]]);
  if (!made)
    return made.error();
  return Seen{slot, *made};
}

/// Adds an operand or what an earlier sweep made, in another shape.
Status RowCall::addView(RowGroup &group, RowStep &step, const Site &site,
                        ValueId value) {
  const semantics::Value &view = plan.graph.values[value];
  if (view.isOfClasses())
    return addAtClasses(group, step, site, value);
  const auto seen = see(view.args[1], view);
  if (!seen)
    return seen.error();
  place(group, step, site, seen->slot, seen->tensor.shape,
        seen->tensor.strides);
  return {};
}

/// Adds a tensor of what a view sees at classes, which is made before the group
/// runs that needs it first.
Status RowCall::addAtClasses(RowGroup &group, RowStep &step, const Site &site,
                             ValueId value) {
  const semantics::Value &view = plan.graph.values[value];
  const RowResult *found = resultOf(results, value);
  if (!found) {
    const auto seen = see(view.args[1], view);
    // Classes have the place of rows, of which there are no others.
    semantics::Value rows = view;
    rows.op = static_cast<ops::OpId>(semantics::ViewKind::Classes);
    const auto classes = see(view.args[2], rows);
    if (!seen || !classes)
      return seen ? classes.error() : seen.error();
    group.taken.push_back(
        {.result = static_cast<std::uint32_t>(results.size()),
         .from = seen->slot,
         .steps = seen->tensor.strides,
         .classes = classes->slot,
         .classSteps = classes->tensor.strides,
         .type = plan.graph.values[view.args[2]].type,
         .count = shapes[view.args[0]][1],
         .isTruth = static_cast<semantics::ViewKind>(view.op) ==
                    semantics::ViewKind::IsClass});
    RowResult &made = results.emplace_back();
    made.value = value;
    made.size = static_cast<std::int64_t>(sizeOf(view.type));
    made.shape = seen->tensor.shape;
    made.group = static_cast<std::uint32_t>(groups.size() - 1);
    made.isShared = made.isPlaced = true;
    found = &made;
  }
  place(group, step, site,
        {.kind = RowSlot::Kind::Result,
         .index = static_cast<std::uint32_t>(found - results.data()),
         .size = found->size},
        found->shape, contiguousStrides(found->shape));
  return {};
}

Status RowCall::addSlots(RowGroup &group, RowStep &step, const Site &site) {
  const Plan &own = site.step->sweep.plan;
  const auto placeView = [&](RowSlot::Kind kind, std::size_t index,
                             const TensorView &view) {
    place(group, step, site,
          {.kind = kind,
           .index = static_cast<std::uint32_t>(index),
           .size = static_cast<std::int64_t>(sizeOf(view.type()))},
          view.shape(), view.strides());
  };
  for (std::size_t i = 0; i < own.outputs.size(); ++i) {
    const SweepTarget &target = site.step->sweep.targets[i];
    if (target.kind == SweepTarget::Kind::Stored)
      placeView(RowSlot::Kind::Output, target.index,
                given->outputs[target.index]);
    else
      addResult(group, step, site, target, own.outputs[i].type);
  }
  const auto &inputs = plan.graph.inputs;
  for (std::uint32_t input : own.graph.inputs)
    if (input >= Graph::FirstValue) {
      const ValueId value = input - Graph::FirstValue;
      if (!isView(plan.graph, value))
        addSource(group, step, site, value);
      else if (auto status = addView(group, step, site, value); !status)
        return status;
    } else
      placeView(
          RowSlot::Kind::Operand,
          static_cast<std::size_t>(
              std::find(inputs.begin(), inputs.end(), input) - inputs.begin()),
          given->inputs[input]);
  return {};
}

/// Moves the axes of a list together, without those of extent 1, and merges
/// neighbours that one stride of every slot serves.
template <class F>
static unsigned mergeAxes(RowGroup &group, std::int64_t *extents,
                          std::uint32_t axes, F stridesOf) {
  unsigned count = 0;
  for (std::size_t axis = 0; axis < group.shape.rank(); ++axis) {
    const std::int64_t extent = group.shape[axis];
    if (!(axes >> axis & 1) || extent == 1)
      continue;
    const bool merges =
        count > 0 &&
        std::all_of(group.slots.begin(), group.slots.end(), [&](RowSlot &slot) {
          std::int64_t *strides = stridesOf(slot);
          return slot.isLinear || strides[count - 1] == strides[axis] * extent;
        });
    count += !merges;
    for (RowSlot &slot : group.slots)
      stridesOf(slot)[count - 1] = stridesOf(slot)[axis];
    extents[count - 1] = (merges ? extents[count - 1] : 1) * extent;
  }
  return count;
}

/// Settles the axes of a group that has all its sweeps.
bool RowCall::finish(RowGroup &group) {
  for (std::size_t axis = 0; axis < group.shape.rank(); ++axis)
    (group.mask >> axis & 1 ? group.length : group.rows) *= group.shape[axis];
  // Elements that are kept lie in one run.
  for (RowSlot &slot : group.slots) {
    if (!slot.isScratch)
      continue;
    group.hasScratch = true;
    std::int64_t next = slot.size;
    for (std::size_t axis = group.shape.rank(); axis-- > 0;)
      if (group.mask >> axis & 1 && group.shape[axis] != 1) {
        slot.reduced[axis] = next;
        next *= group.shape[axis];
      }
  }
  group.keptAxes = mergeAxes(group, group.keptExtents, ~group.mask,
                             [](RowSlot &slot) { return slot.kept; });
  group.reducedAxes = mergeAxes(group, group.reducedExtents, group.mask,
                                [](RowSlot &slot) { return slot.reduced; });
  chooseShape(group);
  keepInOutput(group);
  chooseTile(group);
  if (!group.hasScratch)
    return true;
  for (RowSlot &slot : group.slots)
    if (slot.isScratch && group.hasColumns) {
      for (unsigned axis = 0; axis < group.reducedAxes; ++axis)
        slot.reduced[axis] *= group.columns;
      slot.kept[group.keptAxes - 1] = slot.size;
    }
  return !group.keepsApart() ||
         group.columns * group.length <= group.mostScratch() ||
         cutIntoPieces(group);
}

/// Has long rows be done in pieces, from their first scan on: false where what
/// follows needs whole rows.
bool RowCall::cutIntoPieces(RowGroup &group) {
  constexpr std::int64_t most = 8192;
  const auto first =
      std::find_if(group.steps.begin(), group.steps.end(),
                   [](const RowStep &step) { return !step.scans.empty(); });
  for (auto step = group.steps.begin(); step != group.steps.end(); ++step)
    if (step < first) {
      for (std::uint32_t slot : step->slots)
        if (group.slots[slot].isScratch)
          return false;
    } else if (step->reductions > 0 || step->isOfRows) {
      return false;
    }
  if (first == group.steps.end())
    return false;
  group.firstInPieces = static_cast<std::size_t>(first - group.steps.begin());
  group.piece = std::max<std::int64_t>(most / group.columns, 1);
  return true;
}

/// Whether an input of a sweep is an operand or sees it.
static bool readsOperand(const Graph &graph, std::uint32_t input,
                         std::uint32_t operand) {
  if (input < Graph::FirstValue)
    return input == operand;
  const ValueId value = input - Graph::FirstValue;
  return isView(graph, value) &&
         std::ranges::any_of(graph.readBy(graph.values[value]),
                             [&](ValueId seen) {
                               const semantics::Value &own = graph.values[seen];
                               return own.kind == semantics::ValueKind::Input &&
                                      graph.inputs[own.input] == operand;
                             });
}

void RowCall::placeResults() {
  constexpr std::int64_t line = 64;
  for (RowResult &result : results) {
    if (result.isShared) {
      result.offset = sharedBytes;
      sharedBytes +=
          (result.shape.elementCount() * result.size + line - 1) / line * line;
    } else {
      // Of the largest size, so that all are aligned.
      RowGroup &group = groups[result.group];
      result.offset = group.tileBytes;
      group.tileBytes += 8 * (result.hasElements ? group.scratchLength() : 1);
    }
  }
  const auto &operands = required.operands;
  mayBe.assign(required.outputs.size() * operands.size(), true);
  // An output may be an input whose elements each sweep reads where it has its
  // own, the last time when it writes.
  for (std::size_t output = 0; output < required.outputs.size(); ++output)
    for (std::size_t i = 0; i < operands.size(); ++i) {
      bool isWritten = false;
      for (const RowProgram::Step &step : *chosen) {
        const semantics::Sweep &sweep = step.sweep;
        const auto &inputs = sweep.plan.graph.inputs;
        const bool reads =
            std::any_of(inputs.begin(), inputs.end(), [&](std::uint32_t input) {
              return readsOperand(plan.graph, input, operands[i]);
            });
        if (reads && (isWritten || shapes[sweep.elements] !=
                                       shapes[plan.graph.outputs[output]]))
          mayBe[output * operands.size() + i] = false;
        for (const SweepTarget &target : sweep.targets)
          isWritten |= target.kind == SweepTarget::Kind::Stored &&
                       target.index == output;
      }
    }
}

std::size_t RowCall::size() const {
  std::size_t bytes =
      results.size() * sizeof(RowResult) + shapes.size() * sizeof(Shape);
  for (const RowGroup &group : groups)
    bytes += sizeof(RowGroup) + group.taken.size() * sizeof(RowElements) +
             group.slots.size() * sizeof(RowSlot) +
             group.steps.size() * sizeof(RowStep);
  return bytes;
}

bool RowCall::mayShare(std::size_t output, std::uint32_t operand) const {
  const auto &operands = required.operands;
  const auto i = std::lower_bound(operands.begin(), operands.end(), operand) -
                 operands.begin();
  return mayBe[output * operands.size() + static_cast<std::size_t>(i)];
}

Status RowCall::checkSharing(const CallArguments &arguments) const {
  for (std::size_t output = 0; output < arguments.outputs.size(); ++output)
    for (std::uint32_t operand : required.operands) {
      const TensorView &written = arguments.outputs[output];
      const TensorView &read = arguments.inputs[operand];
      if (written.data() == read.data() && !mayShare(output, operand) &&
          written.shape().elementCount() > 0 && read.shape().elementCount() > 0)
        return Error(ErrorCode::OverlappingOutput,
                     concat("output ", output, " is operand @", operand,
                            ", which is read after it was written"));
    }
  return {};
}
