//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Tiles.h"

#include "Runtime/Pack.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::LoopNest;
using semantics::Walk;

/// `bytes` bytes of the thread, aligned to a cache line.
static char *scratch(std::int64_t bytes) {
  struct alignas(64) Line {
    char bytes[64];
  };
  thread_local std::vector<Line> lines;
  const std::size_t count = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (lines.size() < count)
    lines.resize(count);
  return reinterpret_cast<char *>(lines.data());
}

namespace {
/// An input that is copied, and what its copy holds.
struct Copy {
  std::size_t slot;
  char *memory;
  const void *from;
  std::int64_t rows, columns;
};

class TileRun {
public:
  TileRun(const TiledLoop &tiled, void **pointers, std::int64_t *strides);
  void run(std::int64_t begin, std::int64_t end);

private:
  void makeCopies();
  void runTile();
  void fetchDirect(std::int64_t columns) const;
  void refresh(Copy &copy, std::int64_t rows, std::int64_t columns);

  const Code &code;
  const LoopNest &nest;
  const Traversal &traversal;
  void **pointers;
  std::int64_t *strides;
  std::size_t copyCount = 0;
  InlineBuffer<Copy, 8> copies;
  /// Where the tile begins in every slot's own memory.
  InlineBuffer<void *, 16> own;
  /// Bytes from one row of a tile to the next.
  InlineBuffer<std::int64_t, 16> rowSteps;
  Cursor cursor;
  /// The same of the next tile.
  InlineBuffer<void *, 16> coming;
  Cursor next;
};
} // namespace

TileRun::TileRun(const TiledLoop &tiled, void **pointers, std::int64_t *strides)
    : code(tiled.code), nest(tiled.nest), traversal(tiled.traversal),
      pointers(pointers), strides(strides), copies(nest.slots()),
      own(nest.slots()), rowSteps(nest.slots()),
      cursor(nest, traversal, tiled.first, own.data()), coming(nest.slots()),
      next(nest, traversal, tiled.first, coming.data()) {
  makeCopies();
  const unsigned axis = traversal.rowAxis();
  for (std::size_t s = 0; axis < nest.rank() && s < nest.slots(); ++s)
    rowSteps[s] =
        traversal.isPacked(s) ? traversal.pitch(s) : nest.stride(s, axis);
}

void TileRun::makeCopies() {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < nest.slots(); ++s)
    bytes += traversal.isPacked(s) ? traversal.copyBytes(s) : 0;
  char *memory = bytes ? scratch(bytes) : nullptr;
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (!traversal.isPacked(s))
      continue;
    copies[copyCount++] = {s, memory, nullptr, 0, 0};
    // For the loop in which everything is strided.
    strides[s] = nest.size(s);
    memory += traversal.copyBytes(s);
  }
}

/// Fetches where the loop will begin in slots that are not copied: while copies
/// are made, a processor loses track of them.
void TileRun::fetchDirect(std::int64_t columns) const {
  constexpr std::int64_t line = 64, most = 8 * line;
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (traversal.isPacked(s) || traversal.walk(s) != Walk::Contiguous)
      continue;
    const std::int64_t bytes = std::min(columns * nest.size(s), most);
    for (std::int64_t at = 0; at < bytes; at += line)
      __builtin_prefetch(static_cast<const char *>(own[s]) + at);
  }
}

/// Copies the current tile, unless the copy is of the very same elements, as
/// it is where an input does not move from tile to tile.
void TileRun::refresh(Copy &copy, std::int64_t rows, std::int64_t columns) {
  const void *from = own[copy.slot];
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
        static_cast<const char *>(coming[copy.slot]) - source});
}

void TileRun::runTile() {
  const unsigned axis = traversal.rowAxis();
  std::int64_t rows = axis < nest.rank() ? cursor.extent(axis) : 1;
  std::int64_t columns = 1;
  for (unsigned a = traversal.loopAxis(); a < nest.rank(); ++a)
    columns *= cursor.extent(a);
  std::copy_n(own.data(), nest.slots(), pointers);
  if (copyCount > 0)
    fetchDirect(columns);
  for (std::size_t i = 0; i < copyCount; ++i) {
    refresh(copies[i], rows, columns);
    pointers[copies[i].slot] = copies[i].memory;
  }
  code.run(columns, pointers, strides);
  while (--rows > 0) {
    for (std::size_t s = 0; s < nest.slots(); ++s)
      pointers[s] = static_cast<char *>(pointers[s]) + rowSteps[s];
    code.run(columns, pointers, strides);
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
                       std::int64_t end, void **pointers,
                       std::int64_t *strides) {
  TileRun(tiled, pointers, strides).run(begin, end);
}
