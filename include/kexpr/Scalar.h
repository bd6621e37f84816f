//===- kexpr/Scalar.h - Shapes and constants evaluated ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SCALAR_H
#define KEXPR_SCALAR_H

#include "kexpr/Error.h"
#include "kexpr/Export.h"
#include "kexpr/Expression.h"
#include "kexpr/Span.h"
#include "kexpr/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kexpr {
inline namespace v2 {

/// What an expression without elements comes to: a Python value.
struct Scalar {
  enum class Kind : std::uint8_t { None, Bool, Int, Float, Complex, List };

  Kind kind = Kind::None;
  std::int64_t integer = 0; ///< Int; Bool, as 0 or 1.
  double number = 0;        ///< Float; the real part of Complex.
  double imaginary = 0;     ///< Complex.
  std::vector<Scalar> elements = {};

  /// As it would be written in an expression: "[1,-1,56]", "0.5", "None".
  KEXPR_API std::string str() const;
};

/// Whether an expression needs no elements, so that `evaluate` can compute it:
/// operands stand inside `size` alone.
KEXPR_API bool isScalar(const Expression &expression);

/// The value of a constant or of shape arithmetic, such as
/// `[size(@0,0),-1,floor_divide(size(@0,2),2)]`; `shapes[k]` is the shape of
/// `@k`. Arithmetic is Python's: integers are exact, `div` gives a float. Lists
/// may nest and hold anything. No element is looked at: errors are operands
/// outside of `size`, shapes that are missing or have no such axis, integers
/// that leave 64 bits or are divided by 0, and what `Engine::compile` refuses
/// in a call, each with its range in the text.
KEXPR_API Expected<Scalar> evaluate(const Expression &expression,
                                    Span<const Shape> shapes = {});

} // namespace v2
} // namespace kexpr

#endif // KEXPR_SCALAR_H
