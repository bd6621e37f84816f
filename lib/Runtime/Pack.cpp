//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Pack.h"

#include "kexpr/Tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// A column-major matrix whose columns of `rows` elements are `fromStep` bytes
/// apart, and its row-major copy whose rows are `toStep` bytes apart.
struct Transposition {
  std::int64_t columns, rows;
  const char *from;
  std::int64_t fromStep;
  char *to;
  std::int64_t toStep;
  /// Bytes from here to the matrix that is transposed next; 0 for none. It is
  /// fetched meanwhile: its lines are too far apart for hardware prefetchers.
  std::int64_t ahead = 0;
};

template <class T> using Vector16 [[gnu::vector_size(TransposeWidth)]] = T;

/// The first (or, with `High`, second) halves of two vectors, element by
/// element in turns.
template <bool High, class T, int... I>
Vector16<T> interleave(Vector16<T> a, Vector16<T> b,
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
  Vector16<T> lines[side], next[side];
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
        prefetch<side>(from + row * sizeof(T), matrix.fromStep, matrix.ahead);
      transposeSquare<T>(from + row * sizeof(T), matrix.fromStep,
                         to + row * matrix.toStep, matrix.toStep);
    };
    std::int64_t row = 0;
    for (; row + side <= matrix.rows; row += side)
      square(row);
    if (row < matrix.rows)
      square(matrix.rows - side);
  }
}

/// The innermost three axes of a box.
struct Box3D {
  PackAxis plane, row, column;

  /// Calls `visit(to, from)` for every row, in the order of the copy.
  template <class F>
  void forEachRow(const char *from, char *to, F visit) const {
    // Copies, since a compiler must assume that writes change this object.
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
void splatVectors(const Box3D &box, const char *from, char *to) {
  using Vector = Vector16<T>;
  constexpr std::int64_t width = sizeof(Vector);
  const std::int64_t bytes =
      Count ? Count * width : box.column.count * std::int64_t{sizeof(T)};
  box.forEachRow(from, to, [=](char *row, const char *element) {
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
  using Vector = Vector16<T>;
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
void splatNeighbours(Box3D box, const char *from, char *to) {
  constexpr std::int64_t lanes = 16 / sizeof(T), rowBytes = Count * sizeof(T);
  for (std::int64_t p = 0; p < box.plane.count; ++p) {
    const char *source = from + p * box.plane.from;
    char *target = to + p * box.plane.to;
    std::int64_t left = box.row.count;
    for (; left >= lanes; left -= lanes) {
      spread<T, Count>(target, source,
                       std::make_integer_sequence<int, int{lanes}>());
      source += lanes * sizeof(T);
      target += lanes * rowBytes;
    }
    const Box3D rest{{1, 0, 0}, {left, sizeof(T), rowBytes}, box.column};
    splatVectors<T, 1>(rest, source, target);
  }
}

template <class T>
void splatRows(const Box3D &box, const char *from, char *to) {
  const std::int64_t bytes = box.column.count * std::int64_t{sizeof(T)};
  if constexpr (sizeof(T) == 4) {
    const bool dense = box.row.from == 4 && box.row.to == bytes;
    if (dense && box.column.count == 2)
      return splatNeighbours<T, 2>(box, from, to);
    if (dense && box.column.count == 3)
      return splatNeighbours<T, 3>(box, from, to);
  }
  switch ((bytes + 15) / 16) {
  case 1:
    return splatVectors<T, 1>(box, from, to);
  case 2:
    return splatVectors<T, 2>(box, from, to);
  case 3:
    return splatVectors<T, 3>(box, from, to);
  case 4:
    return splatVectors<T, 4>(box, from, to);
  default:
    return splatVectors<T, 0>(box, from, to);
  }
}

/// Copies rows of `bytes` bytes by two moves of `Chunk` bytes each, the largest
/// power of two that is at most `bytes`.
template <std::int64_t Chunk>
void copyRows(const Box3D &box, std::int64_t bytes, const char *from,
              char *to) {
  if (Chunk > 1 && bytes < Chunk)
    return copyRows<(Chunk + 1) / 2>(box, bytes, from, to);
  if constexpr (Chunk == 1)
    return box.forEachRow(
        from, to, [](char *row, const char *element) { *row = *element; });
  if (bytes > 2 * Chunk)
    return box.forEachRow(from, to, [=](char *row, const char *element) {
      std::memcpy(row, element, bytes);
    });
  box.forEachRow(from, to, [=](char *row, const char *element) {
    copyTwice<Chunk>(row, element, bytes);
  });
}

template <class T>
void gatherRows(const Box3D &box, const char *from, char *to) {
  const PackAxis column = box.column;
  box.forEachRow(from, to, [=](char *row, const char *element) {
    for (std::int64_t i = column.count; i > 0; --i) {
      std::memcpy(row, element, sizeof(T));
      row += sizeof(T);
      element += column.from;
    }
  });
}

/// Copies a box of elements of the size of T that are contiguous along the
/// columns of the copy; see `PackBox` for `ahead`.
template <class T>
void copyBox(const Box3D &box, const char *from, char *to, std::int64_t ahead) {
  PackAxis row = box.row;
  const PackAxis &column = box.column;
  constexpr std::int64_t size = sizeof(T), square = TransposeWidth / size;
  if (column.from == 0)
    return splatRows<T>(box, from, to);
  if (column.from == size)
    return copyRows<64>(box, column.count * size, from, to);
  if (std::abs(row.from) != size || row.count < square || column.count < square)
    return gatherRows<T>(box, from, to);
  if (row.from < 0) {
    from += (row.count - 1) * row.from;
    to += (row.count - 1) * row.to;
    row = {row.count, size, -row.to};
  }
  for (std::int64_t p = 0; p < box.plane.count; ++p)
    transpose<T>({column.count, row.count, from + p * box.plane.from,
                  column.from, to + p * box.plane.to, row.to, ahead});
}
} // namespace

/// Repeats the first `bytes` bytes until there are `count` copies of them, by
/// copies of doubling length.
static void repeat(char *to, std::int64_t bytes, std::int64_t count) {
  const std::int64_t all = bytes * count;
  for (std::int64_t done = bytes; done < all;) {
    const std::int64_t some = std::min(done, all - done);
    std::memcpy(to + done, to, some);
    done += some;
  }
}

namespace {
/// Copies a box, whose axes are merged where that is possible.
class Packer {
public:
  explicit Packer(const PackBox &box);
  template <class T> void run(const char *from, char *to) const {
    along<T>(0, from, to);
  }

private:
  void pairTransposed();
  bool repeats(unsigned axis) const;
  Box3D innermost(unsigned axis) const;
  template <class T>
  void along(unsigned axis, const char *from, char *to) const;

  unsigned count = 0;
  /// The first of the axes, three at most, that `copyBox` copies.
  unsigned boxFrom = 0;
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
  // The last axis is the contiguous one of the copy; it may have one element.
  if (count == 0 || axes[count - 1].to != size)
    axes[count++] = {1, size, size};
  pairTransposed();
  boxFrom = count - 1;
  while (boxFrom > 0 && boxFrom + 3 > count && !repeats(boxFrom - 1))
    --boxFrom;
}

/// Where the operand is strided along the last axis, the axis of its shortest
/// steps becomes the last but one, so that a cache line is used as a whole.
void Packer::pairTransposed() {
  const std::int64_t step = axes[count - 1].from;
  if (step == 0 || step == size)
    return;
  unsigned shortest = count - 1;
  for (unsigned axis = 0; axis + 1 < count; ++axis)
    if (axes[axis].from != 0 &&
        std::abs(axes[axis].from) < std::abs(axes[shortest].from))
      shortest = axis;
  if (shortest + 2 < count)
    std::rotate(axes + shortest, axes + shortest + 1, axes + count - 1);
}

/// Whether the operand is constant along this axis, and each step of it fills
/// all bytes up to the next, and enough of them to be copied from the first.
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

Box3D Packer::innermost(unsigned axis) const {
  constexpr PackAxis one{1, 0, 0};
  const unsigned left = count - axis;
  return {left > 2 ? axes[axis] : one, left > 1 ? axes[count - 2] : one,
          axes[count - 1]};
}

/// Copies the axes from `axis` on, at one position of the axes before.
template <class T>
void Packer::along(unsigned axis, const char *from, char *to) const {
  if (axis == boxFrom)
    return copyBox<T>(innermost(axis), from, to, ahead);
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
