//===- Semantics/Number.h - Numbers that no element is needed for ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Literals, sizes, and what is computed from them: numbers that are known
/// before the loop runs. They follow Python: integers are exact, real numbers
/// are doubles, and both are rounded once, where they meet an operand.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_NUMBER_H
#define KEXPR_SEMANTICS_NUMBER_H

#include "Ops/Table.h"
#include "kexpr/Error.h"
#include "kexpr/Expression.h"
#include "kexpr/Tensor.h"

#include <span>
#include <string>

namespace kexpr::semantics {

struct Number {
  /// An Unsigned one is an integer from 2^63 to 2^64 - 1.
  enum class Kind : std::uint8_t { Bool, Int, Real, Unsigned };
  Kind kind = Kind::Int;
  std::int64_t integer = 0; ///< Bool, Int; the bits of an Unsigned one.
  double real = 0;          ///< Real.

  double asReal() const {
    return kind == Kind::Real ? real
           : kind == Kind::Unsigned
               ? static_cast<double>(static_cast<std::uint64_t>(integer))
               : static_cast<double>(integer);
  }
  bool isWhole() const { return kind == Kind::Int || kind == Kind::Unsigned; }
  /// The type that it counts as in promotion.
  DType type() const;
  /// The bits of an element of `to` with its value: rounded, or wrapped.
  std::uint64_t bitsAs(DType to) const;
  /// As an expression spells it.
  std::string str() const;
};

constexpr Number realNumber(double real) {
  return {.kind = Number::Kind::Real, .real = real};
}
/// The number that the bits of an element stand for.
Number numberFrom(std::uint64_t bits, DType type);
/// The number of a literal: an Integer, Unsigned, Float or Bool node.
Number numberOf(const Node &node);
/// What kind of number an operator gives for arguments of these kinds.
Number::Kind callKind(ops::OpId op, std::span<const Number> args);
/// An operator over numbers, as many as it or its overload takes. Integer
/// overflow of 64 bits and division by 0 are errors; integers whose result is
/// no integer, as of `pow(2,-1)`, give a real number. Unsigned ones are in no
/// arithmetic of integers but as `-(2^63)`.
Expected<Number> callNumber(ops::OpId op, std::span<const Number> args);
/// An operator over numbers of a type, which are rounded to it before, as the
/// elements of arrays are; the result is one of it, or a truth value.
Expected<Number> callAs(DType type, ops::OpId op, std::span<const Number> args);
/// What argument `place` of a call is where it is left out; `type` is that of
/// the first, which it does not widen.
Number defaultArgument(const ops::OpEntry &entry, std::size_t place,
                       DType type);
/// A whole number as a limit of the integers of a type: the nearest of them. An
/// error where none is within it, as for a least one above them all.
Expected<Number> limitAs(DType type, const Number &number, bool isLeast);
/// A number as one of `type`, by the rules of elements.
Number castNumber(const Number &number, DType type);
/// The same for a cast in an expression: casting a real number outside 64 bits
/// to an integer is an error.
Expected<Number> callCast(DType type, const Number &number);

/// A view of the shapes of operands, wherever they are stored.
struct Shapes {
  const void *context = nullptr;
  std::size_t count = 0;
  const Shape &(*at)(const void *context, std::size_t operand) = nullptr;

  const Shape &operator[](std::size_t operand) const {
    return at(context, operand);
  }
};

/// The extent of an axis of operand `operand`; negative axes count from the
/// end.
Expected<Number> sizeNumber(const Shapes &shapes, std::uint32_t operand,
                            const Number &axis);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_NUMBER_H
