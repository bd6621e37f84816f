//===- Runtime/Traversal.h - Rows and tiles of a loop nest ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TRAVERSAL_H
#define KEXPR_RUNTIME_TRAVERSAL_H

#include "Semantics/Broadcast.h"

namespace kexpr::runtime {

/// How a loop nest is divided into calls of the compiled loop: by rows, or by
/// tiles that fit into the first-level cache, with packed copies of inputs
/// whose access pattern would be slow.
class Traversal {
public:
  enum class Kind : std::uint8_t {
    Rows,   ///< A call of the loop for each innermost row.
    Flat,   ///< A call for each tile of several axes, collapsed into one.
    Blocks, ///< A call for each row of a tile of two axes.
  };

  explicit Traversal(std::size_t slots) : patterns(slots), packed(slots) {}

  /// Chooses for a nest whose first `outputs` slots are written.
  void choose(const semantics::LoopNest &nest, std::size_t outputs);

  Kind kind() const { return chosen; }
  /// The access pattern of slot s, or of its copy if it has one.
  semantics::AccessPattern pattern(std::size_t slot) const {
    return patterns[slot];
  }
  /// Those of all slots.
  std::span<const semantics::AccessPattern> allPatterns() const {
    return {patterns.data(), patterns.size()};
  }
  /// Whether the loop reads a copy of slot s. Outputs have none, nor have
  /// inputs with the strides of an output.
  bool isPacked(std::size_t slot) const { return packed[slot]; }

  /// Elements of a tile along an axis; the last tile may have fewer. A row is a
  /// tile, too.
  std::int64_t extent(unsigned axis) const { return box[axis]; }
  /// The number of tiles.
  std::int64_t tiles() const;
  /// The first of the axes that one call of the loop covers.
  unsigned loopAxis() const { return loopFrom; }
  /// The axis of a tile's rows; the nest's rank if a tile is one row.
  unsigned rowAxis() const { return rowsAlong; }
  /// Bytes from one row of a tile to the next in copies of slot s.
  std::int64_t pitch(std::size_t slot) const;
  /// Bytes of a copy of slot s, with the slack that `pack` may write to.
  std::int64_t copyBytes(std::size_t slot) const;

private:
  friend class Cursor;

  void chooseRows();
  void chooseFlat(unsigned from, unsigned transposed);
  void chooseBlocks(std::size_t lead, unsigned axis);
  std::int64_t elements() const;
  void orderTiles(unsigned fastest);

  const semantics::LoopNest *nest = nullptr;
  Kind chosen = Kind::Rows;
  std::size_t outputs = 0;
  unsigned loopFrom = 0;
  unsigned rowsAlong = 0;
  std::int64_t box[MaxRank];
  /// The axes along which there is more than one tile, slowest first.
  unsigned tiledAxes = 0;
  std::uint8_t tiled[MaxRank];
  InlineBuffer<semantics::AccessPattern, 16> patterns;
  InlineBuffer<bool, 16> packed;
};

/// Iterates over tiles.
class Cursor {
public:
  /// Keeps `pointers` at the first elements of the current tile, for slots
  /// whose first elements are at `first`.
  Cursor(const semantics::LoopNest &nest, const Traversal &traversal,
         void *const *first, void **pointers)
      : nest(nest), traversal(traversal), first(first), pointers(pointers) {}

  /// Goes to a tile.
  void seek(std::int64_t tile);
  /// Goes to the next tile; after the last comes the first.
  void advance();
  /// Elements of the current tile along an axis.
  std::int64_t extent(unsigned axis) const {
    return std::min(traversal.box[axis], nest.extent(axis) - at[axis]);
  }

private:
  void move(unsigned axis, std::int64_t steps);

  const semantics::LoopNest &nest;
  const Traversal &traversal;
  void *const *first;
  void **pointers;
  /// The position of the tile's first element.
  std::int64_t at[MaxRank] = {};
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TRAVERSAL_H
