//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Pack.h"

#include "Runtime/Brick.h"
#include "kexpr/Tensor.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;

/// Completes `count` equal pieces of `bytes` bytes, of which the first is
/// there, by copying ever larger parts.
static void repeat(char *to, std::int64_t bytes, std::int64_t count) {
  const std::int64_t all = bytes * count;
  for (std::int64_t done = bytes; done < all;) {
    const std::int64_t some = std::min(done, all - done);
    std::memcpy(to + done, to, some);
    done += some;
  }
}

namespace {
/// A box in the fewest axes.
class Packer {
public:
  explicit Packer(const PackBox &box);
  template <class T> void run(const char *from, char *to) const {
    along<T>(0, from, to);
  }

private:
  void pairTransposed();
  bool repeats(unsigned axis) const;
  Brick brickFrom(unsigned axis) const;
  template <class T>
  void along(unsigned axis, const char *from, char *to) const;

  unsigned count = 0;
  /// The first axis of the bricks.
  unsigned brick = 0;
  PackAxis axes[MaxRank + 1];
  /// Bytes of an element.
  std::int64_t size;
  std::int64_t ahead;
};
} // namespace

Packer::Packer(const PackBox &box) : size(box.size), ahead(box.ahead) {
  for (const PackAxis &axis : box.axes) {
    if (axis.count == 1)
      continue;
    PackAxis *last = count ? &axes[count - 1] : nullptr;
    if (last && last->from == axis.from * axis.count &&
        last->to == axis.to * axis.count)
      *last = {last->count * axis.count, axis.from, axis.to};
    else
      axes[count++] = axis;
  }
  // Columns are what the copy has side by side: one, where the last axis is of
  // one step.
  if (count == 0 || axes[count - 1].to != size)
    axes[count++] = {1, size, size};
  pairTransposed();
  brick = count - 1;
  while (brick > 0 && brick + 3 > count && !repeats(brick - 1))
    --brick;
}

/// Where neighbours in the copy are far apart in the operand, the axis whose
/// steps are the shortest there is put beside the last one, so that what one
/// cache line holds is used at once.
void Packer::pairTransposed() {
  const std::int64_t step = axes[count - 1].from;
  if (step == 0 || step == size)
    return;
  unsigned shortest = count - 1;
  for (unsigned axis = 0; axis + 1 < count; ++axis)
    if (axes[axis].from > 0 && axes[axis].from < axes[shortest].from)
      shortest = axis;
  if (shortest + 2 < count)
    std::rotate(axes + shortest, axes + shortest + 1, axes + count - 1);
}

/// Whether what lies behind one step of this axis is the same for all steps,
/// fills the bytes between two of them, and takes some work to make.
bool Packer::repeats(unsigned axis) const {
  constexpr std::int64_t enough = 64;
  std::int64_t bytes = size;
  for (unsigned inner = axis + 1; inner < count; ++inner) {
    if (axes[inner].to > axes[axis].to)
      return false;
    bytes *= axes[inner].count;
  }
  return axes[axis].from == 0 && bytes == axes[axis].to && bytes >= enough;
}

Brick Packer::brickFrom(unsigned axis) const {
  constexpr PackAxis one{1, 0, 0};
  const unsigned left = count - axis;
  return {left > 2 ? axes[axis] : one, left > 1 ? axes[count - 2] : one,
          axes[count - 1]};
}

/// Copies what lies at one position of all axes before `axis`.
template <class T>
void Packer::along(unsigned axis, const char *from, char *to) const {
  if (axis == brick)
    return copyBrick<T>(brickFrom(axis), from, to, ahead);
  const PackAxis &here = axes[axis];
  const bool once = repeats(axis);
  for (std::int64_t i = 0; i < (once ? 1 : here.count); ++i)
    along<T>(axis + 1, from + i * here.from, to + i * here.to);
  if (once)
    repeat(to, here.to, here.count);
}

void runtime::pack(const PackBox &box) {
  const Packer packer(box);
  switch (box.size) {
  case 1:
    return packer.run<std::uint8_t>(box.from, box.to);
  case 2:
    return packer.run<std::uint16_t>(box.from, box.to);
  case 4:
    return packer.run<std::uint32_t>(box.from, box.to);
  default:
    return packer.run<std::uint64_t>(box.from, box.to);
  }
}
