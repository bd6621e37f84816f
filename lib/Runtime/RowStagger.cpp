//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Long rows whose sweeps run at once in one loop, each some rows behind the
/// one before: while one waits for memory, or for units that the next does not
/// need, the others compute.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;

/// Whether sweeps are such that they do better together: long rows that are one
/// block each, one behind the other or not, and a body that is bound by units.
static bool mayStagger(const RowGroup &group) {
  constexpr std::int64_t shortest = 128, fewest = 16384;
  constexpr unsigned fewOperations = 13;
  if (group.hasColumns || group.packs || group.hasSums || group.hasScans ||
      group.keptAxes != 1 || group.reducedAxes != 1 ||
      group.length <= shortest || group.length > ops::ReductionBlock ||
      group.rows * group.length < fewest || group.steps[0].isOfRows)
    return false;
  std::size_t arguments = 0, sweeps = 0;
  unsigned most = 0;
  for (const RowStep &step : group.steps) {
    if (step.isOfRows)
      continue;
    ++sweeps;
    arguments += step.slots.size() + step.parameters.size();
    most = std::max(most, step.step->sweep.plan.work().operations);
    if (step.reductions > 0 && !step.isFolded)
      return false;
  }
  return sweeps > 1 && arguments <= FewArguments && most > fewOperations;
}

/// Finds a loop that does all sweeps of a group at once.
Status RowCall::stagger(RowGroup &group) {
  constexpr std::int64_t least = 4096, most = 16384, turns = 32;
  if (!mayStagger(group))
    return {};
  std::vector<semantics::RowTensor> tensors(group.slots.size());
  std::vector<semantics::RowSweep> sweeps;
  for (std::size_t s = 0; s < group.steps.size(); ++s) {
    const RowStep &step = group.steps[s];
    if (step.isOfRows)
      continue;
    group.sweeps.push_back(s);
    sweeps.push_back({step.step->sweep.plan, step.slots});
    for (std::uint32_t slot : step.slots) {
      const RowSlot &each = group.slots[slot];
      const std::int64_t along = each.isLinear ? 0 : each.reduced[0];
      if (each.isScratch || (along != 0 && along != each.size))
        return {};
      tensors[slot].pattern =
          along ? AccessPattern::Contiguous : AccessPattern::Constant;
    }
  }
  if (auto status = findWhole(group, sweeps, tensors, 0, false);
      !status || !group.whole)
    return status;
  group.staggered =
      std::clamp(group.rows / 16, least / group.length, most / group.length);
  group.room = turns * group.staggered;
  return {};
}

void RowTask::runStaggered(std::int64_t begin, std::int64_t end) {
  for (; begin < end; begin += group.room)
    runTurns(begin, std::min(begin + group.room, end));
}

/// Sweep k is k times so many rows behind the first. Where a sweep has none, or
/// fewer, they run one after the other.
void RowTask::runTurns(std::int64_t begin, std::int64_t end) {
  const std::int64_t each = group.staggered,
                     count = (end - begin + each - 1) / each;
  const auto last = static_cast<std::int64_t>(group.sweeps.size()) - 1;
  origin = begin;
  for (std::int64_t turn = 0; turn < count + last; ++turn) {
    const bool isFull = turn >= last && (turn + 1) * each <= end - begin;
    if (isFull)
      callStaggered(begin + turn * each);
    std::size_t reduction = 0;
    for (std::int64_t k = 0; k <= last; ++k) {
      if (turn < k || turn - k >= count)
        continue;
      const std::int64_t first = begin + (turn - k) * each,
                         rows = std::min(each, end - first);
      const auto s = static_cast<std::size_t>(k);
      const RowStep *step = &group.steps[group.sweeps[s]];
      if (!isFull)
        runStep(*step, first, first + rows);
      else
        for (std::size_t i = 0; i < step->reductions; ++i)
          finish(*step, i, first, rows, rowStatesOf(reduction++),
                 static_cast<std::size_t>(group.room));
      const RowStep *stop = k < last ? &group.steps[group.sweeps[s + 1]]
                                     : group.steps.data() + group.steps.size();
      while (++step != stop)
        runRowStep(*step, first, first + rows);
    }
  }
}

/// All sweeps at once, the first from a row on.
void RowTask::callStaggered(std::int64_t row) {
  const RowProgram::Whole &whole = *group.whole;
  const std::size_t slots = whole.rows.tensors.size();
  std::size_t next = 0, reduction = 0;
  const auto point = [&](const RowStep &step, std::size_t i,
                         std::int64_t from) {
    const RowSlot &slot = group.slots[step.slots[i]];
    if (i < step.reductions) {
      const auto size =
          static_cast<std::int64_t>(sizeOf(loopsOf(step, i).element));
      pointers[next] = rowStatesOf(reduction++);
      strides[next] = group.room * size;
      strides[slots + next] = size;
    } else {
      pointers[next] = placeOf(step.slots[i], from);
      strides[next] = stepOf(slot);
      strides[slots + next] = rowStepOf(slot);
    }
    ++next;
  };
  const auto forEach = [&](auto first, auto end) {
    std::int64_t from = row;
    for (std::size_t s : group.sweeps) {
      const RowStep &step = group.steps[s];
      for (std::size_t i = first(step); i < end(step); ++i)
        point(step, i, from);
      from -= group.staggered;
    }
  };
  const auto none = [](const RowStep &) { return std::size_t{0}; };
  const auto outputs = [](const RowStep &step) { return step.outputs; };
  const auto all = [](const RowStep &step) { return step.slots.size(); };
  forEach(none, outputs);
  forEach(outputs, all);
  for (std::size_t i = 0; i < group.parameters.size(); ++i)
    pointers[slots + i] = const_cast<std::uint64_t *>(&group.parameters[i]);
  strides[2 * slots] = group.staggered;
  const bool hasNext = row + 2 * group.staggered <= group.rows;
  strides[2 * slots + 1] = hasNext ? group.staggered : 0;
  group.wholeLoop(false)->code().run(group.length, pointers.data(),
                                     strides.data());
}
