//===- ProgramMemory.h - Memory for the tensors of a program --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_PROGRAMMEMORY_H
#define KEXPR_UNITTESTS_API_PROGRAMMEMORY_H

#include "Api/ProgramFile.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kexpr::test {

/// Memory for one tensor with canaries around and between its elements, which
/// are `step` apart.
class Guarded {
public:
  Guarded(DType type, const Shape &shape, std::int64_t step)
      : type(type), shape(shape), strides(contiguousStrides(shape)),
        size(sizeOf(type)), step(step),
        memory(((shape.elementCount() * step) + 2 * GuardElements) * size,
               Canary) {
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      strides[axis] *= step;
  }

  TensorView view() {
    return {static_cast<void *>(memory.data() + GuardElements * size), type,
            shape, strides};
  }
  const unsigned char *at(std::int64_t element) const {
    return memory.data() + (GuardElements + element * step) * size;
  }
  bool intact() const {
    std::vector<unsigned char> copy = memory;
    for (std::int64_t i = 0; i < shape.elementCount(); ++i)
      std::memset(copy.data() + (at(i) - memory.data()), Canary, size);
    return copy == std::vector<unsigned char>(copy.size(), Canary);
  }

private:
  static constexpr std::int64_t GuardElements = 9;
  static constexpr unsigned char Canary = 0xCB;

  DType type;
  Shape shape, strides;
  std::size_t size;
  std::int64_t step;
  std::vector<unsigned char> memory;
};

/// The operands of a program in memory, at addresses of any alignment that
/// their types allow.
class Operands {
public:
  explicit Operands(const Program &program) {
    memory.reserve(program.operands.size());
    for (const ProgramOperand &operand : program.operands) {
      const std::size_t size = sizeOf(operand.type);
      const std::size_t offset = (program.line + memory.size()) % 4 * size;
      auto &bytes = memory.emplace_back(offset + operand.bytes.size() + 1);
      std::copy(operand.bytes.begin(), operand.bytes.end(),
                bytes.begin() + offset);
      views.emplace_back(static_cast<const void *>(bytes.data() + offset),
                         operand.type, operand.shape, operand.strides);
    }
  }
  Span<const TensorView> span() const { return views; }

private:
  std::vector<std::vector<unsigned char>> memory;
  std::vector<TensorView> views;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_PROGRAMMEMORY_H
