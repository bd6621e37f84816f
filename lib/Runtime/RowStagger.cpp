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
#include <cassert>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;

/// Whole blocks of each row.
static std::int64_t wholeBlocksOf(const RowGroup &group) {
  return group.length / ops::ReductionBlock;
}

static std::int64_t blocksOf(const RowGroup &group) {
  return std::max<std::int64_t>(
      (group.length + ops::ReductionBlock - 1) / ops::ReductionBlock, 1);
}

/// Whether rows of each operand lie one behind the other: a loop to which
/// blocks are rows fetches what is so many blocks further on.
static bool hasDenseOperands(const RowGroup &group) {
  return std::ranges::all_of(group.slots, [&](const RowSlot &slot) {
    return slot.kind != RowSlot::Kind::Operand || slot.reduced[0] == 0 ||
           slot.kept[0] == 0 || slot.kept[0] == group.length * slot.size;
  });
}

/// Whether sweeps over rows of several blocks do better together: rows follow
/// each other and begin lines, as others are stored line by line by sweeps that
/// come one after the other, and a second-level cache has room for some. Of two
/// sweeps of few operations AVX2 has no registers for both, which shows in
/// caches.
static bool mayStaggerBlocks(const RowGroup &group, std::size_t sweeps,
                             bool isLong, bool isInCaches) {
  constexpr std::int64_t most = 32;
  return blocksOf(group) <= most && group.beginLines() &&
         hasDenseOperands(group) &&
         (isLong || sweeps > 2 || !isInCaches || !hasFewRegisters());
}

bool RowGroup::mayStagger(bool isInCaches) const {
  constexpr std::int64_t shortest = 128, fewest = 16384;
  const auto isInRuns = [](const RowSlot &slot) {
    return !slot.isScratch && (slot.isLinear || slot.reduced[0] == 0 ||
                               slot.reduced[0] == slot.size);
  };
  if (hasColumns || hasSums || hasScans || keptAxes != 1 || reducedAxes != 1 ||
      length <= shortest || rows * length < fewest ||
      !std::ranges::all_of(slots, isInRuns))
    return false;
  std::size_t arguments = 0, sweeps = 0;
  bool isLong = false;
  for (const RowStep &step : steps) {
    if (step.isOfRows)
      continue;
    ++sweeps;
    isLong |= step.step->sweep.plan.hasLongBody();
    arguments += step.slots.size() + step.parameters.size();
    if (step.hasIndices())
      return false;
  }
  return sweeps > 1 && arguments <= FewArguments &&
         (blocksOf(*this) == 1 ||
          mayStaggerBlocks(*this, sweeps, isLong, isInCaches));
}

bool RowGroup::waitsLessStaggered() const {
  constexpr std::int64_t half = 16 << 10; // of what the first cache may keep
  std::int64_t ofAll = 0, widest = 0;
  for (const RowSlot &slot : slots)
    if (slot.isOfElements()) {
      ofAll += slot.kept[0] == 0 ? slot.size : 0;
      widest = std::max(widest, slot.size);
    }
  const auto readsOwn = [this](const RowStep &step) {
    return step.isOfRows || step.reductions == 0 ||
           std::ranges::all_of(step.slots, [this](std::uint32_t number) {
             const RowSlot &slot = slots[number];
             return slot.kind != RowSlot::Kind::Operand ||
                    (slot.kept[0] != 0 && slot.reduced[0] != 0);
           });
  };
  return mayStagger(/*isInCaches=*/false) && beginLines() &&
         (length > ops::ReductionBlock ||
          std::ranges::all_of(steps, readsOwn)) &&
         (ofAll * length < 2 * half || length * widest > half);
}

/// How many elements of rows a turn takes at most. Several operands that are
/// read again beside what a sweep keeps are in a first cache then, if they are
/// few. Measured on Zen 5, where AVX2 does better with many.
static std::int64_t elementsOfTurn(const RowGroup &group) {
  constexpr std::int64_t most = 8192, mostOfSeveral = 1024;
  const auto operands =
      std::ranges::count_if(group.slots, [](const RowSlot &slot) {
        return slot.kind == RowSlot::Kind::Operand && slot.isOfElements() &&
               slot.kept[0] != 0;
      });
  const bool keeps = std::ranges::any_of(group.slots, &RowSlot::isKept);
  return operands > 1 && keeps && !hasFewRegisters() ? mostOfSeveral : most;
}

/// Finds a loop that does all sweeps of a group at once, if that may be. Its
/// tensors are the arguments of the sweeps, as each has rows of its own.
Status RowCall::stagger(RowGroup &group) {
  if (!group.mayStagger(movedBytes < lastCacheBytes()))
    return {};
  constexpr std::int64_t turns = ops::ReductionLanes;
  std::vector<semantics::RowTensor> tensors;
  std::vector<std::vector<std::uint32_t>> numbers;
  std::size_t states = 0, reader = 0;
  std::optional<std::size_t> keeper;
  for (const RowStep &step : group.steps) {
    if (step.isOfRows)
      continue;
    numbers.emplace_back();
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const RowSlot &slot = group.slots[step.slots[i]];
      const std::int64_t along = slot.isLinear ? 0 : slot.reduced[0];
      const bool isOfAll = !slot.isLinear && slot.kept[0] == 0;
      numbers.back().push_back(static_cast<std::uint32_t>(tensors.size()));
      tensors.push_back({.pattern = along ? AccessPattern::Contiguous
                                          : AccessPattern::Constant,
                         .isKept = slot.isKept || isOfAll});
      const std::size_t sweep = numbers.size() - 1;
      // What is kept may have been made of what was.
      if (slot.isKept && i >= step.outputs)
        reader = sweep;
      else if (slot.isKept && !keeper)
        keeper = sweep;
      group.arguments.push_back({sweep, i, states});
      states += i < step.reductions;
    }
    group.sweeps.push_back(static_cast<std::size_t>(&step - &group.steps[0]));
  }
  std::vector<semantics::RowSweep> sweeps;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    sweeps.push_back(
        {group.steps[group.sweeps[k]].step->sweep.plan, numbers[k]});
  if (auto status = findWhole(group, sweeps, tensors, {});
      !status || !group.whole)
    return status;
  // Few rows are taken in smaller turns, as all sweeps at once wait for some.
  constexpr std::int64_t fewTurns = 16;
  const std::int64_t most =
      std::max<std::int64_t>(elementsOfTurn(group) / group.length, 1);
  group.staggered = blocksOf(group) > 1 ? 1
                                        : std::clamp(group.rows / fewTurns,
                                                     (most + 1) / 2, most);
  group.room = turns * group.staggered;
  group.rowsKept =
      static_cast<std::int64_t>(reader - keeper.value_or(reader) + 1) *
      group.staggered;
  group.canStream = movedBytes > StoreChoice::FewestBytes;
  return {};
}

bool RowGroup::beginLines(void *const *first) const {
  constexpr std::int64_t line = semantics::StreamAlignment;
  return std::ranges::all_of(slots, [&](const RowSlot &slot) {
    return slot.kind != RowSlot::Kind::Output || slot.reduced[0] == 0 ||
           (slot.kept[0] % line == 0 &&
            (!first ||
             reinterpret_cast<std::uintptr_t>(first[slot.index]) % line == 0));
  });
}

/// Sweep k is k times so many rows behind the first. Where a sweep has none, or
/// fewer, they run one after the other. Results go round in their memory.
void RowTask::runStaggered(std::int64_t begin, std::int64_t end) {
  const std::int64_t each = group.staggered,
                     count = (end - begin + each - 1) / each;
  const auto last = static_cast<std::int64_t>(group.sweeps.size()) - 1;
  origin = begin;
  openStaggered();
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
        for (std::size_t i = 0; i < step->reductions; ++i) {
          std::byte *states = rowStatesOf(reduction++);
          if (blocksOf(group) > 1)
            joinBlocks(*step, i, states);
          finish(*step, i, first, rows, states,
                 static_cast<std::size_t>(group.room));
        }
      const RowStep *stop = k < last ? &group.steps[group.sweeps[s + 1]]
                                     : group.steps.data() + group.steps.size();
      while (++step != stop)
        runRowStep(*step, first, first + rows);
    }
  }
}

/// Makes the first of the states of a row's blocks that of the row.
void RowTask::joinBlocks(const RowStep &step, std::size_t output,
                         std::byte *states) {
  assert(group.room == ops::ReductionLanes); // Where a tree finds parts.
  BlockTree &tree = trees[0];
  tree.open(loopsOf(step, output), 1, treeMemory);
  tree.pushRun(states, static_cast<std::size_t>(blocksOf(group)));
  tree.finishTo(states, ops::ReductionLanes);
}

/// Finds where rows of the sweeps are, and what the loop is called with turn
/// after turn. Whole blocks of a row are rows to it, and so is the rest.
void RowTask::openStaggered() {
  const std::vector<std::uint32_t> &tensors = group.whole->rows.tensors;
  const std::size_t count = tensors.size();
  const std::int64_t blocks = blocksOf(group);
  for (std::size_t i = 0; i < count; ++i) {
    const RowArgument &each = group.arguments[tensors[i]];
    const RowStep &step = group.steps[group.sweeps[each.sweep]];
    if (each.slot < step.reductions) {
      const auto size =
          static_cast<std::int64_t>(sizeOf(loopsOf(step, each.slot).element));
      places[i] = {.first = reinterpret_cast<char *>(rowStatesOf(each.state)),
                   .toRow = 0,
                   .behind = 0,
                   .round = 0};
      stridesOfAll[i] = group.room * size;
      stridesOfAll[count + i] = size;
      continue;
    }
    const std::uint32_t number = step.slots[each.slot];
    const RowSlot &slot = group.slots[number];
    const bool isResult =
        slot.isLinear && !context.results[slot.index].isShared;
    const std::int64_t round = isKeptApart(slot) ? group.rowsKept
                               : isResult        ? group.room
                                                 : 0;
    places[i] = {.first = placeOf(number, round ? origin : 0),
                 .toRow = rowStepOf(slot),
                 .behind =
                     static_cast<std::int64_t>(each.sweep) * group.staggered +
                     (round ? origin : 0),
                 .round = round};
    stridesOfAll[i] = stepOf(slot);
    stridesOfAll[count + i] =
        blocks > 1 ? stridesOfAll[i] * ops::ReductionBlock : places[i].toRow;
  }
  for (std::size_t i = 0; i < group.parameters.size(); ++i)
    pointersOfAll[count + i] =
        const_cast<std::uint64_t *>(&group.parameters[i]);
}

/// All sweeps at once, the first from a row on.
void RowTask::callStaggered(std::int64_t row) {
  const std::size_t count = group.whole->rows.tensors.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto &[first, toRow, behind, round] = places[i];
    const std::int64_t at = round ? (row - behind) % round : row - behind;
    pointersOfAll[i] = first + at * toRow;
  }
  const bool hasNext = row + 2 * group.staggered <= group.rows;
  const auto call = [&](std::int64_t length, std::int64_t rows,
                        std::int64_t ahead) {
    stridesOfAll[2 * count] = rows;
    stridesOfAll[2 * count + 1] = hasNext ? ahead : 0;
    loopOfAll->code().run(length, pointersOfAll.data(), stridesOfAll.data());
  };
  if (blocksOf(group) == 1)
    return call(group.length, group.staggered, group.staggered);
  const std::int64_t whole = wholeBlocksOf(group);
  call(ops::ReductionBlock, whole, whole);
  for (std::size_t i = 0; i < count; ++i)
    pointersOfAll[i] =
        static_cast<char *>(pointersOfAll[i]) + whole * stridesOfAll[count + i];
  if (const std::int64_t left = group.length % ops::ReductionBlock)
    call(left, 1, whole);
}
