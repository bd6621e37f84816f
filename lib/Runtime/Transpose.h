//===- Runtime/Transpose.h - Columns of memory written as rows ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TRANSPOSE_H
#define KEXPR_RUNTIME_TRANSPOSE_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace kexpr::runtime {

/// Bytes of a side of the squares that are transposed in registers.
inline constexpr std::int64_t TransposeWidth = 16;

/// A matrix whose `columns` columns lie in memory as runs of `rows` elements,
/// `fromStep` bytes apart, and the copy whose rows do, `toStep` bytes apart.
struct Transposition {
  std::int64_t columns, rows;
  const char *from;
  std::int64_t fromStep;
  char *to;
  std::int64_t toStep;
  /// Bytes from here to the matrix that is transposed next; 0 for none. What
  /// it holds is fetched meanwhile: its lines are too far apart for a processor
  /// to foresee them.
  std::int64_t ahead = 0;
};

namespace detail {
template <class T> using Vector [[gnu::vector_size(TransposeWidth)]] = T;

/// The first (or, with `High`, second) halves of two vectors, element by
/// element in turns.
template <bool High, class T, int... I>
Vector<T> interleave(Vector<T> a, Vector<T> b,
                     std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I), start = High ? lanes / 2 : 0;
  return __builtin_shufflevector(a, b, (start + I / 2 + I % 2 * lanes)...);
}

template <class T>
[[gnu::always_inline]] inline void
transposeSquare(const char *from, std::int64_t fromStep, char *to,
                std::int64_t toStep) {
  constexpr int side = TransposeWidth / sizeof(T);
  using Lanes = std::make_integer_sequence<int, side>;
  Vector<T> lines[side], next[side];
  for (int i = 0; i < side; ++i)
    std::memcpy(&lines[i], from + i * fromStep, TransposeWidth);
  // Interleaving the halves of a list of lines log2(side) times transposes it.
  for (int done = 1; done < side; done *= 2) {
    for (int i = 0; i < side / 2; ++i) {
      next[2 * i] =
          interleave<false, T>(lines[i], lines[i + side / 2], Lanes());
      next[2 * i + 1] =
          interleave<true, T>(lines[i], lines[i + side / 2], Lanes());
    }
    std::copy_n(next, side, lines);
  }
  for (int i = 0; i < side; ++i)
    std::memcpy(to + i * toStep, &lines[i], TransposeWidth);
}
/// Fetches what lies `ahead` bytes behind each of `Count` lines. The address
/// may be any: it is a number here, as no object need be there.
template <std::int64_t Count>
void prefetch(const char *from, std::int64_t step, std::int64_t ahead) {
  auto address = reinterpret_cast<std::uintptr_t>(from) + ahead;
  for (std::int64_t i = 0; i < Count; ++i, address += step)
    __builtin_prefetch(reinterpret_cast<const void *>(address));
}
} // namespace detail

/// Transposes a matrix of at least one square in each direction. Squares at an
/// edge overlap their neighbours instead of ending beyond it.
template <class T> void transpose(Transposition matrix) {
  constexpr std::int64_t side = TransposeWidth / sizeof(T), line = 64;
  for (std::int64_t c = 0; c < matrix.columns; c += side) {
    const std::int64_t column = std::min(c, matrix.columns - side);
    const char *from = matrix.from + column * matrix.fromStep;
    char *to = matrix.to + column * sizeof(T);
    // Along the columns: all of a cache line while it is there.
    const auto square = [=](std::int64_t row) {
      if (matrix.ahead != 0 && row * sizeof(T) % line == 0)
        detail::prefetch<side>(from + row * sizeof(T), matrix.fromStep,
                               matrix.ahead);
      detail::transposeSquare<T>(from + row * sizeof(T), matrix.fromStep,
                                 to + row * matrix.toStep, matrix.toStep);
    };
    std::int64_t row = 0;
    for (; row + side <= matrix.rows; row += side)
      square(row);
    if (row < matrix.rows)
      square(matrix.rows - side);
  }
}

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TRANSPOSE_H
