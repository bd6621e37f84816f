//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include "Support/ThreadMemory.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;
using ops::ReductionBlock;
using ops::ReductionLanes;
using ops::ReductionLoops;

/// Bytes of an element at most: what memory is counted in.
static constexpr std::size_t Word = 8;
/// Blocks of a part of a row; a power of two, so that its tree is one of the
/// row's.
static constexpr int PartLevel = 5;
static constexpr std::int64_t PartElements = ReductionBlock << PartLevel;

static std::int64_t blocksOf(std::int64_t elements) {
  return (elements + ReductionBlock - 1) / ReductionBlock;
}

BlockTree::BlockTree(const ReductionLoops &loops, std::size_t width,
                     std::byte *memory)
    : loops(loops), width(width), size(sizeOf(loops.element)),
      bytes(loops.parts * width * Word), memory(memory) {}

std::int64_t BlockTree::bytesFor(const ReductionLoops &loops, std::size_t width,
                                 std::int64_t blocks) {
  const auto most =
      static_cast<std::uint64_t>(std::max<std::int64_t>(blocks, 1));
  // One of each size, and the one that is added.
  const std::size_t slots = std::bit_width(most) + 1u;
  return static_cast<std::int64_t>(slots * loops.parts * width * Word);
}

void BlockTree::push(const std::byte *from, std::size_t pitch, int level) {
  std::byte *to = slot(height);
  for (std::size_t part = 0; part < loops.parts; ++part)
    std::memcpy(to + part * width * size, from + part * pitch * size,
                width * size);
  levels[height] = level;
  for (; height > 0 && levels[height] >= 0 &&
         levels[height - 1] == levels[height];
       --height) {
    loops.combine(width, slot(height - 1), width, slot(height), width);
    ++levels[height - 1];
  }
  ++height;
}

const std::byte *BlockTree::finish() {
  for (; height > 1; --height)
    loops.combine(width, slot(height - 2), width, slot(height - 1), width);
  return memory;
}

/// What the tasks of a thread work in.
static constinit thread_local ThreadMemory rowsOfThread;

RowTask::RowTask(const RowContext &given, bool isSplit)
    : context(given), group(given.group), isSplit(isSplit),
      width(group.hasColumns ? static_cast<std::size_t>(group.columns) : 1),
      blocks(blocksOf(isSplit ? PartElements : group.length)),
      bases(group.slots.size()), places(group.slots.size()) {
  std::size_t mostSlots = 0, mostInputs = 0;
  for (const RowStep &step : group.steps) {
    const std::size_t outputs = outputsOf(step);
    mostSlots = std::max(mostSlots, step.slots.size() + step.parameters.size());
    mostInputs = std::max(mostInputs, step.slots.size() - outputs);
    step.loop->code().reserve();
    if (!step.reduces)
      continue;
    mostOutputs = std::max(mostOutputs, outputs);
    for (std::size_t i = 0; i < outputs && isReduced(step, i); ++i) {
      const ReductionLoops &loops = loopsOf(step, i);
      const std::int64_t most =
          isSplit ? std::max(blocks, partsOfRow(step)) : blocks;
      stateBytes = std::max(stateBytes, statesBytes(loops));
      treeBytes = std::max(
          treeBytes,
          static_cast<std::size_t>(BlockTree::bytesFor(loops, width, most)));
    }
  }
  pointers.resize(mostSlots);
  strides.resize(mostSlots);
  bytes = mostOutputs * (stateBytes + treeBytes);
  if (!context.own)
    bytes += static_cast<std::size_t>(group.tileBytes * group.columns) + 64;
  if (group.packs)
    bytes += mostInputs * ReductionBlock * Word;
  openMemory();
}

std::size_t RowTask::statesBytes(const ReductionLoops &loops) const {
  return loops.parts * ReductionLanes * width * Word;
}

/// A call that another one interrupted may find its memory elsewhere.
void RowTask::openMemory() {
  auto *next = static_cast<std::byte *>(rowsOfThread.get(bytes));
  states = next;
  trees = states + mostOutputs * stateBytes;
  own = trees + mostOutputs * treeBytes;
  packs = own;
  if (context.own)
    own = context.own;
  else
    packs += (group.tileBytes * group.columns + 63) / 64 * 64;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const RowSlot &slot = group.slots[i];
    const std::size_t place = slot.kind == RowSlot::Kind::Operand
                                  ? context.outputs + slot.index
                                  : slot.index;
    bases[i] = slot.kind == RowSlot::Kind::Result
                   ? reinterpret_cast<char *>(context.shared) +
                         (context.results[slot.index].isShared
                              ? context.results[slot.index].offset
                              : 0)
                   : static_cast<char *>(context.first[place]);
  }
}

/// The place of a result.
char *RowTask::linear(std::uint32_t slot, std::int64_t row) const {
  const RowSlot &each = group.slots[slot];
  const RowResult &result = context.results[each.index];
  // One element a row, or all of them; of columns, those of other rows are
  // further on.
  const std::int64_t step = each.isScratch && !group.hasColumns
                                ? each.size * group.length
                                : each.size;
  if (result.isShared)
    return bases[slot] + row * each.size;
  const std::int64_t rows = context.own ? group.rows : group.columns;
  return reinterpret_cast<char *>(own) + result.offset * rows +
         (row - origin) * step;
}

/// The first element of a slot in the current row.
char *RowTask::firstOf(std::uint32_t slot) const {
  const RowSlot &each = group.slots[slot];
  return each.isLinear || each.isScratch ? linear(slot, row) : places[slot];
}

/// Goes to the first element of a row.
void RowTask::seek(std::int64_t to) {
  row = to;
  places = bases;
  for (unsigned axis = group.keptAxes; axis-- > 0;) {
    at[axis] = to % group.keptExtents[axis];
    to /= group.keptExtents[axis];
    for (std::size_t s = 0; s < places.size(); ++s)
      places[s] += at[axis] * group.slots[s].kept[axis];
  }
}

void RowTask::advance() {
  ++row;
  for (unsigned axis = group.keptAxes; axis-- > 0;) {
    const bool wraps = ++at[axis] == group.keptExtents[axis];
    const std::int64_t steps = wraps ? 1 - at[axis] : 1;
    for (std::size_t s = 0; s < places.size(); ++s)
      places[s] += steps * group.slots[s].kept[axis];
    if (!wraps)
      return;
    at[axis] = 0;
  }
}

void RowTask::setParameters(const RowStep &step) {
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    pointers[step.slots.size() + i] =
        const_cast<std::uint64_t *>(&step.parameters[i]);
}

void RowTask::call(const RowStep &step, std::int64_t count) const {
  step.loop->code().run(count, pointers.data(), strides.data());
}

std::int64_t RowTask::tilesOf(const RowGroup &group) {
  if (!group.hasColumns)
    return (group.rows + group.columns - 1) / group.columns;
  const std::int64_t each =
      (group.lastKept() + group.columns - 1) / group.columns;
  return group.rows / group.lastKept() * each;
}

void RowTask::runTiles(std::int64_t begin, std::int64_t end) {
  openMemory();
  if (group.hasColumns) {
    const std::int64_t last = group.lastKept();
    const std::int64_t each = (last + group.columns - 1) / group.columns;
    for (; begin < end; ++begin) {
      const std::int64_t column = begin % each * group.columns;
      runColumns(begin / each * last + column,
                 std::min(group.columns, last - column));
    }
    return;
  }
  for (; begin < end; ++begin) {
    origin = begin * group.columns;
    const std::int64_t stop = std::min(origin + group.columns, group.rows);
    for (const RowStep &step : group.steps) {
      if (step.isOfRows) {
        runRowStep(step, origin, stop);
        continue;
      }
      for (seek(origin); row < stop; advance())
        if (step.reduces)
          reduceRow(step);
        else
          storeRange(step, 0, group.length);
    }
  }
}

BlockTree RowTask::treeOf(const RowStep &step, std::size_t output) const {
  return {loopsOf(step, output), width, trees + output * treeBytes};
}

void *RowTask::resultOf(const RowStep &step, std::size_t output,
                        std::int64_t of) const {
  return linear(step.slots[output], of);
}

/// How many elements of a row count in the results of a reduction.
std::int64_t RowTask::counted(const RowStep &step, std::size_t output) const {
  const RowSlot &slot = group.slots[step.slots[output]];
  const std::int64_t uncounted = context.results[slot.index].uncounted;
  return std::max<std::int64_t>(group.length - uncounted, 0);
}

/// Makes lane 0 the state of `used` lanes.
static void foldLanes(const ReductionLoops &loops, std::byte *states,
                      std::int64_t used) {
  const auto size = static_cast<std::int64_t>(sizeOf(loops.element));
  for (std::int64_t half = ReductionLanes / 2; half > 0; half /= 2)
    if (used > half) {
      loops.combine(static_cast<std::size_t>(std::min(half, used - half)),
                    states, ReductionLanes, states + half * size,
                    ReductionLanes);
      used = half;
    }
}

/// Bytes from the first element of a row to another one.
static std::int64_t offsetOf(const RowGroup &group, const RowSlot &slot,
                             std::int64_t element) {
  std::int64_t offset = 0;
  for (unsigned axis = group.reducedAxes; axis-- > 0;) {
    const std::int64_t extent = group.reducedExtents[axis];
    offset += element % extent * slot.reduced[axis];
    element /= extent;
  }
  return offset;
}

/// Sets the pointers of a loop from an element of the row on. States are in
/// place.
void RowTask::locate(const RowStep &step, std::int64_t element) {
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    if (isReduced(step, i))
      continue;
    const RowSlot &slot = group.slots[step.slots[i]];
    pointers[i] = firstOf(step.slots[i]);
    strides[i] = 0;
    if (slot.isLinear || group.reducedAxes == 0)
      continue;
    strides[i] = slot.reduced[group.reducedAxes - 1];
    pointers[i] = static_cast<char *>(pointers[i]) +
                  (group.reducedAxes == 1 ? element * strides[i]
                                          : offsetOf(group, slot, element));
  }
}

/// Has lane 0 of every reduction of a sweep hold the state of a block of the
/// row.
void RowTask::reduceBlock(const RowStep &step, std::int64_t from,
                          std::int64_t count) {
  const std::size_t outputs = outputsOf(step);
  for (std::size_t i = 0; i < outputs; ++i)
    if (isReduced(step, i)) {
      loopsOf(step, i).reset(ReductionLanes, statesOf(i), ReductionLanes, from,
                             1);
      pointers[i] = statesOf(i);
    }
  setParameters(step);
  if (group.packs && count > 0) {
    locate(step, from);
    pack(step, from, count);
    call(step, count);
  } else {
    const std::int64_t inner = group.inner();
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t column = (from + done) % inner;
      const std::int64_t here = std::min(inner - column, count - done);
      locate(step, from + done);
      call(step, here);
      done += here;
    }
  }
  for (std::size_t i = 0; i < outputs; ++i)
    if (isReduced(step, i))
      foldLanes(loopsOf(step, i), statesOf(i),
                std::min<std::int64_t>(count, ReductionLanes));
}

/// Copies elements of a block, so that each input has them in one run.
void RowTask::pack(const RowStep &step, std::int64_t from, std::int64_t count) {
  std::byte *next = packs;
  const std::int64_t inner = group.inner();
  for (std::size_t i = outputsOf(step); i < step.slots.size(); ++i) {
    const RowSlot &slot = group.slots[step.slots[i]];
    const bool isConstant =
        std::all_of(slot.reduced, slot.reduced + group.reducedAxes,
                    [](std::int64_t stride) { return stride == 0; });
    if (slot.isLinear || slot.isScratch || isConstant)
      continue;
    std::byte *to = next;
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t here =
          std::min(inner - (from + done) % inner, count - done);
      const char *source =
          firstOf(step.slots[i]) + offsetOf(group, slot, from + done);
      for (std::int64_t k = 0; k < here; ++k, to += slot.size)
        std::memcpy(to, source + k * strides[i],
                    static_cast<std::size_t>(slot.size));
      done += here;
    }
    pointers[i] = next;
    next += ReductionBlock * Word;
  }
}

void RowTask::reduceRow(const RowStep &step) {
  const std::size_t outputs = outputsOf(step);
  if (group.length <= ReductionBlock) {
    reduceBlock(step, 0, group.length);
    for (std::size_t i = 0; i < outputs && isReduced(step, i); ++i)
      loopsOf(step, i).finish(1, statesOf(i), ReductionLanes, counted(step, i),
                              resultOf(step, i, row));
    return;
  }
  std::vector<BlockTree> all;
  for (std::size_t i = 0; i < outputs && isReduced(step, i); ++i)
    all.push_back(treeOf(step, i));
  for (std::int64_t from = 0; from < group.length; from += ReductionBlock) {
    reduceBlock(step, from, std::min(ReductionBlock, group.length - from));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].push(statesOf(i), ReductionLanes);
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    loopsOf(step, i).finish(1, all[i].finish(), 1, counted(step, i),
                            resultOf(step, i, row));
}

/// Stores the elements [from, to) of the row.
void RowTask::storeRange(const RowStep &step, std::int64_t from,
                         std::int64_t to) {
  setParameters(step);
  const std::int64_t inner = group.inner();
  while (from < to) {
    const std::int64_t here = std::min(inner - from % inner, to - from);
    locate(step, from);
    call(step, here);
    from += here;
  }
}

void RowTask::runRowStep(const RowStep &step, std::int64_t begin,
                         std::int64_t end) {
  setParameters(step);
  const std::int64_t last = group.lastKept();
  while (begin < end) {
    seek(begin);
    const std::int64_t here = std::min(end - begin, last - begin % last);
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const RowSlot &slot = group.slots[step.slots[i]];
      pointers[i] =
          slot.isLinear ? linear(step.slots[i], begin) : places[step.slots[i]];
      strides[i] = group.keptAxes ? slot.kept[group.keptAxes - 1] : 0;
    }
    call(step, here);
    begin += here;
  }
}

void RowTask::runColumns(std::int64_t first, std::int64_t count) {
  origin = first;
  seek(first);
  for (const RowStep &step : group.steps) {
    if (step.isOfRows)
      runRowStep(step, first, first + count);
    else if (step.reduces)
      reduceColumns(step, count);
    else
      storeColumns(step, count);
  }
}

namespace {
/// Goes over the elements of rows in row-major order.
class ElementCursor {
public:
  ElementCursor(const RowGroup &group, const RowStep &step,
                std::vector<void *> &pointers)
      : group(group), step(step), pointers(pointers) {}

  /// Moves the pointers of slots from `from` on to the next element.
  void advance(std::size_t from) {
    for (unsigned axis = group.reducedAxes; axis-- > 0;) {
      const bool wraps = ++at[axis] == group.reducedExtents[axis];
      const std::int64_t steps = wraps ? 1 - at[axis] : 1;
      for (std::size_t i = from; i < step.slots.size(); ++i)
        pointers[i] = static_cast<char *>(pointers[i]) +
                      steps * group.slots[step.slots[i]].reduced[axis];
      if (!wraps)
        return;
      at[axis] = 0;
    }
  }

private:
  const RowGroup &group;
  const RowStep &step;
  std::vector<void *> &pointers;
  std::int64_t at[MaxRank] = {};
};
} // namespace

/// Sets the pointers of a loop over columns at the first element of the rows.
void RowTask::locateColumns(const RowStep &step) {
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    if (isReduced(step, i)) {
      strides[i] =
          static_cast<std::int64_t>(width * sizeOf(loopsOf(step, i).element));
      continue;
    }
    const RowSlot &slot = group.slots[step.slots[i]];
    pointers[i] = firstOf(step.slots[i]);
    strides[i] = slot.isLinear ? slot.size : slot.kept[group.keptAxes - 1];
  }
  setParameters(step);
}

void RowTask::reduceColumns(const RowStep &step, std::int64_t count) {
  std::vector<BlockTree> all;
  for (std::size_t i = 0; i < outputsOf(step) && isReduced(step, i); ++i)
    all.push_back(treeOf(step, i));
  locateColumns(step);
  const auto laneBytes = [&](std::size_t i) {
    return loopsOf(step, i).parts * width * Word;
  };
  ElementCursor cursor(group, step, pointers);
  std::int64_t from = 0;
  do {
    const std::int64_t here = std::min(ReductionBlock, group.length - from);
    const auto used = static_cast<std::size_t>(
        std::clamp<std::int64_t>(here, 1, ReductionLanes));
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t lane = 0; lane < used; ++lane)
        loopsOf(step, i).reset(width, statesOf(i) + lane * laneBytes(i), width,
                               from + static_cast<std::int64_t>(lane), 0);
    for (std::int64_t r = 0; r < here; ++r) {
      for (std::size_t i = 0; i < all.size(); ++i)
        pointers[i] = statesOf(i) + r % ReductionLanes * laneBytes(i);
      call(step, count);
      cursor.advance(all.size());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t left = used;
      for (std::size_t half = ReductionLanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = half; lane < left; ++lane)
          loopsOf(step, i).combine(
              width, statesOf(i) + (lane - half) * laneBytes(i), width,
              statesOf(i) + lane * laneBytes(i), width);
        left = std::min(left, half);
      }
      all[i].push(statesOf(i), width);
    }
    from += here;
  } while (from < group.length);
  for (std::size_t i = 0; i < all.size(); ++i)
    loopsOf(step, i).finish(static_cast<std::size_t>(count), all[i].finish(),
                            width, counted(step, i), resultOf(step, i, row));
}

void RowTask::storeColumns(const RowStep &step, std::int64_t count) {
  locateColumns(step);
  ElementCursor cursor(group, step, pointers);
  for (std::int64_t r = 0; r < group.length; ++r) {
    call(step, count);
    cursor.advance(0);
  }
}

std::int64_t RowTask::partsOfRow(const RowStep &) const {
  return std::max<std::int64_t>(
      (group.length + PartElements - 1) / PartElements, 1);
}

std::int64_t RowTask::partBytes(const RowStep &step) const {
  std::size_t size = 0;
  for (std::size_t i = 0; step.reduces && i < outputsOf(step); ++i)
    size += loopsOf(step, i).parts * Word;
  return group.rows * partsOfRow(step) * static_cast<std::int64_t>(size);
}

void RowTask::runParts(const RowStep &step, std::int64_t begin,
                       std::int64_t end, std::byte *parts) {
  openMemory();
  const std::int64_t count = partsOfRow(step);
  const auto each =
      partBytes(step) / (group.rows * count); // of a part's states
  for (; begin < end; ++begin) {
    seek(begin / count);
    const std::int64_t from = begin % count * PartElements;
    const std::int64_t to = std::min(from + PartElements, group.length);
    if (!step.reduces) {
      storeRange(step, from, to);
      continue;
    }
    std::vector<BlockTree> all;
    for (std::size_t i = 0; i < outputsOf(step); ++i)
      all.push_back(treeOf(step, i));
    for (std::int64_t block = from; block < to; block += ReductionBlock) {
      reduceBlock(step, block, std::min(ReductionBlock, to - block));
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i].push(statesOf(i), ReductionLanes);
    }
    std::byte *next = parts + begin * each;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t size = loopsOf(step, i).parts * Word;
      std::memcpy(next, all[i].finish(), size);
      next += size;
    }
  }
}

void RowTask::joinParts(const RowStep &step, const std::byte *parts) {
  openMemory();
  const std::int64_t count = partsOfRow(step);
  const auto each = partBytes(step) / (group.rows * count);
  for (std::int64_t of = 0; of < group.rows; ++of) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < outputsOf(step); ++i) {
      BlockTree tree = treeOf(step, i);
      for (std::int64_t part = 0; part < count; ++part) {
        const bool isWhole = (part + 1) * PartElements <= group.length;
        tree.push(parts + (of * count + part) * each + before, 1,
                  isWhole ? PartLevel : -1);
      }
      loopsOf(step, i).finish(1, tree.finish(), 1, counted(step, i),
                              resultOf(step, i, of));
      before += static_cast<std::int64_t>(loopsOf(step, i).parts * Word);
    }
  }
}
