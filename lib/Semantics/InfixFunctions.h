//===- Semantics/InfixFunctions.h - Names of infix text -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a name means in infix text: NumPy's names, then those of the operator
/// table and of functions over axes.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_INFIXFUNCTIONS_H
#define KEXPR_SEMANTICS_INFIXFUNCTIONS_H

#include "Ops/Table.h"
#include "Semantics/RowFunctions.h"
#include "Syntax/Infix.h"

namespace kexpr::semantics {

/// Which type a function computes in under NumPy's rules, or what it is made
/// of.
enum class Typing : std::uint8_t {
  Common,  ///< What arguments promote to.
  NoBool,  ///< The same; bool is an error.
  Whole,   ///< The same; bool is i8.
  Rest,    ///< The same, and of floats 0 has the divisor's sign.
  Power,   ///< The same, and integers have no negative powers.
  Float,   ///< The least floating point type that holds them.
  Divide,  ///< f64 of integers and bools.
  Compare, ///< What they promote to; the result is bool.
  Bits,    ///< Integers and bools.
  Shift,   ///< Integers; bool is i8.
  Truth,   ///< Whether each argument is 0, by itself.
  Round,   ///< Integers and bools are themselves.
  Nearest, ///< The same; bool is f16.
  Inverse, ///< Floating point; integers are an error.
  Absolute,
  Sign,
  Positive,
  Where,
  Clip,
  Scale, ///< Of the first alone; the second is an integer.
  Degrees,
  Radians,
  Extreme, ///< `max` and `min`: a reduction.
};

struct InfixFunction {
  std::string_view name;
  std::string_view op; ///< The operator, or the reduction of an `Extreme`.
  Typing typing;
};

/// NumPy's function of that name, or what an operator of the table is there.
std::optional<InfixFunction> findInfixFunction(std::string_view name);
/// As many arguments as the other meaning of its operator takes; 0 if there is
/// none. Third arguments of `add` and `sub` are PNNX's alone.
unsigned longerArity(const InfixFunction &function, const ops::OpInfo &info);
/// The function that an operator stands for.
const InfixFunction &operationOf(syntax::InfixOperator op);
/// The type that `float32` or `int` converts to.
std::optional<DType> infixCast(std::string_view name);
/// The value of `pi`, `e`, `inf` or `nan`.
std::optional<double> infixConstant(std::string_view name);
/// What a name without arguments is.
syntax::NameKind kindOfName(std::string_view name);
/// The closest name of a function, for "did you mean"; empty if none is close.
std::string_view closestFunction(std::string_view name);

/// The parameters of a function over axes, as its signature has them.
std::vector<std::string_view> parametersOf(const RowFunction &function);
/// The parameter that a keyword of NumPy or PyTorch means.
std::string_view parameterFor(std::string_view keyword,
                              std::span<const std::string_view> parameters);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_INFIXFUNCTIONS_H
