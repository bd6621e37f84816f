//===- Ulp/Order.h - Numbers of a type in their order -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_ORDER_H
#define KEXPR_TOOLS_ULP_ORDER_H

#include "kexpr/Tensor.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kexpr::tools {

/// `x` rounded to `type`, F32 or F64.
double roundTo(DType type, double x);

namespace detail {
template <class T> struct Order {
  using Place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static std::int64_t placeOf(T x) {
    const auto bits = std::bit_cast<Place>(x);
    return bits < 0 ? std::numeric_limits<Place>::min() - std::int64_t{bits} - 1
                    : bits;
  }
  static T at(std::int64_t place) {
    const auto bits = static_cast<Place>(
        place < 0 ? std::numeric_limits<Place>::min() - place - 1 : place);
    return std::bit_cast<T>(bits);
  }
};
} // namespace detail

/// The place of a number, which is no NaN, among all of its type: 0 for 0, -1
/// for -0, one more for the next.
inline std::int64_t placeOf(DType type, double x) {
  return type == DType::F32
             ? detail::Order<float>::placeOf(static_cast<float>(x))
             : detail::Order<double>::placeOf(x);
}

/// The number at that place.
inline double numberAt(DType type, std::int64_t place) {
  return type == DType::F32 ? detail::Order<float>::at(place)
                            : detail::Order<double>::at(place);
}

/// The number that many places further, infinity at most; NaN stays NaN.
inline double neighbour(DType type, double x, std::int64_t steps) {
  if (x != x)
    return x;
  const double infinity = std::numeric_limits<double>::infinity();
  return numberAt(type,
                  std::clamp(placeOf(type, x) + steps, placeOf(type, -infinity),
                             placeOf(type, infinity)));
}

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_ORDER_H
