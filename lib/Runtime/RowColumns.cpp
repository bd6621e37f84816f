//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops over many rows at once, for memory that is contiguous across rows, and
/// for rows that are short.
///
//===----------------------------------------------------------------------===//
#include "Runtime/Pack.h"
#include "Runtime/RowTask.h"

#include <algorithm>
#include <bit>

using namespace kexpr;
using namespace kexpr::runtime;
using ops::ReductionBlock;
using ops::ReductionLanes;

void RowTask::runColumns(std::int64_t first, std::int64_t count) {
  origin = first;
  for (const RowStep &step : group.steps) {
    if (group.piece && &step == &group.steps[group.firstInPieces])
      return runPieces(first, first + count);
    if (step.isOfRows)
      runRowStep(step, first, first + count);
    else if (!step.sums.empty())
      sumColumns(step, first, count);
    else if (step.reductions > 0)
      reduceColumns(step, first, count);
    else if (group.isShort)
      storeFlat(step, first, count);
    else
      storeColumns(step, first, count, 0, group.length);
    scanRows(step, first, first + count, group.length);
  }
}

/// Goes to the first elements of rows, in loops over rows.
void RowTask::startColumns(const RowStep &step, std::int64_t row,
                           std::int64_t count, bool takesRows) {
  std::byte *copy = packs;
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    firsts[i] = placeOf(step.slots[i], row);
    strides[i] = slot.isLinear || slot.isScratch ? slot.size
                 : group.keptAxes                ? slot.kept[group.keptAxes - 1]
                                                 : 0;
    steps[i] = slot.isLinear || group.reducedAxes != 1 ? 0 : slot.reduced[0];
    if (group.isShort && step.reductions > 0 && i >= step.outputs &&
        strides[i] != slot.size && strides[i] != 0 &&
        !(takesRows && group.readsInRows(slot))) {
      // Elements of rows side by side.
      const PackAxis axes[] = {
          {group.length, slot.reduced[0], count * slot.size},
          {count, strides[i], slot.size}};
      runtime::pack({axes, slot.size, firsts[i], reinterpret_cast<char *>(copy),
                     count * strides[i]});
      firsts[i] = reinterpret_cast<char *>(copy);
      copy += packBytes;
      steps[i] = count * slot.size;
    }
    pointers[i] = firsts[i];
  }
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    pointers[step.slots.size() + i] =
        const_cast<std::uint64_t *>(&step.parameters[i]);
}

/// Goes to other elements of these rows.
void RowTask::moveColumns(const RowStep &step, std::int64_t element) {
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    const std::int64_t at = element - (slot.isScratch ? pieceStart : 0);
    pointers[i] =
        firsts[i] + (slot.isLinear            ? 0
                     : group.reducedAxes == 1 ? at * steps[i]
                                              : group.offsetOf(slot, element));
  }
}

/// Fetches elements of the loop that comes next, so many elements of rows
/// further on: a processor does not foresee lines that are pages apart.
void RowTask::fetchColumns(const RowStep &step, std::int64_t count,
                           std::int64_t ahead) const {
  constexpr std::int64_t line = 64, most = 64 * line;
  for (std::size_t i = step.outputs; i < step.slots.size(); ++i) {
    const std::int64_t size = group.slots[step.slots[i]].size;
    if (strides[i] != size || steps[i] < most / 4)
      continue;
    const char *from =
        static_cast<const char *>(pointers[i]) + ahead * steps[i];
    for (std::int64_t at = 0; at < std::min(count * size, most); at += line)
      __builtin_prefetch(from + at);
  }
}

std::size_t RowTask::laneBytes(const RowStep &step, std::size_t i) const {
  return loopsOf(step, i).parts * width * Word;
}

void RowTask::reduceColumns(const RowStep &step, std::int64_t row,
                            std::int64_t count) {
  // Whether there is code for that yet.
  const bool takesRows =
      group.isShort && step.unrolled && step.unrolled->code().function;
  startColumns(step, row, count, takesRows);
  openTrees(step);
  std::size_t allBytes = 0;
  for (std::size_t i = 0; i < step.reductions; ++i) {
    strides[i] =
        static_cast<std::int64_t>(width * sizeOf(loopsOf(step, i).element));
    allBytes += laneBytes(step, i);
  }
  // As many lanes at once as the first-level cache has the states of.
  constexpr std::size_t cache = 24 * 1024;
  const auto together = static_cast<std::int64_t>(std::bit_floor(
      std::clamp<std::size_t>(cache / allBytes, 1, ReductionLanes)));
  if (step.unrolled)
    openUnrolled(step);
  if (takesRows)
    return reduceShort(step, row, count);
  std::int64_t from = 0;
  do {
    const std::int64_t to = std::min(from + ReductionBlock, group.length);
    reduceBlockOfColumns(step, from, to, count, together);
    for (std::size_t i = 0; i < step.reductions; ++i)
      if (group.length <= ReductionBlock)
        finish(step, i, row, count, statesOf(i), width);
      else
        trees[i].push(statesOf(i), width);
    from = to;
  } while (from < group.length);
  for (std::size_t i = 0; i < step.reductions && group.length > ReductionBlock;
       ++i)
    finish(step, i, row, count, trees[i].finish(), width);
}

/// Makes states of the elements [from, to), a block; some lanes together.
void RowTask::reduceBlockOfColumns(const RowStep &step, std::int64_t from,
                                   std::int64_t to, std::int64_t count,
                                   std::int64_t together) {
  constexpr std::int64_t lanes = ReductionLanes;
  const auto used =
      static_cast<std::size_t>(std::clamp<std::int64_t>(to - from, 1, lanes));
  for (std::size_t i = 0; i < step.reductions; ++i)
    for (std::size_t lane = 0; lane < used; ++lane)
      loopsOf(step, i).reset(width, statesOf(i) + lane * laneBytes(step, i),
                             width, from + static_cast<std::int64_t>(lane), 0);
  const std::int64_t atOnce = elementsAtOnce(step);
  for (std::int64_t first = from; first < from + lanes; first += together)
    for (std::int64_t round = 0; round < to - first; round += atOnce * lanes)
      for (std::int64_t lane = first;
           lane < first + together && round + lane < to; ++lane) {
        for (std::size_t i = 0; i < step.reductions; ++i)
          pointers[i] = statesOf(i) + (lane - from) * laneBytes(step, i);
        const bool isLast = lane + 1 == first + together;
        reduceLane(step, round + lane, to, count,
                   isLast ? atOnce * lanes + 1 - together : 1);
      }
  for (std::size_t i = 0; i < step.reductions; ++i) {
    std::size_t left = used;
    for (std::size_t half = ReductionLanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = half; lane < left; ++lane)
        loopsOf(step, i).combine(
            static_cast<std::size_t>(count),
            statesOf(i) + (lane - half) * laneBytes(step, i), width,
            statesOf(i) + lane * laneBytes(step, i), width);
      left = std::min(left, half);
    }
  }
}

/// All elements of rows that are short by one call.
void RowTask::reduceShort(const RowStep &step, std::int64_t row,
                          std::int64_t count) {
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    const bool isState = i < step.reductions;
    char *from = isState ? reinterpret_cast<char *>(statesOf(i)) : firsts[i];
    void **to = pointersUnrolled + i * step.atOnce;
    for (unsigned k = 0; k < step.atOnce; ++k)
      to[k] = isState ? from : from + k * steps[i];
  }
  step.unrolled->code().run(count, pointersUnrolled, stridesUnrolled);
  for (std::size_t i = 0; i < step.reductions; ++i)
    finish(step, i, row, count, statesOf(i), width);
}

/// Elements of a lane from one on, as many as one loop takes.
void RowTask::reduceLane(const RowStep &step, std::int64_t element,
                         std::int64_t end, std::int64_t count,
                         std::int64_t ahead) {
  constexpr std::int64_t lanes = ReductionLanes;
  const std::int64_t atOnce = elementsAtOnce(step);
  const std::int64_t last = element + atOnce * lanes;
  if (atOnce > 1 && last - lanes < end) {
    callUnrolled(step, element, count, ahead);
    return;
  }
  for (; element < std::min(last, end); element += lanes) {
    moveColumns(step, element);
    fetchColumns(step, count, ahead);
    call(step, count);
  }
}

/// Sets what is the same for all loops of several elements a row.
void RowTask::openUnrolled(const RowStep &step) {
  const std::size_t slots = step.slots.size();
  for (std::size_t i = 0; i < slots * step.atOnce; ++i)
    stridesUnrolled[i] = strides[i / step.atOnce];
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    pointersUnrolled[slots * step.atOnce + i] = pointers[slots + i];
}

/// Has states take several elements of each row, those of one lane.
void RowTask::callUnrolled(const RowStep &step, std::int64_t element,
                           std::int64_t count, std::int64_t ahead) {
  for (unsigned k = 0; k < step.atOnce; ++k) {
    moveColumns(step, element + k * std::int64_t{ReductionLanes});
    fetchColumns(step, count, ahead);
    for (std::size_t i = 0; i < step.slots.size(); ++i)
      pointersUnrolled[i * step.atOnce + k] = pointers[i];
  }
  step.unrolled->code().run(count, pointersUnrolled, stridesUnrolled);
}

/// Stores the elements [from, to) of some rows.
void RowTask::storeColumns(const RowStep &step, std::int64_t row,
                           std::int64_t count, std::int64_t from,
                           std::int64_t to) {
  startColumns(step, row, count);
  for (std::int64_t element = from; element < to; ++element) {
    moveColumns(step, element);
    call(step, count);
  }
}

/// Stores short rows as one run of elements.
void RowTask::storeFlat(const RowStep &step, std::int64_t row,
                        std::int64_t count) {
  startColumns(step, row, count);
  std::byte *copy = packs;
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    const std::int64_t step1 = slot.isLinear ? 0 : slot.reduced[0];
    const bool isDense =
        step1 == slot.size && strides[i] == group.length * slot.size;
    if (isDense || (step1 == 0 && strides[i] == 0))
      continue; // Outputs are dense.
    const PackAxis axes[] = {{count, strides[i], group.length * slot.size},
                             {group.length, step1, slot.size}};
    runtime::pack(
        {axes, slot.size, firsts[i], reinterpret_cast<char *>(copy), 0});
    pointers[i] = copy;
    copy += packBytes;
  }
  call(step, count * group.length);
}
