//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/BlockTree.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;
using ops::ReductionLoops;

void BlockTree::open(const ReductionLoops &of, std::size_t count,
                     std::byte *at) {
  loops = &of;
  width = count;
  size = sizeOf(of.element);
  bytes = of.parts * width * Word;
  memory = at;
  height = 0;
}

std::size_t BlockTree::bytesFor(const ReductionLoops &loops, std::size_t width,
                                std::int64_t blocks) {
  const auto most =
      static_cast<std::uint64_t>(std::max<std::int64_t>(blocks, 1));
  // One of each size, and the one that is added.
  const std::size_t slots = static_cast<std::size_t>(std::bit_width(most)) + 1;
  return slots * loops.parts * width * Word;
}

void BlockTree::push(const std::byte *from, std::size_t pitch, int level) {
  std::byte *to = slot(height);
  for (std::size_t part = 0; part < loops->parts; ++part)
    std::memcpy(to + part * width * size, from + part * pitch * size,
                width * size);
  levels[height] = static_cast<std::int8_t>(level);
  for (; height > 0 && level >= 0 && levels[height - 1] == levels[height];
       --height) {
    loops->combine(width, slot(height - 1), width, slot(height), width);
    ++levels[height - 1];
  }
  ++height;
}

/// Puts a run's states where folding it by halves makes neighbours one.
template <std::size_t Size>
static void reverseBits(std::byte *states, std::size_t count) {
  for (std::size_t from = 0, to = 0; from < count;
       ++from, to = reversedAfter(to, count))
    if (from < to)
      std::swap_ranges(states + from * Size, states + (from + 1) * Size,
                       states + to * Size);
}

static void reverseBits(std::byte *states, std::size_t size,
                        std::size_t count) {
  switch (size) {
  case 8:
    return reverseBits<8>(states, count);
  case 4:
    return reverseBits<4>(states, count);
  case 2:
    return reverseBits<2>(states, count);
  default:
    assert(size == 1);
    return reverseBits<1>(states, count);
  }
}

void BlockTree::pushRun(std::byte *states, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    // As many as are a subtree here.
    auto level = static_cast<int>(std::bit_width(count - done)) - 1;
    if (height > 0)
      level = std::min<int>(level, levels[height - 1]);
    const std::size_t blocks = std::size_t{1} << level;
    for (std::size_t part = 0; part < loops->parts; ++part)
      reverseBits(states + part * ops::ReductionLanes * size, size, blocks);
    loops->fold(blocks, states);
    push(states, ops::ReductionLanes, level);
    states += blocks * size;
    done += blocks;
  }
}

const std::byte *BlockTree::finish() {
  for (; height > 1; --height)
    loops->combine(width, slot(height - 2), width, slot(height - 1), width);
  return memory;
}

void BlockTree::finishTo(std::byte *to, std::size_t pitch) {
  const std::byte *from = finish();
  for (std::size_t part = 0; part < loops->parts; ++part)
    std::memcpy(to + part * pitch * size, from + part * size, size);
}
