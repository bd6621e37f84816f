//===- Runtime/BlockTree.h - States of the blocks of rows -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BLOCKTREE_H
#define KEXPR_RUNTIME_BLOCKTREE_H

#include "Ops/ReductionTable.h"

namespace kexpr::runtime {

/// Bytes of an element at most: what memory of states is counted in.
inline constexpr std::size_t Word = 8;

/// What follows a number below a power of two where bits are counted from the
/// highest: numbers are then in the order in which halves join. 0 after all.
template <class I> constexpr I reversedAfter(I number, I power) {
  I bit = power / 2;
  for (; number & bit; bit /= 2)
    number -= bit;
  return number + bit;
}

/// States of reductions of one kind for neighbouring blocks, each of which
/// joins the one before as soon as both are of as many blocks.
class BlockTree {
public:
  /// Of `width` states side by side; `memory` has room for `bytesFor` blocks.
  void open(const ops::ReductionLoops &of, std::size_t width,
            std::byte *memory);
  static std::size_t bytesFor(const ops::ReductionLoops &loops,
                              std::size_t width, std::int64_t blocks);

  /// Adds a block, or 2^level of them; parts of a state are `pitch` elements
  /// apart. A negative level is that of the last blocks, which are fewer.
  void push(const std::byte *states, std::size_t pitch, int level = 0);
  /// Adds so many blocks, whose states, of width 1, are in lanes.
  void pushRun(std::byte *states, std::size_t count);
  /// The states of all; parts are `width` elements apart.
  const std::byte *finish();
  /// Puts it, of width 1, where parts are `pitch` elements apart.
  void finishTo(std::byte *to, std::size_t pitch);

private:
  std::byte *slot(std::size_t index) const { return memory + index * bytes; }

  const ops::ReductionLoops *loops;
  std::size_t width, size, bytes;
  std::byte *memory;
  std::size_t height;
  std::int8_t levels[64];
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BLOCKTREE_H
