//===- Runtime/Tiles.h - Tiles computed one by one ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TILES_H
#define KEXPR_RUNTIME_TILES_H

#include "Runtime/Loop.h"
#include "Runtime/Traversal.h"

namespace kexpr::runtime {

/// An input that is copied, and what its copy holds.
struct TileCopy {
  std::size_t slot;
  char *memory;
  const void *from;
  std::int64_t rows, columns;
};

/// What memory a thread needs for calls of a kernel, had before the first task
/// so that tasks ask for none.
class TaskMemory {
public:
  /// `tensors` of the slots are tensors; `bytes` are enough for what a tile has
  /// copied. Of the calling thread.
  TaskMemory(std::size_t tensors, std::size_t slots, std::int64_t bytes);

  InlineBuffer<void *, 16> pointers;
  InlineBuffer<std::int64_t, 16> strides;
  /// Where the tile begins in every slot's own memory, and the next one does.
  InlineBuffer<void *, 16> own, coming;
  /// Bytes from one row of a tile to the next.
  InlineBuffer<std::int64_t, 16> rowSteps;
  InlineBuffer<TileCopy, 8> copies;
  /// For copies, aligned to a cache line. Calls that begin and end on the
  /// thread before this one goes on may have moved it.
  char *copied() const;

private:
  std::int64_t bytes;
};

/// What is run: the loop's code, the nest, and the pieces it is cut into.
struct TiledLoop {
  const Code &code;
  const semantics::LoopNest &nest;
  const Traversal &traversal;
  void *const *first; ///< Where every slot begins.
};

/// Bytes of the copies that one tile needs.
std::int64_t copyBytes(const semantics::LoopNest &nest,
                       const Traversal &traversal);

/// Computes the tiles [begin, end). `memory` has the parameters' pointers.
void runTiles(const TiledLoop &tiled, std::int64_t begin, std::int64_t end,
              TaskMemory &memory);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TILES_H
