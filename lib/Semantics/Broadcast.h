//===- Semantics/Broadcast.h - Shapes to loops ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_BROADCAST_H
#define KEXPR_SEMANTICS_BROADCAST_H

#include "Semantics/Plan.h"
#include "Support/InlineBuffer.h"

#include <span>

namespace kexpr::semantics {

/// The operands of one call: every `step`-th of the views from `first` on, as
/// one item of a batch is laid out.
struct Operands {
  const TensorView *first = nullptr;
  std::size_t count = 0;
  std::size_t step = 1;
  const TensorView &operator[](std::size_t operand) const {
    return first[operand * step];
  }
};

/// The shape that the operands in `used` broadcast to, by PyTorch's rule:
/// aligned at the last axis, extents equal or 1. Errors name both shapes and
/// the axis.
Expected<Shape> broadcastShape(const Operands &operands,
                               std::span<const std::uint32_t> used);

/// The shape that two shapes broadcast to; none if they do not.
std::optional<Shape> joinedShape(const Shape &a, const Shape &b);

/// A tensor as a view sees it. Of what has an element of one class, the stride
/// along the second axis is that from class to class.
struct SeenShape {
  Shape shape, strides;
};
/// From its own shape and strides, and the shape of the tensor beside it.
Expected<SeenShape> seenBy(const Value &view, const Shape &shape,
                           const Shape &strides, const Shape &beside);

/// Which axes of so many a reduction is over, as bits. Errors name the axis.
Expected<std::uint32_t> axisMask(const AxisSet &set, std::size_t rank);
/// What a reduction over the axes of a mask leaves of a shape.
Shape reducedShape(const Shape &shape, std::uint32_t mask, bool stay);

/// The shapes of all values of a graph, for operands that were checked. Errors
/// name shapes or axes; `at` becomes the value that they are of.
Expected<std::vector<Shape>> shapesOf(const Graph &graph,
                                      const Operands &operands, ValueId &at);

/// Nested loops over the elements of an output, in the fewest axes: axes of
/// extent 1 are dropped, and axes that one stride a slot can traverse are
/// merged. Slots are the outputs, then the inputs. The innermost axis is the
/// last one. An axis along which the first output steps backwards is walked
/// from its other end.
class LoopNest {
public:
  explicit LoopNest(std::size_t slots)
      : slotCount(slots), base(slots), sizes(slots), step(slots * MaxRank),
        start(slots) {}

  /// Sets up the loops of `shape`. `slots[s]` views the s-th slot's memory; its
  /// shape broadcasts to `shape`.
  void build(const Shape &shape, std::span<const TensorView *const> slots);

  std::size_t slots() const { return slotCount; }
  unsigned rank() const { return axes; }
  std::int64_t extent(unsigned axis) const { return extents[axis]; }
  /// Elements of one innermost loop; 1 at rank 0.
  std::int64_t inner() const { return axes ? extents[axes - 1] : 1; }
  /// Bytes that slot s moves by in one step along an axis.
  std::int64_t stride(std::size_t slot, unsigned axis) const {
    return step[slot * MaxRank + axis];
  }
  /// The same of all slots, one for every `MaxRank`.
  const std::int64_t *strides(unsigned axis) const { return &step[axis]; }
  /// Bytes of an element of slot s.
  std::int64_t size(std::size_t slot) const { return sizes[slot]; }
  /// Address of the first element of slot s.
  void *first(std::size_t slot) const { return base[slot]; }
  /// These addresses for all slots.
  void *const *firsts() const { return base.data(); }
  /// Makes addresses of views' first elements those of the first elements that
  /// the loops visit: of other memory than the nest was built for.
  void moveToFirsts(void **pointers) const {
    if (isFlipped)
      flip(pointers);
  }
  /// How slot s moves along the innermost axis.
  AccessPattern pattern(std::size_t slot) const;

private:
  void flipAxes();
  void flip(void **pointers) const;
  void sortAxes();
  void mergeAxes();
  bool canMerge(unsigned outer, unsigned inner) const;

  std::size_t slotCount;
  unsigned axes = 0;
  bool isFlipped = false;
  std::int64_t extents[MaxRank];
  InlineBuffer<void *, 8> base;
  InlineBuffer<std::int64_t, 8> sizes;
  InlineBuffer<std::int64_t, 8 * MaxRank> step;
  /// Bytes from a view's first element to the first that is visited, if
  /// flipped.
  InlineBuffer<std::int64_t, 8> start;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_BROADCAST_H
