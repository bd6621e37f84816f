//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Tensor.h"

#include "Support/Guarded.h"

using namespace kexpr;

namespace {
struct TypeEntry {
  DType type;
  std::string_view name;
  std::size_t size;
};
} // namespace

static constexpr TypeEntry Types[] = {
    {DType::F32, "f32", 4},   {DType::F64, "f64", 8}, {DType::F16, "f16", 2},
    {DType::BF16, "bf16", 2}, {DType::I64, "i64", 8}, {DType::I32, "i32", 4},
    {DType::I16, "i16", 2},   {DType::I8, "i8", 1},   {DType::U64, "u64", 8},
    {DType::U32, "u32", 4},   {DType::U16, "u16", 2}, {DType::U8, "u8", 1},
    {DType::Bool, "bool", 1},
};

std::size_t kexpr::sizeOf(DType type) {
  for (const TypeEntry &entry : Types)
    if (entry.type == type)
      return entry.size;
  return 0;
}

std::string_view kexpr::nameOf(DType type) {
  for (const TypeEntry &entry : Types)
    if (entry.type == type)
      return entry.name;
  return "?";
}

Expected<DType> kexpr::parseDType(std::string_view name) {
  return guarded([name]() -> Expected<DType> {
    std::string names;
    for (const TypeEntry &entry : Types) {
      if (entry.name == name)
        return entry.type;
      names += names.empty() ? "" : ", ";
      names += entry.name;
    }
    return Error(ErrorCode::InvalidArgument, "unknown element type '" +
                                                 std::string(name) +
                                                 "'; the types are " + names);
  });
}

std::int64_t Shape::elementCount() const {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (std::any_of(begin(), end(), [](std::int64_t e) { return e < 0; }))
    return -1;
  if (std::find(begin(), end(), 0) != end())
    return 0;
  std::int64_t count = 1;
  for (std::int64_t extent : *this)
    if (__builtin_mul_overflow(count, extent, &count) || count > most)
      return -1;
  return count;
}

std::string Shape::str() const {
  return guardedOr(std::string("[...]"), [this] {
    std::string text = "[";
    for (std::size_t axis = 0; axis < rank(); ++axis)
      text += (axis ? "," : "") + std::to_string(values[axis]);
    return text + "]";
  });
}

Shape kexpr::contiguousStrides(const Shape &shape) {
  Shape strides = shape;
  std::int64_t step = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    strides[axis] = step;
    // Shapes too large to exist are refused where they are used.
    if (__builtin_mul_overflow(step, shape[axis], &step))
      step = 0;
  }
  return strides;
}
