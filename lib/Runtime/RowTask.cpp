//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include "Runtime/Pack.h"
#include "Support/ThreadMemory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

using namespace kexpr;
using namespace kexpr::runtime;
using ops::ReductionBlock;
using ops::ReductionLanes;
using ops::ReductionLoops;

/// Blocks of a part of a row; a power of two, so that its tree is one of the
/// row's.
static constexpr int PartLevel = 5;
static constexpr std::int64_t PartElements = ReductionBlock << PartLevel;

static std::int64_t blocksOf(std::int64_t elements) {
  return (elements + ReductionBlock - 1) / ReductionBlock;
}

static std::size_t roundedToLine(std::size_t bytes) {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

/// What the tasks of a thread work in.
static constinit thread_local ThreadMemory rowsOfThread;

/// Bytes from a row that is kept apart to the next one, which begins a line.
static std::int64_t keptStep(const RowGroup &group, const RowSlot &slot) {
  return static_cast<std::int64_t>(
      roundedToLine(static_cast<std::size_t>(group.length * slot.size)));
}

/// Has room for the loop that does all steps.
static void holdWhole(RowMemory &all, const RowGroup &group) {
  const auto &[plan, tensors] = group.whole->rows;
  all.slots = std::max(all.slots, plan.slots());
  all.stridesOfLoops = std::max(all.stridesOfLoops, 2 * tensors.size() + 2);
}

/// Has room for copies of elements that shall lie side by side, and finds of
/// how many tensors at most.
void RowTask::holdCopies(RowMemory &all, const RowGroup &group,
                         std::size_t &tensors) {
  const auto length = static_cast<std::size_t>(group.length);
  std::size_t bytes = 0;
  if (group.isShort)
    bytes = length * static_cast<std::size_t>(group.room) * Word + PackSlack;
  else if (group.isFlat)
    bytes = ReductionLanes * all.width * Word + PackSlack;
  else if (group.packs)
    bytes = ReductionBlock * Word + PackSlack;
  else if (group.copiesColumns()) {
    const auto widest =
        std::ranges::max_element(group.slots, {}, &RowSlot::size);
    bytes = length * static_cast<std::size_t>(stripPitch(widest->size));
    tensors = std::max(tensors, group.whole->rows.tensors.size());
  }
  all.packBytes = roundedToLine(bytes);
}

RowMemory RowTask::memoryOf(const RowGroup &group, bool isSplit) {
  RowMemory all;
  if (group.hasColumns)
    all.width = static_cast<std::size_t>(group.columns);
  const std::int64_t blocks =
      std::max(blocksOf(isSplit ? PartElements : group.length),
               isSplit ? partsOf(group.length) : std::int64_t{1});
  const auto rows = static_cast<std::size_t>(group.room);
  const auto hold = [](std::size_t &room, std::size_t bytes) {
    room = std::max(room, roundedToLine(bytes));
  };
  std::size_t copies = 0, scans = 0, together = 0;
  for (const RowStep &step : group.steps) {
    all.slots = std::max(all.slots, step.slots.size() + step.parameters.size());
    all.stridesOfLoops =
        std::max(all.stridesOfLoops, 2 * step.slots.size() + 2);
    scans = (group.piece ? scans : 0) + step.scans.size();
    all.reductions = std::max({all.reductions, step.reductions, scans});
    together += step.reductions;
    if (step.unrolled)
      all.unrolledSlots =
          std::max(all.unrolledSlots,
                   step.atOnce * step.slots.size() + step.parameters.size());
    copies = std::max(copies, step.slots.size());
    hold(all.stateBytes, sumBytes(step, all.width));
    hold(all.treeBytes, termBytes(group, step, all.width));
    for (const RowScan &scan : step.scans)
      hold(all.rowStateBytes, scan.loops->parts * rows * Word);
    for (std::size_t i = step.sums.size(); i < step.reductions; ++i) {
      const ReductionLoops &loops = *step.reductionLoops[i];
      // Of columns, as many as a tree of lanes is high, and one.
      constexpr std::size_t allLanes = ReductionLanes;
      const std::size_t lanes = group.hasColumns && !group.isFlat
                                    ? std::bit_width(allLanes)
                                    : allLanes;
      hold(all.stateBytes, loops.parts * lanes * all.width * Word);
      hold(all.treeBytes, BlockTree::bytesFor(loops, all.width, blocks));
      hold(all.rowStateBytes, loops.parts * rows * Word);
    }
  }
  all.rowReductions = group.staggered ? together : all.reductions;
  if (group.whole)
    holdWhole(all, group);
  for (const RowSlot &slot : group.slots)
    if (slot.isKept && !isSplit)
      hold(all.keptBytes,
           static_cast<std::size_t>(group.rowsKept * keptStep(group, slot)));
  holdCopies(all, group, copies);
  all.bytes = all.reductions * (all.stateBytes + all.treeBytes) +
              all.rowReductions * all.rowStateBytes + all.keptBytes +
              copies * all.packBytes +
              2 * roundedToLine(all.unrolledSlots * Word);
  if (!isSplit)
    all.bytes +=
        roundedToLine(static_cast<std::size_t>(group.tileBytes) * rows);
  return all;
}

RowTask::RowTask(const RowContext &given)
    : RowMemory(given.group.memory[given.own != nullptr]), context(given),
      group(given.group), bases(group.slots.size()), trees(reductions),
      firsts(slots), rowSteps(slots), steps(slots), pointers(slots),
      strides(stridesOfLoops), places(group.staggered ? slots : 0),
      pointersOfAll(group.staggered ? slots : 0),
      stridesOfAll(group.staggered ? stridesOfLoops : 0),
      loopOfAll(given.own ? nullptr
                          : group.loopOfTask(given.streams, given.first)),
      keepsApart(loopOfAll && group.staggered && given.streams) {
  for (const RowStep &step : group.steps) {
    step.loop->code().reserve();
    if (step.unrolled)
      step.unrolled->code().reserve();
  }
  openMemory();
}

/// A call that another one interrupted may find its memory elsewhere.
void RowTask::openMemory() {
  states = static_cast<std::byte *>(rowsOfThread.get(bytes));
  treeMemory = states + trees.size() * stateBytes;
  rowStates = treeMemory + trees.size() * treeBytes;
  keptRows = rowStates + rowReductions * rowStateBytes;
  own = keptRows + keptBytes;
  packs = own;
  if (context.own)
    own = context.own;
  else
    packs += roundedToLine(static_cast<std::size_t>(group.tileBytes) *
                           static_cast<std::size_t>(group.room));
  std::byte *unrolled =
      states + bytes - 2 * roundedToLine(unrolledSlots * Word);
  pointersUnrolled = reinterpret_cast<void **>(unrolled);
  stridesUnrolled = reinterpret_cast<std::int64_t *>(
      unrolled + roundedToLine(unrolledSlots * Word));
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const RowSlot &slot = group.slots[i];
    if (slot.kind == RowSlot::Kind::Result) {
      const RowResult &result = context.results[slot.index];
      bases[i] = reinterpret_cast<char *>(context.shared) +
                 (result.isShared ? result.offset : 0);
    } else {
      const bool isInput = slot.kind == RowSlot::Kind::Operand;
      bases[i] = static_cast<char *>(
          context.first[slot.index + (isInput ? context.outputs : 0)]);
    }
  }
}

/// The place of a row in what is addressed by the row's number.
char *RowTask::linear(std::uint32_t slot, std::int64_t row) const {
  const RowSlot &each = group.slots[slot];
  const RowResult &result = context.results[each.index];
  if (result.isShared)
    return bases[slot] + row * each.size;
  // One element a row, or all of them; of columns, those of other rows are
  // further on.
  const bool isWhole = each.isScratch && !group.hasColumns;
  const std::int64_t rows = context.own ? group.rows : group.room;
  const std::int64_t at =
      group.staggered ? (row - origin) % rows : row - origin;
  return reinterpret_cast<char *>(own) + result.offset * rows +
         at * each.size * (isWhole ? group.scratchLength() : 1);
}

/// The first element of a row.
char *RowTask::placeOf(std::uint32_t slot, std::int64_t row) const {
  const RowSlot &each = group.slots[slot];
  if (each.isLinear || each.isScratch)
    return linear(slot, row);
  if (isKeptApart(each))
    return reinterpret_cast<char *>(keptRows) +
           (row - origin) % group.rowsKept * rowStepOf(each);
  char *place = bases[slot];
  for (unsigned axis = group.keptAxes; axis-- > 1;) {
    place += row % group.keptExtents[axis] * each.kept[axis];
    row /= group.keptExtents[axis];
  }
  return place + (group.keptAxes ? row * each.kept[0] : 0);
}

void RowTask::call(const RowStep &step, std::int64_t count) const {
  step.loop->run(count, pointers.data(), strides.data());
}

/// Has a folded loop go over rows, or over blocks, whose steps are behind the
/// strides, and fetch those so many further on.
void RowTask::callRows(const RowStep &step, std::int64_t count,
                       std::int64_t rows, std::int64_t ahead) {
  strides[2 * step.slots.size()] = rows;
  strides[2 * step.slots.size() + 1] = ahead;
  call(step, count);
}

/// Bytes to the next row.
std::int64_t RowTask::rowStepOf(const RowSlot &slot) const {
  if (slot.isScratch)
    return slot.size * group.scratchLength();
  if (isKeptApart(slot))
    return keptStep(group, slot);
  if (slot.isLinear)
    return slot.size;
  return group.keptAxes ? slot.kept[group.keptAxes - 1] : 0;
}

/// Bytes to the next element of a row.
std::int64_t RowTask::stepOf(const RowSlot &slot) const {
  return slot.isLinear || group.reducedAxes == 0
             ? 0
             : slot.reduced[group.reducedAxes - 1];
}

/// Goes to a row, in loops along rows. Rows up to the end of the last axis of
/// rows follow by `nextRow`.
void RowTask::startAt(const RowStep &step, std::int64_t row) {
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    firsts[i] = placeOf(step.slots[i], row);
    pointers[i] = firsts[i];
    rowSteps[i] = rowStepOf(slot);
    strides[i] = stepOf(slot);
  }
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    pointers[step.slots.size() + i] =
        const_cast<std::uint64_t *>(&step.parameters[i]);
}

void RowTask::nextRow(const RowStep &step) {
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i)
    pointers[i] = firsts[i] += rowSteps[i];
}

/// Goes to an element of the row.
void RowTask::moveTo(const RowStep &step, std::int64_t element) {
  for (std::size_t i = step.reductions; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    const std::int64_t at = element - (slot.isScratch ? pieceStart : 0);
    pointers[i] =
        firsts[i] + (slot.isLinear            ? 0
                     : group.reducedAxes <= 1 ? at * strides[i]
                                              : group.offsetOf(slot, element));
  }
}

void RowTask::runRows(std::int64_t begin, std::int64_t end) {
  origin = begin;
  for (const RowStep &step : group.steps) {
    if (group.piece && &step == &group.steps[group.firstInPieces])
      return runPieces(begin, end);
    runStep(step, begin, end);
  }
}

void RowTask::runStep(const RowStep &step, std::int64_t begin,
                      std::int64_t end) {
  if (step.isOfRows)
    return runRowStep(step, begin, end);
  if (!step.sums.empty())
    return sumRows(step, begin, end);
  if (step.reductions > 0)
    return reduceRows(step, begin, end);
  storeElements(step, begin, end, 0, group.length);
  scanRows(step, begin, end, group.length);
}

/// Whether the next row begins where one ends, in all that a sweep reads and
/// stores.
bool RowTask::followEachOther(const RowStep &step) const {
  for (std::size_t i = 0; i < step.slots.size(); ++i)
    if (rowSteps[i] != group.length * strides[i])
      return false;
  return group.reducedAxes == 1;
}

/// Stores the elements [from, to) of some rows; of whole rows as one run where
/// they can be.
void RowTask::storeElements(const RowStep &step, std::int64_t begin,
                            std::int64_t end, std::int64_t from,
                            std::int64_t to) {
  const std::int64_t last = group.lastKept();
  for (std::int64_t row = begin, rows = 1; row < end; row += rows) {
    if (row == begin || row % last == 0)
      startAt(step, row);
    else
      nextRow(step);
    const bool isWhole = to - from == group.length;
    rows = isWhole && followEachOther(step)
               ? std::min(end - row, last - row % last)
               : 1;
    if (group.reducedAxes > 1)
      storeRange(step, from, to);
    else {
      if (from > 0)
        moveTo(step, from);
      storeRun(step, rows * (to - from),
               isWhole && rows == 1 ? NextCall{rowSteps.data()} : NextCall());
    }
  }
}

/// Makes results of states.
void RowTask::finish(const RowStep &step, std::size_t output, std::int64_t row,
                     std::int64_t rows, const std::byte *from,
                     std::size_t pitch) {
  const std::uint32_t slot = step.slots[output];
  const std::int64_t uncounted =
      context.results[group.slots[slot].index].uncounted;
  loopsOf(step, output)
      .finish(static_cast<std::size_t>(rows), from, pitch,
              std::max<std::int64_t>(group.length - uncounted, 0),
              linear(slot, row));
}

void RowTask::openTrees(const RowStep &step) {
  for (std::size_t i = 0; i < step.reductions; ++i)
    trees[i].open(loopsOf(step, i), width, treeMemory + i * treeBytes);
}

void RowTask::reduceRows(const RowStep &step, std::int64_t begin,
                         std::int64_t end) {
  const auto pitch = static_cast<std::size_t>(group.room);
  const std::int64_t last = group.lastKept();
  const bool isOneBlock = group.length <= ReductionBlock;
  const bool isOneCall = isOneBlock && step.isFolded && !group.packs;
  const auto stateOf = [&](std::size_t i, std::int64_t row) {
    return rowStatesOf(i) + (row - begin) * static_cast<std::int64_t>(sizeOf(
                                                loopsOf(step, i).element));
  };
  for (std::int64_t row = begin, rows = 1; row < end; row += rows) {
    if (row == begin || row % last == 0)
      startAt(step, row);
    else
      nextRow(step);
    if (isOneCall) {
      rows = std::min(end - row, last - row % last);
      std::int64_t *toRow = &strides[step.slots.size()];
      std::copy_n(rowSteps.data(), step.slots.size(), toRow);
      for (std::size_t i = 0; i < step.reductions; ++i) {
        toRow[i] = static_cast<std::int64_t>(sizeOf(loopsOf(step, i).element));
        pointers[i] = stateOf(i, row);
        strides[i] = static_cast<std::int64_t>(pitch) * toRow[i];
      }
      const bool hasNext = row + rows + rows <= group.rows;
      callRows(step, group.length, rows, hasNext ? rows : 0);
      continue;
    }
    openTrees(step);
    reduceRange(step, 0, group.length);
    for (std::size_t i = 0; i < step.reductions; ++i)
      trees[i].finishTo(stateOf(i, row), pitch);
  }
  for (std::size_t i = 0; i < step.reductions; ++i)
    finish(step, i, begin, end - begin, rowStatesOf(i), pitch);
}

/// Adds the blocks of the elements [from, to) of the row to the trees; `from`
/// is where a block begins. A folded loop does as many whole blocks at once as
/// there is memory for their states.
void RowTask::reduceRange(const RowStep &step, std::int64_t from,
                          std::int64_t to) {
  constexpr std::int64_t most = ReductionLanes;
  const bool isInRuns = step.isFolded && !group.packs;
  do {
    const std::int64_t blocks =
        isInRuns ? std::clamp<std::int64_t>(
                       group.runOf(from, to) / ReductionBlock, 1, most)
                 : 1;
    reduceBlock(step, from, std::min(ReductionBlock, to - from), blocks);
    for (std::size_t i = 0; i < step.reductions; ++i)
      trees[i].pushRun(statesOf(i), static_cast<std::size_t>(blocks));
    from += blocks * ReductionBlock;
  } while (from < to);
}

/// Makes states of a block of the row, or of several.
void RowTask::reduceBlock(const RowStep &step, std::int64_t from,
                          std::int64_t count, std::int64_t blocks) {
  const std::size_t slots = step.slots.size();
  for (std::size_t i = 0; i < step.reductions; ++i) {
    const ReductionLoops &loops = loopsOf(step, i);
    const auto size = static_cast<std::int64_t>(sizeOf(loops.element));
    pointers[i] = statesOf(i);
    strides[i] = size * static_cast<std::int64_t>(ReductionLanes);
    strides[slots + i] = size;
    if (!step.isFolded)
      loops.reset(ReductionLanes, statesOf(i), ReductionLanes, from, 1);
  }
  for (std::size_t i = step.reductions; i < slots; ++i)
    strides[slots + i] = strides[i] * ReductionBlock;
  if (count == 0 || group.hasWholeBlocks() || group.packs) {
    if (count > 0)
      moveTo(step, from);
    if (group.packs && count > 0)
      pack(step, from, count);
    // The blocks of the next tile: those of this one were read before.
    constexpr std::int64_t ahead = TileElements / ReductionBlock;
    callRows(step, count, blocks, group.reducedAxes == 1 ? ahead : 0);
  } else {
    const std::int64_t inner = group.inner();
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t here =
          std::min(inner - (from + done) % inner, count - done);
      moveTo(step, from + done);
      call(step, here);
      done += here;
    }
  }
  for (std::size_t i = 0; i < step.reductions && !step.isFolded; ++i)
    loopsOf(step, i).fold(
        static_cast<std::size_t>(std::min<std::int64_t>(count, ReductionLanes)),
        statesOf(i));
}

/// Whether all elements of a row are one element of memory.
static bool isConstant(const RowGroup &group, const RowSlot &slot) {
  return slot.isLinear ||
         std::all_of(slot.reduced, slot.reduced + group.reducedAxes,
                     [](std::int64_t stride) { return stride == 0; });
}

/// Copies elements that are `stride` bytes apart to a run of them.
static void copyRun(std::byte *to, const char *from, std::int64_t stride,
                    std::int64_t count, std::int64_t size) {
  if (stride == size) {
    std::memcpy(to, from, static_cast<std::size_t>(count * size));
    return;
  }
  const auto copy = [=](auto bytes) {
    for (std::int64_t k = 0; k < count; ++k)
      std::memcpy(to + k * bytes, from + k * stride, bytes);
  };
  if (size == 1)
    copy(std::integral_constant<int, 1>());
  else if (size == 2)
    copy(std::integral_constant<int, 2>());
  else if (size == 4)
    copy(std::integral_constant<int, 4>());
  else
    copy(std::integral_constant<int, 8>());
}

/// Copies elements of a block, so that each input has them in one run.
void RowTask::pack(const RowStep &step, std::int64_t from, std::int64_t count) {
  std::byte *next = packs;
  const std::int64_t inner = group.inner();
  for (std::size_t i = step.outputs; i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    if (slot.isScratch || isConstant(group, slot))
      continue;
    std::byte *to = next;
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t here =
          std::min(inner - (from + done) % inner, count - done);
      const char *source = firsts[i] + group.offsetOf(slot, from + done);
      copyRun(to, source, strides[i], here, slot.size);
      to += here * slot.size;
      done += here;
    }
    pointers[i] = next;
    next += packBytes;
  }
}

/// Stores the elements [from, to) of the row.
void RowTask::storeRange(const RowStep &step, std::int64_t from,
                         std::int64_t to) {
  const std::int64_t inner = group.inner();
  while (from < to) {
    const std::int64_t here = std::min(inner - from % inner, to - from);
    moveTo(step, from);
    storeRun(step, here);
    from += here;
  }
}

/// Stores a run of elements, past the caches where it can.
void RowTask::storeRun(const RowStep &step, std::int64_t count, NextCall next) {
  constexpr std::int64_t fewest = 192;
  // What the loop of all sweeps leaves to them are few rows.
  const Loop *streaming =
      context.streams && !loopOfAll ? step.streaming() : nullptr;
  if (streaming && count >= fewest)
    step.loop->runStreamed(*streaming, count, pointers.data(), strides.data(),
                           next);
  else
    call(step, count);
}

void RowTask::runRowStep(const RowStep &step, std::int64_t begin,
                         std::int64_t end) {
  const std::int64_t last = group.lastKept();
  while (begin < end) {
    const std::int64_t here = std::min(end - begin, last - begin % last);
    startColumns(step, begin, here);
    call(step, here);
    begin += here;
  }
}

std::int64_t RowTask::partsOf(std::int64_t elements) {
  return std::max<std::int64_t>((elements + PartElements - 1) / PartElements,
                                1);
}

std::int64_t RowTask::partsOfRow() const { return partsOf(group.length); }

std::int64_t RowTask::partBytes(const RowStep &step) const {
  std::size_t size = 0;
  for (const RowSum &sum : step.sums)
    size += sum.exact->words * Word;
  for (std::size_t i = step.sums.size(); i < step.reductions; ++i)
    size += loopsOf(step, i).parts * Word;
  return group.rows * partsOfRow() * static_cast<std::int64_t>(size);
}

void RowTask::runParts(const RowStep &step, std::int64_t begin,
                       std::int64_t end, std::byte *parts) {
  openMemory();
  const std::int64_t count = partsOfRow();
  const std::int64_t each = partBytes(step) / (group.rows * count);
  for (; begin < end; ++begin) {
    startAt(step, begin / count);
    const std::int64_t from = begin % count * PartElements;
    const std::int64_t to = std::min(from + PartElements, group.length);
    if (step.reductions == 0) {
      storeRange(step, from, to);
      if (context.streams)
        finishStreaming();
      continue;
    }
    std::byte *next = parts + begin * each;
    if (!step.sums.empty()) {
      sumPart(step, from, to, next);
      continue;
    }
    openTrees(step);
    reduceRange(step, from, to);
    for (std::size_t i = 0; i < step.reductions; ++i) {
      const std::size_t size = loopsOf(step, i).parts * Word;
      std::memcpy(next, trees[i].finish(), size);
      next += size;
    }
  }
}

void RowTask::joinParts(const RowStep &step, const std::byte *parts) {
  openMemory();
  if (!step.sums.empty())
    return joinSums(step, parts);
  const std::int64_t count = partsOfRow();
  const std::int64_t each = partBytes(step) / (group.rows * count);
  for (std::int64_t row = 0; row < group.rows; ++row) {
    std::int64_t before = 0;
    openTrees(step);
    for (std::size_t i = 0; i < step.reductions; ++i) {
      for (std::int64_t part = 0; part < count; ++part) {
        const bool isWhole = (part + 1) * PartElements <= group.length;
        trees[i].push(parts + (row * count + part) * each + before, 1,
                      isWhole ? PartLevel : -1);
      }
      finish(step, i, row, 1, trees[i].finish(), 1);
      before += static_cast<std::int64_t>(loopsOf(step, i).parts * Word);
    }
  }
}
