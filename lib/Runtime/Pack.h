//===- Runtime/Pack.h - Boxes of operands, copied contiguously ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PACK_H
#define KEXPR_RUNTIME_PACK_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace kexpr::runtime {

/// One axis of a box: its steps, and the bytes that one of them moves by in
/// the operand and in the copy. In the operand it may be backwards.
struct PackAxis {
  std::int64_t count;
  std::int64_t from;
  std::int64_t to;
};

/// Bytes of a side of the squares that are transposed in registers.
inline constexpr std::int64_t TransposeWidth = 16;

/// Bytes behind a copy that `pack` may write to.
inline constexpr std::int64_t PackSlack = 16;

/// A box of elements of `size` bytes: 1, 2, 4 or 8. `axes` stand outermost
/// first, at most MaxRank of them, each with a count of 1 at least. In the copy
/// an axis steps over all of those behind it, and the last one steps by `size`.
struct PackBox {
  std::span<const PackAxis> axes;
  std::int64_t size;
  const char *from;
  char *to;
  /// Bytes from `from` to where the next box will begin; 0 for none. It is
  /// fetched into the cache meanwhile where that helps.
  std::int64_t ahead = 0;
};

/// Copies a box. Reads its elements and nothing else, at any address; some of
/// them more than once. Writes them, and up to `PackSlack` bytes behind each
/// run of the last axis.
void pack(const PackBox &box);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PACK_H
