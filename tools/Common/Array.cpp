//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Array.h"

#include "Support/Text.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// bfloat16: the upper half of an f32.
struct BFloat16 {
  std::uint16_t bits;
  BFloat16(double value) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t toEven = 0x7fff + ((wide >> 16) & 1);
    bits = static_cast<std::uint16_t>(
        std::isnan(value) ? 0x7fc0 : (wide + toEven) >> 16);
  }
  explicit operator double() const {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
};
} // namespace

/// Calls `visit` with a value of the C++ type behind an element type.
template <class F> static void withType(DType type, F visit) {
  switch (type) {
  case DType::F32:
    return visit(float());
  case DType::F64:
    return visit(double());
  case DType::F16:
    return visit(_Float16());
  case DType::BF16:
    return visit(BFloat16(0));
  case DType::I64:
    return visit(std::int64_t());
  case DType::I32:
    return visit(std::int32_t());
  case DType::I16:
    return visit(std::int16_t());
  case DType::I8:
    return visit(std::int8_t());
  case DType::U8:
    return visit(std::uint8_t());
  case DType::U16:
    return visit(std::uint16_t());
  case DType::U32:
    return visit(std::uint32_t());
  case DType::U64:
    return visit(std::uint64_t());
  case DType::Bool:
    return visit(bool());
  }
}

/// `value` as a T; integers take the nearest value they have.
template <class T> static T convert(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (!(value > static_cast<double>(Limits::min())))
      return Limits::min();
    return value >= static_cast<double>(Limits::max()) ? Limits::max()
                                                       : static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

Expected<Array> Array::make(DType type, const Shape &shape) {
  const std::int64_t count = shape.elementCount();
  const auto size = static_cast<std::int64_t>(sizeOf(type));
  if (!shape.valid() || count < 0 ||
      count > std::numeric_limits<std::int64_t>::max() / 2 / size)
    return Error(ErrorCode::InvalidArgument,
                 concat("the shape ", shape.str(), " is impossible"));
  constexpr std::int64_t alignment = 64;
  const std::int64_t room =
      std::max<std::int64_t>((count * size + alignment - 1) / alignment, 1) *
      alignment;
  void *memory = std::aligned_alloc(alignment, static_cast<std::size_t>(room));
  if (!memory)
    return Error(ErrorCode::OutOfMemory,
                 concat("no memory for ", count * size, " bytes of shape ",
                        shape.str()));
  return Array(type, shape, memory);
}

void Array::makeColumnMajor() {
  std::int64_t step = 1;
  for (std::size_t axis = 0; axis < extents.rank(); ++axis) {
    steps[axis] = step;
    step *= extents[axis];
  }
}

double Array::at(std::int64_t index) const {
  std::int64_t offset = 0;
  for (std::size_t axis = extents.rank(); axis-- > 0;) {
    offset += index % extents[axis] * steps[axis];
    index /= extents[axis];
  }
  double result = 0;
  withType(elementType, [&](auto sample) {
    std::memcpy(&sample,
                static_cast<const char *>(data()) + offset * sizeof sample,
                sizeof sample);
    result = static_cast<double>(sample);
  });
  return result;
}

void Array::set(std::int64_t index, double value) {
  withType(elementType, [&](auto sample) {
    sample = convert<decltype(sample)>(value);
    std::memcpy(static_cast<char *>(data()) + index * sizeof sample, &sample,
                sizeof sample);
  });
}
