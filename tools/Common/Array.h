//===- Common/Array.h - A tensor that owns its memory -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_ARRAY_H
#define KEXPR_TOOLS_COMMON_ARRAY_H

#include "kexpr/Tensor.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace kexpr::tools {

/// A tensor that owns its memory. Movable; the memory stays where it is.
class Array {
public:
  /// Row-major and uninitialised. Errors: InvalidArgument for an impossible
  /// shape, OutOfMemory.
  static Expected<Array> make(DType type, const Shape &shape);

  DType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  /// In elements, one for each axis.
  const Shape &strides() const { return steps; }
  std::int64_t count() const { return extents.elementCount(); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(count()) * sizeOf(elementType);
  }
  void *data() const { return memory.get(); }
  TensorView view() const { return {data(), elementType, extents, steps}; }

  /// Takes the elements to be in column-major order.
  void makeColumnMajor();

  /// Element `index` in row-major order, as a double.
  double at(std::int64_t index) const;
  /// Rounds `value` to the element type and stores it as element `index` in
  /// memory order.
  void set(std::int64_t index, double value);

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  Array(DType type, const Shape &shape, void *memory)
      : elementType(type), extents(shape), steps(contiguousStrides(shape)),
        memory(memory) {}

  DType elementType;
  Shape extents;
  Shape steps;
  std::unique_ptr<void, Free> memory;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_ARRAY_H
