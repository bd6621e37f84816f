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
#include <cstring>
#include <span>

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

/// Writes some bytes so many times, one after the other.
static void repeat(std::byte *to, const void *from, std::size_t bytes,
                   std::size_t times) {
  std::memcpy(to, from, bytes);
  for (std::size_t done = 1; done < times; done *= 2)
    std::memcpy(to + done * bytes, to, std::min(done, times - done) * bytes);
}

/// Goes to the first elements of rows, in loops over rows.
void RowTask::startColumns(const RowStep &step, std::int64_t row,
                           std::int64_t count) {
  std::byte *copy = packs;
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    firsts[i] = placeOf(step.slots[i], row);
    strides[i] = slot.isLinear || slot.isScratch ? slot.size
                 : group.keptAxes                ? slot.kept[group.keptAxes - 1]
                                                 : 0;
    steps[i] = slot.isLinear || group.reducedAxes != 1 ? 0 : slot.reduced[0];
    if (group.isShort && step.reductions > 0 && i >= step.outputs &&
        strides[i] != slot.size && strides[i] != 0) {
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
    if (group.isFlat && !step.isOfRows && i >= step.outputs && steps[i] == 0 &&
        strides[i] != 0) {
      // A value of each column, for 32 elements of it.
      repeat(copy, firsts[i], static_cast<std::size_t>(count * slot.size),
             std::min<std::size_t>(ReductionLanes, group.length));
      firsts[i] = reinterpret_cast<char *>(copy);
      copy += packBytes;
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

/// Between rows of which a processor does not foresee the lines of the next.
static constexpr std::int64_t FarApart = 192 << 10;

/// Whether one call of a loop takes all elements of rows, and there is code for
/// it yet.
bool RowTask::takesAllAtOnce(const RowStep &step) const {
  if (!step.takesRows || group.isFlat || !step.unrolled->code().function)
    return false;
  return group.isShort ||
         (step.atOnce == group.length && group.reducedAxes == 1 &&
          !group.piece &&
          std::ranges::none_of(
              std::span(steps.data(), step.slots.size()).subspan(step.outputs),
              [](auto each) { return each >= FarApart; }));
}

/// Fetches elements of the loop that comes next, so many elements of rows
/// further on, where rows are so far apart that a processor does not foresee
/// their lines. A loop that takes all fetches its own, a row at a time.
void RowTask::fetchColumns(const RowStep &step, std::int64_t count,
                           std::int64_t ahead) const {
  constexpr std::int64_t line = 64, most = 64 * line;
  constexpr int secondCache = 2;
  for (std::size_t i = step.outputs; i < step.slots.size(); ++i) {
    const std::int64_t size = group.slots[step.slots[i]].size;
    if (strides[i] != size || steps[i] < FarApart)
      continue;
    const char *from =
        static_cast<const char *>(pointers[i]) + ahead * steps[i];
    for (std::int64_t at = 0; at < std::min(count * size, most); at += line)
      __builtin_prefetch(from + at, 0, secondCache);
    // GCC leaves out calls of functions without any effect.
    __asm__ volatile("");
  }
}

std::size_t RowTask::laneBytes(const RowStep &step, std::size_t i) const {
  return loopsOf(step, i).parts * width * Word;
}

void RowTask::reduceColumns(const RowStep &step, std::int64_t row,
                            std::int64_t count) {
  startColumns(step, row, count);
  const std::size_t pitch = group.isFlat ? ReductionLanes * width : width;
  for (std::size_t i = 0; i < step.reductions; ++i)
    strides[i] =
        static_cast<std::int64_t>(pitch * sizeOf(loopsOf(step, i).element));
  if (step.unrolled)
    openUnrolled(step);
  if (takesAllAtOnce(step))
    return reduceAtOnce(step, row, count);
  openTrees(step);
  std::int64_t from = 0;
  do {
    const std::int64_t to = std::min(from + ReductionBlock, group.length);
    if (group.isFlat)
      reduceFlat(step, {from, to, count});
    else
      reduceLanes(step, {from, to, count}, 0, 1, 0);
    for (std::size_t i = 0; i < step.reductions; ++i)
      if (group.length <= ReductionBlock)
        finish(step, i, row, count, statesOf(i), pitch);
      else
        trees[i].push(statesOf(i), pitch);
    from = to;
  } while (from < group.length);
  for (std::size_t i = 0; i < step.reductions && group.length > ReductionBlock;
       ++i)
    finish(step, i, row, count, trees[i].finish(), width);
}

/// Makes states of the elements [from, to), a block, of lanes that are `apart`
/// from `lane` on, in a slot of states: what is folded is still in a cache, and
/// few slots are in use.
void RowTask::reduceLanes(const RowStep &step, const LaneRange &range,
                          std::int64_t lane, std::int64_t apart,
                          std::size_t slot) {
  const auto stateOf = [&](std::size_t i, std::size_t number) {
    return statesOf(i) + number * laneBytes(step, i);
  };
  const std::int64_t first = range.from + lane;
  if (apart == ReductionLanes) {
    for (std::size_t i = 0; i < step.reductions; ++i) {
      loopsOf(step, i).reset(width, stateOf(i, slot), width, first, 0);
      pointers[i] = stateOf(i, slot);
    }
    reduceLane(step, range, first, range.from + reversedAfter(lane, apart));
    return;
  }
  const auto atOnce = static_cast<std::int64_t>(step.atOnce);
  if (step.takesRows && !group.isShort &&
      (apart * atOnce == ReductionLanes || atOnce == group.length) &&
      first + (atOnce - 1) * apart < range.to &&
      step.unrolled->code().function) {
    for (std::size_t i = 0; i < step.reductions; ++i)
      pointers[i] = stateOf(i, slot);
    callUnrolled(step, first, range.count,
                 {apart, range.from + reversedAfter(lane, apart) - first});
    return;
  }
  reduceLanes(step, range, lane, 2 * apart, slot);
  if (first + apart >= range.to)
    return;
  reduceLanes(step, range, lane + apart, 2 * apart, slot + 1);
  for (std::size_t i = 0; i < step.reductions; ++i)
    loopsOf(step, i).combine(static_cast<std::size_t>(range.count),
                             stateOf(i, slot), width, stateOf(i, slot + 1),
                             width);
}

/// Makes states of the elements [from, to), a block, of which those of all
/// lanes are one run: a loop over states of each lane and column.
void RowTask::reduceFlat(const RowStep &step, const LaneRange &range) {
  constexpr std::int64_t lanes = ReductionLanes;
  const std::size_t pitch = ReductionLanes * width;
  const auto columns = static_cast<std::size_t>(range.count);
  for (std::size_t i = 0; i < step.reductions; ++i) {
    loopsOf(step, i).reset(ReductionLanes * columns, statesOf(i), pitch, 0, 0);
    pointers[i] = statesOf(i);
  }
  std::int64_t element = range.from;
  for (const std::int64_t turn = elementsAtOnce(step) * lanes;
       turn > lanes && element + turn <= range.to; element += turn)
    callUnrolled(step, element, lanes * range.count, {lanes, 0});
  for (; element < range.to; element += lanes) {
    moveColumns(step, element);
    call(step, std::min(lanes, range.to - element) * range.count);
  }
  const auto used =
      static_cast<std::size_t>(std::min(range.to - range.from, lanes));
  for (std::size_t i = 0; i < step.reductions; ++i)
    loopsOf(step, i).fold(used, statesOf(i), columns, pitch);
}

/// All elements of rows by one call.
void RowTask::reduceAtOnce(const RowStep &step, std::int64_t row,
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

/// The elements of a lane from one on; `next` is where the next one begins.
void RowTask::reduceLane(const RowStep &step, const LaneRange &range,
                         std::int64_t element, std::int64_t next) {
  constexpr std::int64_t lanes = ReductionLanes;
  const std::int64_t atOnce = elementsAtOnce(step);
  const auto aheadOf = [&](std::int64_t turn) {
    return element + turn < range.to ? turn : next - element;
  };
  for (const std::int64_t turn = atOnce * lanes;
       atOnce > 1 && element + turn - lanes < range.to; element += turn)
    callUnrolled(step, element, range.count, {lanes, aheadOf(turn)});
  for (; element < range.to; element += lanes) {
    moveColumns(step, element);
    fetchColumns(step, range.count, aheadOf(lanes));
    call(step, range.count);
  }
}

/// Sets what is the same for all loops of several elements a row.
void RowTask::openUnrolled(const RowStep &step) {
  const std::size_t slots = step.slots.size();
  for (std::size_t i = 0; i < slots; ++i)
    std::fill_n(stridesUnrolled + i * step.atOnce, step.atOnce, strides[i]);
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    pointersUnrolled[slots * step.atOnce + i] = pointers[slots + i];
}

/// Has states take several elements of each row, which are `apart`.
void RowTask::callUnrolled(const RowStep &step, std::int64_t element,
                           std::int64_t count, Distances to) {
  for (unsigned k = 0; k < step.atOnce; ++k) {
    moveColumns(step, element + k * to.apart);
    fetchColumns(step, count, to.ahead);
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
  const std::int64_t turn = group.isFlat ? ReductionLanes : 1;
  const bool streams = context.streams && step.canStream;
  const NextCall next{group.reducedAxes == 1 ? steps.data() : nullptr};
  for (std::int64_t element = from; element < to; element += turn) {
    moveColumns(step, element);
    const std::int64_t here = std::min(turn, to - element) * count;
    if (streams)
      storeRun(step, here, next);
    else
      call(step, here);
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
