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

/// What is run: the loop's code, the nest, and the pieces it is cut into.
struct TiledLoop {
  const Code &code;
  const semantics::LoopNest &nest;
  const Traversal &traversal;
  void *const *first; ///< Where every slot begins.
};

/// Computes the tiles [begin, end). `pointers` and `strides` are what the loop
/// is given; those of the nest's slots are set here. Copies are kept in a
/// buffer of the calling thread, which grows at most.
void runTiles(const TiledLoop &tiled, std::int64_t begin, std::int64_t end,
              void **pointers, std::int64_t *strides);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TILES_H
