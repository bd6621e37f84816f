//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows over which one loop does all sweeps: so short that it has each in
/// registers from its elements to what becomes of them, or in parts.
///
//===----------------------------------------------------------------------===//
#include "Runtime/Hardware.h"
#include "Runtime/RowTask.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;

/// Whether all elements that are stored depend on rows. LLVM 19 does not end
/// where it is to put elements back into rows that are the same for all.
static bool storesOfRows(const semantics::Plan &plan) {
  const semantics::Graph &graph = plan.graph;
  std::vector<bool> isOfRows;
  for (const semantics::Value &value : graph.values) {
    const auto args = graph.args(value);
    isOfRows.push_back(
        value.kind == semantics::ValueKind::Input
            ? plan.inputs[value.input].isInRows()
            : std::any_of(args.begin(), args.end(),
                          [&](auto arg) { return isOfRows[arg]; }));
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].isInRows() && !isOfRows[graph.outputs[i]])
      return false;
  return true;
}

/// Whether a loop takes rows in parts, with so little on the stack that a
/// host's threads may have small ones, whether it stores past the caches or
/// not.
static bool fitsInParts(semantics::Plan plan) {
  constexpr std::size_t most = 28 * 1024, mostSpilled = 40 * 1024;
  const std::size_t bytes = semantics::bytesOfParts(plan);
  if (!semantics::mayTakeParts(plan) || bytes > most ||
      bytes + semantics::spillsOfParts(plan) > mostSpilled)
    return false;
  plan.streams = true;
  return semantics::bytesOfParts(plan) <= most;
}

Expected<const RowProgram::Whole *>
RowProgram::whole(const Step &first,
                  const std::vector<semantics::RowTensor> &tensors,
                  std::span<const semantics::RowSweep> sweeps,
                  const semantics::RowForm &form) const {
  std::vector<std::uint32_t> arguments;
  for (const semantics::RowSweep &sweep : sweeps)
    arguments.insert(arguments.end(), sweep.tensors.begin(),
                     sweep.tensors.end());
  const auto isSame = [&](const Whole &each) {
    return &each.first == &first &&
           each.rows.plan.rowLength == form.rowLength &&
           each.rows.plan.isInParts == form.isInParts &&
           each.given == tensors && each.arguments == arguments;
  };
  for (const Whole &each : wholes)
    if (isSame(each))
      return &each;
  constexpr std::size_t most = 64;
  if (mode == Mode::Interpret || mode == Mode::Baseline ||
      wholes.size() >= most)
    return nullptr;
  semantics::WholeRows made = form.rowLength
                                  ? semantics::wholeRows(tensors, sweeps, form)
                                  : semantics::staggeredSweeps(tensors, sweeps);
  if ((form.rowLength && !form.isAlongRows && !storesOfRows(made.plan)) ||
      (form.isInParts && !fitsInParts(made.plan)) ||
      lastLevel(made.plan, mode) != codegen::OptLevel::Optimized)
    return nullptr;
  auto loop = compiler.compile(made.plan, Mode::Tiered);
  if (!loop)
    return loop.error();
  return &wholes.pushUnless(isSame, compiler, first, tensors, arguments,
                            std::move(made), mode, std::move(*loop));
}

/// How a loop over rows that takes them whole reads or writes a tensor; none
/// where it does not.
static std::optional<AccessPattern> wholePatternOf(const RowGroup &group,
                                                   const RowSlot &slot) {
  const std::int64_t across = slot.kept[group.keptAxes - 1],
                     along = slot.reduced[0];
  if (along == 0)
    return across == slot.size ? AccessPattern::Contiguous
           : across == 0       ? AccessPattern::Constant
                               : AccessPattern::Strided;
  if (across == 0 && along == slot.size)
    return AccessPattern::Row;
  if (group.takesColumns())
    return across == slot.size ? std::optional(AccessPattern::Columns)
                               : std::nullopt;
  return along == slot.size && across == group.length * slot.size
             ? std::optional(AccessPattern::Rows)
             : std::nullopt;
}

/// The tensors of a group by slot, as a loop that does all of its steps reads
/// and writes them; none where there is no such loop.
std::optional<std::vector<semantics::RowTensor>>
RowCall::wholeTensors(const RowGroup &group) const {
  std::vector<semantics::RowTensor> tensors(group.slots.size());
  for (const RowStep &step : group.steps)
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const RowSlot &slot = group.slots[step.slots[i]];
      semantics::RowTensor &tensor = tensors[step.slots[i]];
      if (slot.kind == RowSlot::Kind::Result) {
        const RowResult &result = results[slot.index];
        tensor.uncounted = result.uncounted;
        const bool isOwn = &groups[result.group] == &group;
        if (isOwn && (result.isShared || result.isPlaced))
          return std::nullopt;
        if (isOwn)
          continue;
      }
      // Elements may also be kept in an output, until it is stored.
      if (slot.kind == RowSlot::Kind::Output &&
          (i >= step.outputs || step.step->sweep.targets[i].kind !=
                                    semantics::SweepTarget::Kind::Stored))
        continue;
      tensor.pattern = wholePatternOf(group, slot);
      if (!tensor.pattern)
        return std::nullopt;
    }
  return tensors;
}

/// Finds a loop that does all steps of a group. It has code later: how long
/// rows are is part of it, and these may be the only ones.
Status RowCall::takeWhole(RowGroup &group) {
  // Of a cache that cores share a half is what a call may count on.
  const auto cached = static_cast<std::int64_t>(lastCacheBytes() /
                                                (group.takesColumns() ? 2 : 1));
  const auto form = wholeForm(group, movedBytes < cached);
  if (!form)
    return {};
  const auto tensors = wholeTensors(group);
  if (!tensors)
    return {};
  std::vector<semantics::RowSweep> sweeps;
  for (const RowStep &step : group.steps)
    sweeps.push_back({step.step->sweep.plan, step.slots});
  if (auto status = findWhole(group, sweeps, *tensors, *form);
      !status || !group.whole)
    return status;
  group.canStream = movedBytes > StoreChoice::FewestBytes &&
                    std::ranges::all_of(group.whole->rows.plan.outputs,
                                        &semantics::Access::isInRows) &&
                    (!group.takesColumns() || group.mayBeginLines());
  const semantics::Plan &plan = group.whole->rows.plan;
  group.streamsAnywhere =
      group.canStream && plan.isInParts &&
      semantics::streamsAnywhere(plan, semantics::partsOf(plan));
  constexpr std::int64_t inSet = 16;
  group.isCrowded = group.takesColumns() && group.mostInSet() > inSet;
  constexpr std::int64_t unit = 64;
  if (!group.isShort && !(form->isAlongRows && form->isInParts))
    group.columns = std::max(group.columns / unit * unit, unit);
  return {};
}

Status RowCall::findWhole(RowGroup &group,
                          std::span<const semantics::RowSweep> sweeps,
                          const std::vector<semantics::RowTensor> &tensors,
                          const semantics::RowForm &form) {
  auto whole = program.whole(*group.steps[0].step, tensors, sweeps, form);
  if (!whole)
    return whole.error();
  group.whole = *whole;
  if (!group.whole)
    return {};
  group.parameters.resize(group.whole->rows.plan.graph.parameters.size());
  return group.whole->parameters.find(given->inputs, group.parameters.data());
}

const Loop *RowGroup::wholeLoop(bool streams) const {
  if (!whole || (streams && !canStream))
    return nullptr;
  const Loop &loop = whole->loops.contiguous();
  const Loop *found = streams ? whole->loops.streaming(loop) : &loop;
  return found && found->code().function ? found : nullptr;
}

const Loop *RowGroup::loopOfTask(bool streams, void *const *first) const {
  const Loop *regular = wholeLoop(false);
  if (!streams || !regular)
    return regular;
  if (staggered)
    return staggersStreaming(first) ? wholeLoop(true) : nullptr;
  const Loop *streaming = wholeLoop(true);
  return streaming ? streaming : regular;
}

/// How many rows come before the first of those that are stored line by line,
/// from the one that the pointers are at; all `rows` if none is.
std::int64_t RowTask::rowsBeforeLine(std::int64_t rows) const {
  constexpr std::int64_t line = semantics::StreamAlignment;
  const auto &[plan, tensors] = group.whole->rows;
  const auto beginsLines = [&](std::int64_t row) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const char *first = static_cast<char *>(pointers[i]) +
                          row * rowStepOf(group.slots[tensors[i]]);
      if (reinterpret_cast<std::uintptr_t>(first) % line != 0)
        return false;
    }
    return true;
  };
  if (group.streamsAnywhere) {
    const RowSlot &slot = group.slots[tensors[0]];
    const auto first = reinterpret_cast<std::intptr_t>(pointers[0]);
    return first % slot.size == 0 ? 0 : rows;
  }
  // Each row begins a vector that is stored, where they go along it, or each of
  // its elements.
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if ((plan.isAlongRows || group.takesColumns()) && strides[i] % line != 0)
      return rows;
  for (std::int64_t row = 0; row < std::min(line, rows); ++row)
    if (beginsLines(row))
      return row;
  return rows;
}

/// All steps by one loop.
void RowTask::runWhole(std::int64_t begin, std::int64_t end) {
  const auto &[plan, tensors] = group.whole->rows;
  const std::int64_t last = group.lastKept();
  const Loop *const regular = group.wholeLoop(false);
  for (std::size_t i = 0; i < group.parameters.size(); ++i)
    pointers[tensors.size() + i] =
        const_cast<std::uint64_t *>(&group.parameters[i]);
  while (begin < end) {
    std::int64_t here = std::min(end - begin, last - begin % last);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const RowSlot &slot = group.slots[tensors[i]];
      pointers[i] = placeOf(tensors[i], begin);
      strides[i] = group.takesColumns() && slot.reduced[0] != 0
                       ? slot.reduced[0]
                       : rowStepOf(slot);
    }
    const Loop *loop = loopOfAll;
    if (const std::int64_t before =
            loop != regular ? rowsBeforeLine(here) : 0) {
      here = before;
      loop = regular;
    }
    if (group.takesColumns())
      runColumnsWhole(*loop, here);
    else
      loop->code().run(here, pointers.data(), strides.data());
    begin += here;
  }
}

static void copyColumns(char *to, std::int64_t toNext, const char *from,
                        std::int64_t fromNext, std::int64_t length,
                        std::int64_t bytes) {
  for (std::int64_t k = 0; k < length; ++k)
    std::memcpy(to + k * toNext, from + k * fromNext,
                static_cast<std::size_t>(bytes));
}

/// Columns from where the pointers are. Elements that crowd into a set are
/// copied side by side, some columns at a time, and so is what many become,
/// unless it goes past the caches: lines would be stored one after the other,
/// each of which has to be there first.
void RowTask::runColumnsWhole(const Loop &loop, std::int64_t count) {
  const auto &[plan, tensors] = group.whole->rows;
  const bool streams = &loop != group.wholeLoop(false),
             isLong = group.hasLongColumns();
  const bool copiesInputs = group.isCrowded && (isLong || !streams),
             copiesOutputs = (group.isCrowded || isLong) && !streams;
  if (!copiesInputs && !copiesOutputs)
    return loop.code().run(count, pointers.data(), strides.data());
  const auto isCopied = [&](std::size_t i) {
    const std::size_t outputs = plan.outputs.size();
    return i < outputs ? copiesOutputs && plan.outputs[i].isInRows()
                       : copiesInputs && plan.inputs[i - outputs].isInRows();
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    firsts[i] = static_cast<char *>(pointers[i]);
    rowSteps[i] = rowStepOf(group.slots[tensors[i]]);
    steps[i] = strides[i];
  }
  for (std::int64_t at = 0; at < count; at += StripColumns) {
    const std::int64_t here = std::min(StripColumns, count - at);
    std::byte *next = packs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      pointers[i] = firsts[i] + at * rowSteps[i];
      if (!isCopied(i))
        continue;
      char *copy = reinterpret_cast<char *>(next);
      next += packBytes;
      strides[i] = stripPitch(rowSteps[i]);
      if (i >= plan.outputs.size())
        copyColumns(copy, strides[i], static_cast<char *>(pointers[i]),
                    steps[i], group.length, here * rowSteps[i]);
      pointers[i] = copy;
    }
    loop.code().run(here, pointers.data(), strides.data());
    for (std::size_t i = 0; i < plan.outputs.size(); ++i)
      if (isCopied(i))
        copyColumns(firsts[i] + at * rowSteps[i], steps[i],
                    static_cast<char *>(pointers[i]), strides[i], group.length,
                    here * rowSteps[i]);
  }
}
