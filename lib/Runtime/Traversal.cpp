//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Traversal.h"

#include "Runtime/Pack.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::LoopNest;

/// Rows of this many elements are mostly computed by whole steps of the loop;
/// its tail and the call add little.
static constexpr std::int64_t LongRow = 128;
/// So few short rows that a better traversal would save less than it takes to
/// choose one.
static constexpr std::int64_t FewRows = 16;
/// The least row that is worth a call of the loop for a transposed input.
static constexpr std::int64_t BlockRow = 16;
/// Copies stay in the first-level cache, beside the outputs computed from them.
static constexpr std::int64_t CopyBytes = 32 * 1024;
static constexpr std::int64_t MostElements = 2048;
static constexpr std::int64_t CacheLine = 64;
/// Blocks are larger: each column is on a page of its own, of which several
/// lines should be used.
static constexpr std::int64_t BlockBytes = 64 * 1024;
static constexpr std::int64_t BlockRun = 4 * CacheLine;

/// Whether a slot's elements along the axes from `axis` on are contiguous.
static bool isDense(const LoopNest &nest, std::size_t slot, unsigned axis) {
  std::int64_t step = nest.size(slot);
  for (unsigned inner = nest.rank(); inner-- > axis;) {
    if (nest.stride(slot, inner) != step)
      return false;
    step *= nest.extent(inner);
  }
  return true;
}

/// Whether a slot is constant along the axes from `axis` on.
static bool isConstant(const LoopNest &nest, std::size_t slot, unsigned axis) {
  while (axis < nest.rank())
    if (nest.stride(slot, axis++) != 0)
      return false;
  return true;
}

/// Whether a slot takes longer steps along the innermost axis than along
/// `axis`.
static bool isTransposed(const LoopNest &nest, std::size_t slot,
                         unsigned axis) {
  const std::int64_t step = std::abs(nest.stride(slot, axis));
  return step > 0 && step < std::abs(nest.stride(slot, nest.rank() - 1));
}

/// The axis of a slot's shortest steps, if its innermost ones are longer;
/// otherwise the rank.
static unsigned transposedAxis(const LoopNest &nest, std::size_t slot) {
  unsigned found = nest.rank();
  for (unsigned axis = 0; axis + 1 < nest.rank(); ++axis)
    if (isTransposed(nest, slot, axis) &&
        (found == nest.rank() || std::abs(nest.stride(slot, axis)) <
                                     std::abs(nest.stride(slot, found))))
      found = axis;
  return found;
}

/// The tile size that divides an axis evenly: at most `most`, and if possible a
/// multiple of `multiple`.
static std::int64_t tileSize(std::int64_t extent, std::int64_t most,
                             std::int64_t multiple) {
  if (extent <= most)
    return extent;
  const std::int64_t pieces = (extent + most - 1) / most;
  const std::int64_t even = (extent + pieces - 1) / pieces;
  const std::int64_t rounded = (even + multiple - 1) / multiple * multiple;
  return rounded <= most ? rounded : std::max(even, most / multiple * multiple);
}

/// The most elements of a tile whose copies take so many bytes an element.
static std::int64_t capacityFor(std::int64_t bytes) {
  return std::clamp<std::int64_t>(CopyBytes / std::max<std::int64_t>(bytes, 1),
                                  LongRow, MostElements);
}

void Traversal::orderTiles(unsigned fastest) {
  tiledAxes = 0;
  const auto add = [this](unsigned axis) {
    if (box[axis] < nest->extent(axis))
      tiled[tiledAxes++] = static_cast<std::uint8_t>(axis);
  };
  for (unsigned axis = 0; axis < nest->rank(); ++axis)
    if (axis != fastest)
      add(axis);
  if (fastest < nest->rank())
    add(fastest);
}

std::int64_t Traversal::tiles() const {
  std::int64_t count = 1;
  for (unsigned i = 0; i < tiledAxes; ++i) {
    const unsigned axis = tiled[i];
    count *= (nest->extent(axis) + box[axis] - 1) / box[axis];
  }
  return count;
}

std::int64_t Traversal::elements() const {
  return std::accumulate(box, box + nest->rank(), std::int64_t{1},
                         std::multiplies<>());
}

std::int64_t Traversal::pitch(std::size_t slot) const {
  // An odd number of cache lines: powers of two would share few cache sets.
  const std::int64_t bytes = box[nest->rank() - 1] * nest->size(slot);
  return ((bytes + CacheLine - 1) / CacheLine | 1) * CacheLine;
}

std::int64_t Traversal::copyBytes(std::size_t slot) const {
  const std::int64_t bytes = chosen == Kind::Blocks
                                 ? box[rowsAlong] * pitch(slot)
                                 : elements() * nest->size(slot);
  // Whole lines, and one more so that copies do not begin at like addresses.
  return (bytes + PackSlack + CacheLine - 1) / CacheLine * CacheLine +
         CacheLine;
}

void Traversal::chooseRows() {
  chosen = Kind::Rows;
  const unsigned rank = nest->rank();
  for (unsigned axis = 0; axis < rank; ++axis)
    box[axis] = axis + 1 == rank ? nest->extent(axis) : 1;
  loopFrom = rank ? rank - 1 : 0;
  rowsAlong = rank;
  orderTiles(rank);
  for (std::size_t s = 0; s < nest->slots(); ++s) {
    patterns[s] = nest->pattern(s);
    packed[s] = false;
  }
}

void Traversal::chooseFlat(unsigned from, unsigned transposed) {
  chosen = Kind::Flat;
  std::int64_t bytes = 0;
  for (std::size_t s = outputs; s < nest->slots(); ++s)
    if (!isDense(*nest, s, from) && !isConstant(*nest, s, from))
      bytes += nest->size(s);
  const std::int64_t most = capacityFor(bytes);
  std::int64_t length = 1;
  unsigned axis = nest->rank();
  std::fill_n(box, axis, 1);
  const auto fits = [&](unsigned outer) {
    // A whole plane of a transposed input may take twice the memory.
    const std::int64_t limit = outer == transposed ? 2 * most : most;
    return length * nest->extent(outer) <= limit;
  };
  for (; axis > from && fits(axis - 1); --axis)
    length *= box[axis - 1] = nest->extent(axis - 1);
  if (axis > from && length * 2 <= most) {
    --axis;
    // Tiles of whole cache lines keep an aligned output aligned.
    const std::int64_t line =
        CacheLine / std::gcd(CacheLine, length * nest->size(0));
    box[axis] = tileSize(nest->extent(axis), most / length, line);
  }
  loopFrom = axis;
  orderTiles(nest->rank());
  for (std::size_t s = 0; s < nest->slots(); ++s) {
    const bool constant = isConstant(*nest, s, loopFrom);
    patterns[s] =
        constant ? AccessPattern::Constant : AccessPattern::Contiguous;
    packed[s] = !constant && !isDense(*nest, s, loopFrom);
  }
}

void Traversal::chooseBlocks(std::size_t lead, unsigned axis) {
  chosen = Kind::Blocks;
  const unsigned last = nest->rank() - 1;
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < nest->slots(); ++s) {
    patterns[s] = nest->pattern(s);
    packed[s] = s >= outputs && patterns[s] == AccessPattern::Strided &&
                isTransposed(*nest, s, axis);
    if (!packed[s])
      continue;
    patterns[s] = AccessPattern::Contiguous;
    bytes += nest->size(s);
  }
  std::fill_n(box, nest->rank(), 1);
  // Long runs in both directions: in the transposed input, and in all others.
  const std::int64_t run = BlockRun / nest->size(lead);
  box[axis] = tileSize(nest->extent(axis), run, run / 4);
  const std::int64_t length = BlockBytes / (bytes * box[axis]);
  box[last] =
      tileSize(nest->extent(last),
               std::clamp<std::int64_t>(length, CacheLine, 4 * BlockRun),
               CacheLine / nest->size(0));
  loopFrom = last;
  rowsAlong = axis;
  // Adjacent tiles along `axis` share pages, and cache lines of inputs that are
  // not aligned to these.
  orderTiles(axis);
}

void Traversal::choose(const LoopNest &of, std::size_t outputCount) {
  nest = &of;
  outputs = outputCount;
  chooseRows();
  const unsigned rank = nest->rank();
  if (rank < 2 || (nest->inner() < LongRow && tiles() <= FewRows))
    return;
  std::size_t lead = outputs;
  unsigned axis = rank;
  for (; lead < nest->slots(); ++lead) {
    axis = transposedAxis(*nest, lead);
    if (axis < rank)
      break;
  }
  if (nest->inner() < LongRow) {
    unsigned from = 0;
    for (std::size_t s = 0; s < outputs; ++s)
      while (!isDense(*nest, s, from) && from + 1 < rank)
        ++from;
    if (from + 1 < rank)
      chooseFlat(from, axis);
  }
  // Flat tiles without the axis would use one element of each cache line.
  const bool lacks = kind() == Kind::Rows || axis < loopFrom;
  if (axis < rank && lacks && nest->inner() >= BlockRow &&
      nest->extent(axis) * nest->size(lead) >= TransposeWidth)
    chooseBlocks(lead, axis);
}

void Cursor::move(unsigned axis, std::int64_t steps) {
  for (std::size_t s = 0; s < nest.slots(); ++s)
    pointers[s] =
        static_cast<char *>(pointers[s]) + steps * nest.stride(s, axis);
  at[axis] += steps;
}

void Cursor::seek(std::int64_t tile) {
  std::copy_n(first, nest.slots(), pointers);
  std::fill_n(at, nest.rank(), 0);
  for (unsigned i = traversal.tiledAxes; i-- > 0 && tile != 0;) {
    const unsigned axis = traversal.tiled[i];
    const std::int64_t step = traversal.box[axis];
    const std::int64_t count = (nest.extent(axis) + step - 1) / step;
    move(axis, tile % count * step);
    tile /= count;
  }
}

void Cursor::advance() {
  for (unsigned i = traversal.tiledAxes; i-- > 0;) {
    const unsigned axis = traversal.tiled[i];
    const std::int64_t step = traversal.box[axis];
    if (at[axis] + step < nest.extent(axis))
      return move(axis, step);
    move(axis, -at[axis]);
  }
}
