//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Plain.h"

using namespace kexpr;
using namespace kexpr::runtime;

/// The elements of a row-major view with memory; -1 for another.
static std::int64_t countIfRowMajor(const TensorView &view, DType type) {
  const Shape &shape = view.shape(), &strides = view.strides();
  if (view.type() != type || !view.data() || !shape.valid() ||
      strides.rank() != shape.rank())
    return -1;
  // Far from where counting bytes could overflow.
  constexpr std::int64_t most = std::int64_t{1} << 48;
  std::int64_t count = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    if (strides[axis] != count || shape[axis] <= 0 || shape[axis] > most)
      return -1;
    count *= shape[axis];
    if (count > most)
      return -1;
  }
  return count;
}

/// Whether two views of so many elements are the same memory or have none in
/// common.
static bool isSameOrApart(const TensorView &input, const TensorView &output,
                          std::int64_t count) {
  const auto first = reinterpret_cast<std::uintptr_t>(input.data());
  const auto second = reinterpret_cast<std::uintptr_t>(output.data());
  const auto elements = static_cast<std::uintptr_t>(count);
  if (first == second)
    return input.type() == output.type();
  return first < second ? second - first >= elements * sizeOf(input.type())
                        : first - second >= elements * sizeOf(output.type());
}

std::int64_t runtime::countIfPlain(const Arguments &call,
                                   const Demands &demands) {
  if (call.outputs.size() != 1 || demands.outputs.size() != 1 ||
      !demands.shapes.empty() ||
      (!demands.operands.empty() &&
       demands.operands.back() >= call.inputs.count))
    return -1;
  const TensorView &output = call.outputs[0];
  const std::int64_t count = countIfRowMajor(output, demands.outputs[0]);
  if (count < 0)
    return -1;
  for (std::size_t i = 0; i < demands.operands.size(); ++i) {
    const TensorView &input = call.inputs[demands.operands[i]];
    if (input.type() != demands.types[i] || !input.data() ||
        input.shape() != output.shape() ||
        input.strides() != output.strides() ||
        !isSameOrApart(input, output, count))
      return -1;
  }
  return count;
}
