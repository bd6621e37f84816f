//===- Ops/ExactSums.h - Sums that are rounded once -------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums and means at `Precision::Accurate`: a fixed-point number that is as
/// wide as all sums of a type (the small superaccumulator of R. M. Neal, Fast
/// exact summation using small and large superaccumulators, 2015). Additions
/// are exact, so that no order shows.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_EXACTSUMS_H
#define KEXPR_OPS_EXACTSUMS_H

#include "kexpr/Tensor.h"

#include <cstddef>
#include <cstdint>

namespace kexpr::ops {

/// Sums of elements of f32 or f64. A state is `words` integers: which elements
/// were not finite, as `NonFinite`, and the digits of the sum of the others,
/// lowest first, in units of the smallest subnormal. Digits have 32 bits; the
/// last one has the sign besides. So equal sums have equal states, and 0 is
/// that of no elements.
struct ExactSums {
  enum NonFinite : std::uint8_t { None = 0, Nan = 1, Plus = 2, Minus = 4 };
  static constexpr std::int64_t Digit = 0xffffffff;
  /// No state has more words.
  static constexpr unsigned MostWords = 69;

  /// For results of a floating-point type.
  static const ExactSums &of(DType result);

  /// Has a state take elements.
  void (*add)(std::size_t count, const void *elements, std::int64_t *state);
  /// Adds what a state holds to another one; false where that holds no such
  /// sum, as none of less than 2^63 elements is.
  bool merge(std::int64_t *state, const std::int64_t *other) const;
  /// The sum over a positive number, or NaN over 0: rounded to `result`, to
  /// nearest even, and stored as an element.
  void round(const std::int64_t *state, std::int64_t divisor, DType result,
             void *to) const;

  /// What `exactBlock` takes at most.
  static constexpr std::size_t MostOfBlock = 2048;

  DType element;  ///< F32 or F64.
  unsigned words; ///< Of a state.
  int unit;       ///< The exponent of the lowest digit.
};

/// Stores doubles whose exact sum is that of a block of elements, and says how
/// many, 3 at most: none of elements that are not finite or whose exponents are
/// too far apart.
using ExactBlockFn = unsigned (*)(std::size_t count, const void *elements,
                                  double *parts);
/// For elements of f32 or f64, for the best instruction set that this CPU has.
ExactBlockFn exactBlock(DType element);

} // namespace kexpr::ops

#endif // KEXPR_OPS_EXACTSUMS_H
