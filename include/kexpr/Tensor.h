//===- kexpr/Tensor.h - Element types, shapes and views ---------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TENSOR_H
#define KEXPR_TENSOR_H

#include "kexpr/Error.h"
#include "kexpr/Span.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace kexpr {
inline namespace v2 {

/// Element types, named as PNNX names them, which has none of the last three.
/// Values are stable.
enum class DType : std::uint8_t {
  F32 = 1,
  F64 = 2,
  F16 = 3,
  I32 = 4,
  I64 = 5,
  I16 = 6,
  I8 = 7,
  U8 = 8,
  Bool = 9,
  BF16 = 13,
  U16 = 14,
  U32 = 15,
  U64 = 16,
};

/// Bytes of one element; 0 for a value that is no element type.
KEXPR_API std::size_t sizeOf(DType type);
/// "f32", "bool"...; "?" for a value that is no element type.
KEXPR_API std::string_view nameOf(DType type);
/// The type of that name, or an error that lists the names.
KEXPR_API Expected<DType> parseDType(std::string_view name);

/// Axes at most; PNNX files need 5.
inline constexpr std::size_t MaxRank = 16;

/// The extents (or strides) of a tensor, outermost first. Rank 0 is a scalar.
class Shape {
public:
  Shape() = default;
  /// A list longer than `MaxRank` gives a shape whose `valid()` is false.
  Shape(std::initializer_list<std::int64_t> list)
      : Shape(list.begin(), list.size()) {}
  Shape(const std::int64_t *extents, std::size_t rank)
      : count(static_cast<std::uint32_t>(std::min(rank, MaxRank + 1))) {
    for (std::size_t axis = 0; axis < this->rank(); ++axis)
      values[axis] = extents[axis];
  }
  Shape(const Shape &other) { *this = other; }
  Shape &operator=(const Shape &other) {
    count = other.count;
    std::copy_n(other.values, rank(), values);
    return *this;
  }

  bool valid() const { return count <= MaxRank; }
  std::size_t rank() const { return std::min<std::size_t>(count, MaxRank); }
  std::int64_t operator[](std::size_t axis) const { return values[axis]; }
  std::int64_t &operator[](std::size_t axis) { return values[axis]; }
  const std::int64_t *begin() const { return values; }
  const std::int64_t *end() const { return values + rank(); }

  /// The product of the extents, 1 for rank 0; -1 if an extent is negative or
  /// the product passes 2^62.
  KEXPR_API std::int64_t elementCount() const;
  /// "[3,224,224]"; "[]" for rank 0.
  KEXPR_API std::string str() const;

  friend bool operator==(const Shape &a, const Shape &b) {
    if (a.count != b.count)
      return false;
    for (std::size_t axis = 0; axis < a.rank(); ++axis)
      if (a[axis] != b[axis])
        return false;
    return true;
  }
  friend bool operator!=(const Shape &a, const Shape &b) { return !(a == b); }

private:
  std::uint32_t count = 0;
  std::int64_t values[MaxRank];
};

/// Row-major strides of `shape`, in elements.
KEXPR_API Shape contiguousStrides(const Shape &shape);

/// A tensor that somebody else owns: where its first element is, its element
/// type, its shape and its strides in elements. A stride may be negative: the
/// elements then lie before the first one. A stride of 0 is allowed on inputs
/// only. The memory must stay valid for the length of a call. A default-made
/// view is empty: it stands for an operand that the expression does not use.
class TensorView {
public:
  TensorView() = default;
  /// Row-major, of any element type.
  TensorView(void *data, DType type, const Shape &shape)
      : TensorView(data, type, shape, contiguousStrides(shape)) {}
  TensorView(void *data, DType type, const Shape &shape, const Shape &strides)
      : base(data), elementType(type), filled(true), extents(shape),
        steps(strides) {}
  /// An input: kexpr never writes through a view passed as an input.
  TensorView(const void *data, DType type, const Shape &shape)
      : TensorView(const_cast<void *>(data), type, shape) {}
  TensorView(const void *data, DType type, const Shape &shape,
             const Shape &strides)
      : TensorView(const_cast<void *>(data), type, shape, strides) {}
  /// Row-major f32.
  TensorView(const float *data, const Shape &shape)
      : TensorView(static_cast<const void *>(data), DType::F32, shape) {}

  bool empty() const { return !filled; }
  void *data() const { return base; }
  DType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  /// In elements, one for each axis.
  const Shape &strides() const { return steps; }

private:
  // What every call looks at comes first, in one cache line.
  void *base = nullptr;
  DType elementType = DType::F32;
  bool filled = false;
  Shape extents;
  Shape steps;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_TENSOR_H
