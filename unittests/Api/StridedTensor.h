//===- StridedTensor.h - A tensor of any layout in guarded memory ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_STRIDEDTENSOR_H
#define KEXPR_UNITTESTS_API_STRIDEDTENSOR_H

#include "TestUtil/GuardedBytes.h"
#include "kexpr/Tensor.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace kexpr::test {

/// What no test writes.
inline constexpr char Untouched = 0x5b;

/// The offset, in elements, of what broadcasts to position `index` of `full`.
inline std::int64_t offsetOf(const Shape &shape, const Shape &strides,
                             const Shape &full, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t end = 1; end <= full.rank(); ++end) {
    const std::int64_t extent = full[full.rank() - end];
    if (end <= shape.rank() && shape[shape.rank() - end] != 1)
      offset += index % extent * strides[shape.rank() - end];
    index /= extent;
  }
  return offset;
}

/// Elements of a view that lie before its first one.
inline std::int64_t elementsBefore(const Shape &shape, const Shape &strides) {
  std::int64_t before = 0;
  for (std::size_t axis = 0; axis < shape.rank() && shape.elementCount();
       ++axis)
    if (strides[axis] < 0)
      before -= (shape[axis] - 1) * strides[axis];
  return before;
}

/// The element type that a C++ type is.
template <class T> inline constexpr DType typeOf = DType::F32;
template <> inline constexpr DType typeOf<double> = DType::F64;

/// A view over memory that ends, or begins, with it.
template <class T> class StridedTensor {
public:
  StridedTensor(std::mt19937 &random, const Shape &shape, const Shape &strides)
      : shape(shape), strides(strides), shift(random() % 3 == 0),
        first(shift + elementsBefore(shape, strides) * sizeof(T)),
        memory(bytes() + shift, random() % 2 ? GuardedBytes::Edge::Begin
                                             : GuardedBytes::Edge::End) {
    std::memset(memory.data(), Untouched, memory.size());
  }

  TensorView view() const {
    return {static_cast<void *>(memory.data() + first), typeOf<T>, shape,
            strides};
  }
  /// Where the element is that broadcasts to position `index` of `full`.
  char *at(const Shape &full, std::int64_t index) const {
    return memory.data() + first +
           offsetOf(shape, strides, full, index) * std::int64_t{sizeof(T)};
  }
  T get(const Shape &full, std::int64_t index) const {
    T value;
    std::memcpy(&value, at(full, index), sizeof value);
    return value;
  }
  /// Small whole numbers, so that no sum or product is rounded.
  void fill(std::mt19937 &random) {
    for (std::int64_t i = 0; i < shape.elementCount(); ++i) {
      const T value = static_cast<T>(random() % 61) - 30;
      std::memcpy(at(shape, i), &value, sizeof value);
    }
  }
  /// The bytes that no element of the view has.
  std::vector<char> gaps() const {
    std::vector<char> all(memory.data(), memory.data() + memory.size());
    for (std::int64_t i = 0; i < shape.elementCount(); ++i)
      std::memset(all.data() + (at(shape, i) - memory.data()), Untouched,
                  sizeof(T));
    return all;
  }

private:
  std::size_t bytes() const {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      last += (shape[axis] - 1) * std::abs(strides[axis]);
    return shape.elementCount() ? (last + 1) * sizeof(T) : 0;
  }

  Shape shape, strides;
  /// Bytes by which elements are off their alignment.
  std::size_t shift;
  /// The bytes before the first element.
  std::size_t first;
  GuardedBytes memory;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_STRIDEDTENSOR_H
