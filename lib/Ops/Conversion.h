//===- Ops/Conversion.h - From one element type to another ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conversions as formulas, with PyTorch's results. f16 and bf16 are no types
/// that formulas compute in: their elements are bit patterns that widen to f32,
/// exactly, and are rounded to nearest even from it.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_CONVERSION_H
#define KEXPR_OPS_CONVERSION_H

#include "Ops/Algebra/Value.h"
#include "kexpr/Tensor.h"

#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

namespace kexpr::ops {

/// Every element type.
inline constexpr DType AllTypes[] = {
    DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8,
    DType::U8,  DType::I16, DType::U16, DType::I32,  DType::U32,
    DType::I64, DType::U64, DType::Bool};

/// Where a type stands in `AllTypes`.
constexpr std::size_t positionOf(DType type) {
  std::size_t position = 0;
  while (position + 1 < std::size(AllTypes) && AllTypes[position] != type)
    ++position;
  return position;
}

/// The C++ type of an element; the bit pattern of an f16 or bf16.
template <DType D>
using Element = std::tuple_element_t<
    positionOf(D),
    std::tuple<float, double, std::uint16_t, std::uint16_t, std::int8_t,
               std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
               std::uint32_t, std::int64_t, std::uint64_t, bool>>;

/// `sizeOf`, when kexpr is compiled.
constexpr std::size_t bytesOf(DType type) {
  constexpr std::size_t bytes[] = {4, 8, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1};
  static_assert(std::size(bytes) == std::size(AllTypes));
  return bytes[positionOf(type)];
}

/// Calls `visit.template operator()<D>()` for the type.
template <class F> constexpr auto visitType(DType type, F visit) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using Result = decltype(visit.template operator()<DType::F32>());
    constexpr Result (*calls[])(F &) = {
        [](F &f) -> Result { return f.template operator()<AllTypes[I]>(); }...};
    return calls[positionOf(type)](visit);
  }
  (std::make_index_sequence<std::size(AllTypes)>{});
}

template <DType D>
inline constexpr bool isHalf = D == DType::F16 || D == DType::BF16;

/// The f32 of a bit pattern. A shift puts the parts of an f16 in their places;
/// the power of two then mends the exponent, of subnormal numbers too.
template <DType From, class V> auto widen(V pattern) {
  auto bits = pattern.template to<std::int32_t>();
  if constexpr (From == DType::BF16) {
    return (bits << 16).template bits<float>();
  } else {
    auto magnitude = bits & 0x7FFF;
    auto number = (magnitude << 13).template bits<float>() * 0x1p112f;
    auto special = ((magnitude << 13) | 0x7F800000).template bits<float>();
    auto sign = ((bits & 0x8000) << 16).template bits<float>();
    return copySign(select(magnitude >= 0x7C00, special, number), sign);
  }
}

/// Bits as they are before the last `dropped` are cut off: just under half of
/// the last place that stays is added, and the rest if that place is odd.
template <class V> V roundedBits(V bits, int dropped) {
  auto isOdd = shiftRightLogical(bits, dropped) & 1;
  return bits + ((1 << (dropped - 1)) - 1) + isOdd;
}

/// The bit pattern of an f32, rounded to nearest even.
template <DType To, class V> auto narrow(V number) {
  auto bits = number.template bits<std::int32_t>();
  if constexpr (To == DType::BF16) {
    // The sign goes along: what is carried ends in the exponent.
    auto pattern = shiftRightLogical(roundedBits(bits, 16), 16);
    return select(number != number, 0x7FC0, pattern)
        .template to<std::uint16_t>();
  } else {
    constexpr std::int32_t leastNormal = 0x38800000, overflow = 0x477FF000;
    auto magnitude = bits & 0x7FFFFFFF;
    auto normal = (roundedBits(magnitude, 13) - 0x38000000) >> 13;
    // One unit of 1/2 is the unit of the least f16.
    auto shifted = abs(number) + 0.5f;
    auto subnormal = shifted.template bits<std::int32_t>() - 0x3F000000;
    auto pattern = select(magnitude < leastNormal, subnormal, normal);
    pattern = select(magnitude >= overflow, 0x7C00, pattern);
    pattern = select(number != number, 0x7E00, pattern);
    auto sign = shiftRightLogical(bits ^ magnitude, 16);
    return (pattern | sign).template to<std::uint16_t>();
  }
}

/// Truncated towards zero. What does not fit, NaN too, is the least number of
/// i64, and of i32 otherwise, of which narrower types keep the low bits: what
/// x86 gives. u32 keeps those of i64.
template <class To, class V> auto truncateTo(V number) {
  constexpr bool isWide = sizeof(To) == 8 || std::is_same_v<To, std::uint32_t>;
  using Via = std::conditional_t<isWide, std::int64_t, std::int32_t>;
  using From = ElementOf<V>;
  constexpr From limit = -static_cast<From>(std::numeric_limits<Via>::min());
  // Doubles just below the least number of i32 are truncated to it.
  constexpr bool isFiner = sizeof(From) > sizeof(Via);
  auto isAbove = isFiner ? number > -limit - 1 : number >= -limit;
  auto whole = select(isAbove & (number < limit), number.template to<Via>(),
                      std::numeric_limits<Via>::min());
  return whole.template to<To>();
}

/// The same as u64, which i64 has the low half of: from 2^63 on the upper bit
/// is put aside. So 0 is what is too large, and 2^63 a NaN or what is too
/// small.
template <class V> auto truncateToU64(V number) {
  using From = ElementOf<V>;
  constexpr auto half = static_cast<From>(0x1p63);
  auto isUpper = number >= half;
  auto low = truncateTo<std::int64_t>(select(isUpper, number - half, number));
  auto bits = low.template bits<std::uint64_t>();
  return select(isUpper, bits ^ (std::uint64_t{1} << 63), bits);
}

constexpr bool isInteger(DType type) {
  constexpr DType first = DType::I8, last = DType::U64;
  return positionOf(type) >= positionOf(first) &&
         positionOf(type) <= positionOf(last);
}
/// The signed integers as wide as those of `type`; any other type is itself.
constexpr DType signedOf(DType type) {
  const std::size_t place = positionOf(type);
  const bool isUnsigned =
      isInteger(type) && (place - positionOf(DType::I8)) % 2;
  return isUnsigned ? AllTypes[place - 1] : type;
}
static_assert(signedOf(DType::U64) == DType::I64 &&
              signedOf(DType::I16) == DType::I16);

/// The types of a conversion that gives the bits of another: loops are made,
/// and code is emitted, for few of them.
constexpr std::pair<DType, DType> servingConversion(DType from, DType to) {
  if (isInteger(from)) {
    // Only what is made longer, or a float, has its sign looked at.
    const bool keepsLow = isInteger(to) && bytesOf(to) <= bytesOf(from);
    return {keepsLow || to == DType::Bool ? signedOf(from) : from,
            signedOf(to)};
  }
  const bool isLowOfI32 = to == DType::U8 || to == DType::U16;
  return {from, isLowOfI32 || from == DType::Bool ? signedOf(to) : to};
}

/// The element of type To that an element of type From is converted to.
template <DType From, DType To, class V> auto convertElement(V x) {
  using E = Element<To>;
  if constexpr (isHalf<From>)
    return convertElement<DType::F32, To>(widen<From>(x));
  else if constexpr (isHalf<To>)
    return narrow<To>(convertElement<From, DType::F32>(x));
  else if constexpr (From == To)
    return x;
  else if constexpr (To == DType::Bool)
    return x != 0;
  else if constexpr (std::is_floating_point_v<ElementOf<V>> &&
                     std::is_same_v<E, std::uint64_t>)
    return truncateToU64(x);
  else if constexpr (std::is_floating_point_v<ElementOf<V>> &&
                     std::is_integral_v<E>)
    return truncateTo<E>(x);
  else
    return x.template to<E>();
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_CONVERSION_H
