//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Plain.h"

using namespace kexpr;
using namespace kexpr::runtime;

/// The elements of a row-major f32 view with memory; -1 for another.
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

/// Whether two views of so many bytes are the same memory or have none in
/// common.
static bool isSameOrApart(const void *a, const void *b, std::uintptr_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  // Unsigned differences: the one that would be negative is huge.
  return first == second ||
         (first - second >= bytes && second - first >= bytes);
}

std::int64_t runtime::countIfPlain(const Arguments &call) {
  if (call.outputs.size() != 1 ||
      (!call.used.empty() && call.used.back() >= call.inputs.count))
    return -1;
  const TensorView &output = call.outputs[0];
  const std::int64_t count = countIfRowMajor(output, call.type);
  if (count < 0)
    return -1;
  const auto bytes = static_cast<std::uintptr_t>(count) * sizeOf(call.type);
  for (std::uint32_t operand : call.used) {
    const TensorView &input = call.inputs[operand];
    if (input.type() != call.type || !input.data() ||
        input.shape() != output.shape() ||
        input.strides() != output.strides() ||
        !isSameOrApart(input.data(), output.data(), bytes))
      return -1;
  }
  return count;
}
