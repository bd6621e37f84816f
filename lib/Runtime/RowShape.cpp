//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether loops of a group go along rows or over them, and tiles.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowCall.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

/// Whether rows are short, and lie one behind the other where they are written.
bool RowCall::hasShortRows(const RowGroup &group) const {
  constexpr std::int64_t fewRows = 16;
  if (group.keptAxes == 0 || group.reducedAxes != 1 ||
      group.length > mostShort(group) || group.lastKept() < fewRows)
    return false;
  for (const RowStep &step : group.steps)
    for (std::size_t i = step.reductions; i < step.outputs; ++i) {
      const RowSlot &slot = group.slots[step.slots[i]];
      if (!step.isOfRows && !slot.isScratch &&
          (slot.reduced[0] != slot.size ||
           slot.kept[group.keptAxes - 1] != group.length * slot.size))
        return false;
    }
  return true;
}

/// Whether so few columns are reduced that a loop over them is too short, and
/// the states of all their lanes stay in the caches. Shorter columns are taken
/// whole, and longer ones of very few by threads.
static bool hasFewColumns(const RowGroup &group) {
  constexpr std::int64_t few = 16, longest = std::int64_t{1} << 16;
  const std::int64_t fewest = mayBeWhole(group) ? 65 : 9;
  constexpr std::size_t mostBytes = 64 * 1024;
  const std::int64_t columns = group.lastKept();
  bool isCostly = false;
  std::size_t bytes = 0;
  for (const RowStep &step : group.steps) {
    isCostly |= step.step->sweep.plan.hasLongElements();
    std::size_t state = 0;
    for (const ops::ReductionLoops *loops : step.reductionLoops)
      state += loops->parts * sizeOf(loops->element);
    bytes = std::max(bytes, state * ops::ReductionLanes *
                                static_cast<std::size_t>(columns));
  }
  return columns >= 2 && bytes <= mostBytes && group.length >= fewest &&
         (columns >= few ||
          group.length <= (isCostly ? 4 * ops::ReductionBlock : longest));
}

/// Whether so few columns are scanned that a loop over them is too short. What
/// is kept of all of them is to fit, unless scans are done in pieces.
static bool hasFewScanned(const RowGroup &group) {
  constexpr std::int64_t few = 64;
  const std::int64_t columns = group.lastKept();
  const bool mayBeCut =
      std::ranges::none_of(group.steps, [](const RowStep &step) {
        return step.reductions > 0 || step.isOfRows;
      });
  return columns >= 2 && columns < few &&
         (mayBeCut || columns * group.length <= group.mostScratch());
}

/// Whether loops can take 32 elements of all columns, as lanes take them, as
/// one run, wherever these are read and stored.
static bool isFlat(const RowGroup &group) {
  const std::int64_t columns = group.lastKept();
  if (group.keptAxes == 0 || group.reducedAxes != 1 || group.hasSums ||
      !(group.hasScans ? hasFewScanned(group) : hasFewColumns(group)))
    return false;
  const auto isDense = [&](const RowStep &step, std::size_t number) {
    const RowSlot &slot = group.slots[step.slots[number]];
    const std::int64_t next = slot.kept[group.keptAxes - 1];
    return number < step.reductions || slot.isLinear || slot.isScratch ||
           (next == slot.size && slot.reduced[0] == columns * slot.size) ||
           // Of one value for each column, or of one for all.
           (number >= step.outputs && slot.reduced[0] == 0 &&
            (next == 0 || next == slot.size));
  };
  return std::ranges::all_of(group.steps, [&](const RowStep &step) {
    for (std::size_t i = 0; i < step.slots.size(); ++i)
      if (!step.isOfRows && !isDense(step, i))
        return false;
    return step.isOfRows || !step.hasIndices();
  });
}

/// From how many columns on loops go across them. One that takes all elements
/// of each leaves lanes empty, but elements of a row need not be gathered.
static std::int64_t fewestColumns(const RowGroup &group) {
  constexpr std::int64_t usual = 16, few = 5, fewest = 2,
                         lanes = ops::ReductionLanes, longest = 4 * lanes;
  if (group.hasScans || group.length > longest)
    return usual;
  const bool hasSeveral =
      std::ranges::count(group.steps, false, &RowStep::isOfRows) > 1;
  return hasSeveral && group.length <= lanes ? fewest : few;
}

/// Chooses whether loops go along rows or over them.
void RowCall::chooseShape(RowGroup &group) const {
  // Along the axis that tensors of elements are contiguous along. Those with
  // one element a row, or the same elements for all rows, are small.
  constexpr int mostTensors = 4096;
  int alongRows = 0, acrossRows = 0;
  const auto strideOf = [](const std::int64_t *strides, unsigned axes) {
    return axes ? strides[axes - 1] : 0;
  };
  const auto moves = [](const std::int64_t *strides, unsigned axes) {
    return std::any_of(strides, strides + axes,
                       [](std::int64_t stride) { return stride != 0; });
  };
  for (const RowStep &step : group.steps)
    for (std::uint32_t index : step.slots) {
      const RowSlot &slot = group.slots[index];
      if (step.isOfRows || slot.isLinear || slot.isScratch)
        continue;
      const int weight = moves(slot.reduced, group.reducedAxes) &&
                                 moves(slot.kept, group.keptAxes)
                             ? mostTensors
                             : 1;
      if (strideOf(slot.reduced, group.reducedAxes) == slot.size)
        alongRows += weight;
      if (strideOf(slot.kept, group.keptAxes) == slot.size)
        acrossRows += weight;
    }
  group.hasColumns = group.keptAxes > 0 && acrossRows > alongRows &&
                     group.lastKept() >= fewestColumns(group);
  group.isShort = !group.hasColumns && !group.hasScans && hasShortRows(group);
  group.isFlat = !group.isShort && isFlat(group);
  group.hasColumns |= group.isShort || group.isFlat;
  // Lanes of elements that follow in another run begin anew.
  constexpr std::int64_t lanes = ops::ReductionLanes;
  group.packs =
      !group.hasColumns && group.reducedAxes > 1 && group.inner() % lanes != 0;
}

static std::int64_t inUnits(std::int64_t columns) {
  return (columns + ColumnUnit - 1) / ColumnUnit * ColumnUnit;
}

/// Columns whose states of a lane are as much as a first cache and a part of
/// the second hold.
static std::int64_t columnsOfStates(const RowGroup &group) {
  constexpr std::size_t bytes = 64 * 1024;
  std::size_t largest = 1;
  for (const RowStep &step : group.steps) {
    std::size_t size = 0;
    for (const ops::ReductionLoops *loops : step.reductionLoops)
      size += loops->parts * sizeOf(loops->element);
    largest = std::max(largest, size);
  }
  return static_cast<std::int64_t>(bytes / largest);
}

/// Chooses how many rows a tile has at most.
void RowCall::chooseTile(RowGroup &group) {
  const std::int64_t length = std::max<std::int64_t>(group.length, 1);
  constexpr std::int64_t mostRows = 1024, mostCopied = 4096, mostSums = 128,
                         longColumns = 256, mostLong = 8192;
  if (!group.hasColumns) {
    group.columns =
        std::clamp<std::int64_t>(TileElements / length, 1, mostRows);
    return;
  }
  // Columns: what is kept, or copied, and states, which are large where sums
  // are exact, stay in the second-level cache. It would not hold long columns,
  // and where nothing of them is kept apart memory is fastest in its order.
  const bool isLong =
      length >= longColumns && !group.hasScans && !group.keepsApart();
  const std::int64_t most =
      group.hasSums ? mostSums
      : isLong      ? std::clamp(columnsOfStates(group), mostRows, mostLong)
                    : mostRows;
  const std::int64_t columns = group.isShort ? mostCopied / length
                               : group.hasScratch && !isLong
                                   ? group.mostScratch() / length
                                   : most;
  // What is kept for few columns takes longer than computing it again, in the
  // order of memory.
  constexpr std::int64_t fewestKept = 512;
  const std::int64_t least = length >= longColumns && group.keepsApart() &&
                                     !group.hasScans && !group.isShort
                                 ? fewestKept
                                 : ColumnUnit;
  group.columns = std::min(inUnits(group.lastKept()),
                           std::clamp(columns / ColumnUnit * ColumnUnit,
                                      std::min(least, most), most));
  if (group.isFlat)
    group.columns = group.lastKept();
}

std::int64_t RowGroup::columnsFor(unsigned threads, std::int64_t asked) const {
  constexpr std::int64_t each = 2;
  std::int64_t most = columns;
  if (threads > 1) {
    const std::int64_t last = lastKept(), others = rows / last;
    const std::int64_t tiles = (each * threads + others - 1) / others;
    most = inUnits((last + tiles - 1) / tiles);
  }
  if (asked > 0)
    most = std::min(most, asked / std::max<std::int64_t>(length, 1) /
                              ColumnUnit * ColumnUnit);
  return std::min(columns, std::max(most, ColumnUnit));
}
