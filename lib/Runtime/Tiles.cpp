//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Tiles.h"

#include "Runtime/Pack.h"
#include "Support/ThreadMemory.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::LoopNest;

static constinit thread_local ThreadMemory copiesOfThread;

TaskMemory::TaskMemory(std::size_t tensors, std::size_t slots,
                       std::int64_t bytes)
    : pointers(slots), strides(tensors), own(tensors), coming(tensors),
      rowSteps(tensors), copies(tensors), bytes(bytes) {
  copied();
}

char *TaskMemory::copied() const {
  return static_cast<char *>(
      copiesOfThread.get(static_cast<std::size_t>(bytes)));
}

namespace {
class TileRun {
public:
  TileRun(const TiledLoop &tiled, TaskMemory &memory);
  void run(std::int64_t begin, std::int64_t end);

private:
  void makeCopies();
  void runTile();
  void fetchDirect(std::int64_t columns) const;
  void refresh(TileCopy &copy, std::int64_t rows, std::int64_t columns);

  const Code &code;
  const LoopNest &nest;
  const Traversal &traversal;
  TaskMemory &memory;
  std::size_t copyCount = 0;
  Cursor cursor, next; ///< At the tile, and at the one behind it.
};
} // namespace

TileRun::TileRun(const TiledLoop &tiled, TaskMemory &memory)
    : code(tiled.code), nest(tiled.nest), traversal(tiled.traversal),
      memory(memory), cursor(nest, traversal, tiled.first, memory.own.data()),
      next(nest, traversal, tiled.first, memory.coming.data()) {
  makeCopies();
  const unsigned axis = traversal.rowAxis();
  for (std::size_t s = 0; axis < nest.rank() && s < nest.slots(); ++s)
    memory.rowSteps[s] =
        traversal.isPacked(s) ? traversal.pitch(s) : nest.stride(s, axis);
}

std::int64_t runtime::copyBytes(const LoopNest &nest,
                                const Traversal &traversal) {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < nest.slots(); ++s)
    bytes += traversal.isPacked(s) ? traversal.copyBytes(s) : 0;
  return bytes;
}

void TileRun::makeCopies() {
  char *place = memory.copied();
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (!traversal.isPacked(s))
      continue;
    memory.copies[copyCount++] = {s, place, nullptr, 0, 0};
    // For the loop in which everything is strided.
    memory.strides[s] = nest.size(s);
    place += traversal.copyBytes(s);
  }
}

/// Fetches where the loop will begin in slots that are not copied: while copies
/// are made, a processor loses track of them.
void TileRun::fetchDirect(std::int64_t columns) const {
  constexpr std::int64_t line = 64, most = 8 * line;
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (traversal.isPacked(s) ||
        traversal.pattern(s) != AccessPattern::Contiguous)
      continue;
    const std::int64_t bytes = std::min(columns * nest.size(s), most);
    for (std::int64_t at = 0; at < bytes; at += line)
      __builtin_prefetch(static_cast<const char *>(memory.own[s]) + at);
  }
}

/// Copies the current tile, unless the copy is of the very same elements, as
/// it is where an input does not move from tile to tile.
void TileRun::refresh(TileCopy &copy, std::int64_t rows, std::int64_t columns) {
  const void *from = memory.own[copy.slot];
  if (copy.from == from && copy.rows == rows && copy.columns == columns)
    return;
  copy.from = from;
  copy.rows = rows;
  copy.columns = columns;
  PackAxis axes[MaxRank];
  PackAxis *first = axes + nest.rank();
  std::int64_t to = nest.size(copy.slot);
  for (unsigned axis = nest.rank(); axis-- > 0;) {
    const std::int64_t count = cursor.extent(axis);
    if (axis == traversal.rowAxis())
      to = traversal.pitch(copy.slot);
    *--first = {count, nest.stride(copy.slot, axis), to};
    to *= count;
  }
  const auto *source = static_cast<const char *>(from);
  pack({{axes, nest.rank()},
        nest.size(copy.slot),
        source,
        copy.memory,
        static_cast<const char *>(memory.coming[copy.slot]) - source});
}

void TileRun::runTile() {
  const unsigned axis = traversal.rowAxis();
  std::int64_t rows = axis < nest.rank() ? cursor.extent(axis) : 1;
  std::int64_t columns = 1;
  for (unsigned a = traversal.loopAxis(); a < nest.rank(); ++a)
    columns *= cursor.extent(a);
  void **pointers = memory.pointers.data();
  std::copy_n(memory.own.data(), nest.slots(), pointers);
  if (copyCount > 0)
    fetchDirect(columns);
  for (std::size_t i = 0; i < copyCount; ++i) {
    refresh(memory.copies[i], rows, columns);
    pointers[memory.copies[i].slot] = memory.copies[i].memory;
  }
  code.run(columns, pointers, memory.strides.data());
  while (--rows > 0) {
    for (std::size_t s = 0; s < nest.slots(); ++s)
      pointers[s] = static_cast<char *>(pointers[s]) + memory.rowSteps[s];
    code.run(columns, pointers, memory.strides.data());
  }
}

void TileRun::run(std::int64_t begin, std::int64_t end) {
  cursor.seek(begin);
  next.seek(begin);
  for (; begin < end; ++begin) {
    if (begin + 1 < end)
      next.advance();
    runTile();
    cursor.advance();
  }
}

void runtime::runTiles(const TiledLoop &tiled, std::int64_t begin,
                       std::int64_t end, TaskMemory &memory) {
  TileRun(tiled, memory).run(begin, end);
}
