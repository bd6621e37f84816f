//===- Runtime/Brick.h - The innermost axes of a box, copied --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BRICK_H
#define KEXPR_RUNTIME_BRICK_H

#include "Runtime/Pack.h"
#include "Runtime/Transpose.h"

#include <cstring>
#include <utility>

namespace kexpr::runtime {

/// The innermost three axes of a box.
struct Brick {
  PackAxis plane, row, column;

  /// Calls `visit(to, from)` for every row, in the order of the copy.
  template <class F>
  void forEachRow(const char *from, char *to, F visit) const {
    // Bytes that are written could be this object's, for all a compiler knows.
    const PackAxis planes = plane, rows = row;
    for (std::int64_t p = 0; p < planes.count; ++p) {
      const char *source = from + p * planes.from;
      char *target = to + p * planes.to;
      for (std::int64_t r = rows.count; r > 0; --r) {
        visit(target, source);
        source += rows.from;
        target += rows.to;
      }
    }
  }
};

namespace detail {
/// Copies `bytes` bytes, from one to two times a power of two, by two moves
/// that may meet in the middle: short copies without a branch on their length.
template <std::int64_t Chunk>
void copyTwice(char *to, const char *from, std::int64_t bytes) {
  char first[Chunk], last[Chunk];
  std::memcpy(first, from, Chunk);
  std::memcpy(last, from + bytes - Chunk, Chunk);
  std::memcpy(to, first, Chunk);
  std::memcpy(to + bytes - Chunk, last, Chunk);
}

/// Every row is one element over and over, in `Count` vectors (0: as many as it
/// takes). What they write beyond a row is written again by the next one.
template <class T, int Count>
void splatVectors(const Brick &brick, const char *from, char *to) {
  using Vector [[gnu::vector_size(16)]] = T;
  constexpr std::int64_t width = sizeof(Vector);
  const std::int64_t bytes =
      Count ? Count * width : brick.column.count * std::int64_t{sizeof(T)};
  brick.forEachRow(from, to, [=](char *row, const char *element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    const Vector vector = Vector{} + value;
    for (std::int64_t done = 0; done < bytes; done += width)
      std::memcpy(row + done, &vector, width);
  });
}

/// `Count` copies of each of as many neighbours as a vector holds, which are as
/// many vectors.
template <class T, int Count, int... Lane>
void spread(char *to, const char *from, std::integer_sequence<int, Lane...>) {
  using Vector [[gnu::vector_size(16)]] = T;
  constexpr int lanes = sizeof...(Lane);
  Vector source;
  std::memcpy(&source, from, sizeof source);
  const auto store = [&]<int Part>(std::integral_constant<int, Part>) {
    const Vector part = __builtin_shufflevector(
        source, source, ((Part * lanes + Lane) / Count)...);
    std::memcpy(to + Part * sizeof part, &part, sizeof part);
  };
  [&]<int... Part>(std::integer_sequence<int, Part...>) {
    (store(std::integral_constant<int, Part>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

/// Rows of `Count` elements, less than a vector, from neighbours in memory.
template <class T, int Count>
void splatNeighbours(Brick brick, const char *from, char *to) {
  constexpr std::int64_t lanes = 16 / sizeof(T), rowBytes = Count * sizeof(T);
  for (std::int64_t p = 0; p < brick.plane.count; ++p) {
    const char *source = from + p * brick.plane.from;
    char *target = to + p * brick.plane.to;
    std::int64_t left = brick.row.count;
    for (; left >= lanes; left -= lanes) {
      spread<T, Count>(target, source,
                       std::make_integer_sequence<int, int{lanes}>());
      source += lanes * sizeof(T);
      target += lanes * rowBytes;
    }
    const Brick rest{{1, 0, 0}, {left, sizeof(T), rowBytes}, brick.column};
    splatVectors<T, 1>(rest, source, target);
  }
}

template <class T>
void splatRows(const Brick &brick, const char *from, char *to) {
  const std::int64_t bytes = brick.column.count * std::int64_t{sizeof(T)};
  if constexpr (sizeof(T) == 4) {
    const bool dense = brick.row.from == 4 && brick.row.to == bytes;
    if (dense && brick.column.count == 2)
      return splatNeighbours<T, 2>(brick, from, to);
    if (dense && brick.column.count == 3)
      return splatNeighbours<T, 3>(brick, from, to);
  }
  switch ((bytes + 15) / 16) {
  case 1:
    return splatVectors<T, 1>(brick, from, to);
  case 2:
    return splatVectors<T, 2>(brick, from, to);
  case 3:
    return splatVectors<T, 3>(brick, from, to);
  case 4:
    return splatVectors<T, 4>(brick, from, to);
  default:
    return splatVectors<T, 0>(brick, from, to);
  }
}

inline void copyRows(const Brick &brick, std::int64_t bytes, const char *from,
                     char *to) {
  const auto each = [&](auto copy) { brick.forEachRow(from, to, copy); };
  if (bytes > 128)
    each([=](char *row, const char *element) {
      std::memcpy(row, element, bytes);
    });
  else if (bytes >= 64)
    each([=](char *row, const char *element) {
      copyTwice<64>(row, element, bytes);
    });
  else if (bytes >= 32)
    each([=](char *row, const char *element) {
      copyTwice<32>(row, element, bytes);
    });
  else if (bytes >= 16)
    each([=](char *row, const char *element) {
      copyTwice<16>(row, element, bytes);
    });
  else if (bytes >= 8)
    each([=](char *row, const char *element) {
      copyTwice<8>(row, element, bytes);
    });
  else if (bytes >= 4)
    each([=](char *row, const char *element) {
      copyTwice<4>(row, element, bytes);
    });
  else if (bytes >= 2)
    each([=](char *row, const char *element) {
      copyTwice<2>(row, element, bytes);
    });
  else
    each([](char *row, const char *element) { *row = *element; });
}

template <class T>
void gatherRows(const Brick &brick, const char *from, char *to) {
  const PackAxis column = brick.column;
  brick.forEachRow(from, to, [=](char *row, const char *element) {
    for (std::int64_t i = column.count; i > 0; --i) {
      std::memcpy(row, element, sizeof(T));
      row += sizeof(T);
      element += column.from;
    }
  });
}

} // namespace detail

/// Copies a brick of elements as large as a T, whose columns lie side by side
/// in the copy; see `PackBox` for the rest.
template <class T>
void copyBrick(const Brick &brick, const char *from, char *to,
               std::int64_t ahead) {
  const PackAxis &row = brick.row, &column = brick.column;
  constexpr std::int64_t size = sizeof(T), square = TransposeWidth / size;
  if (column.from == 0)
    return detail::splatRows<T>(brick, from, to);
  if (column.from == size)
    return detail::copyRows(brick, column.count * size, from, to);
  if (row.from != size || row.count < square || column.count < square)
    return detail::gatherRows<T>(brick, from, to);
  for (std::int64_t p = 0; p < brick.plane.count; ++p)
    transpose<T>({column.count, row.count, from + p * brick.plane.from,
                  column.from, to + p * brick.plane.to, row.to, ahead});
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BRICK_H
