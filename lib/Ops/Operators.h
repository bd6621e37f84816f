//===- Ops/Operators.h - The list of all operators ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_OPERATORS_H
#define KEXPR_OPS_OPERATORS_H

#include "Ops/Arithmetic.h"
#include "Ops/Bitwise.h"
#include "Ops/Compare.h"
#include "Ops/Division.h"
#include "Ops/Exponential.h"
#include "Ops/Hyperbolic.h"
#include "Ops/KnownDivisor.h"
#include "Ops/Logarithm.h"
#include "Ops/Logic.h"
#include "Ops/Neural.h"
#include "Ops/Piecewise.h"
#include "Ops/Power.h"
#include "Ops/Rounding.h"
#include "Ops/Special.h"
#include "Ops/Trigonometry.h"

#include <utility>

namespace kexpr::ops {

template <class... Ops> struct OpList {
  static constexpr std::size_t size = sizeof...(Ops);
  /// Calls `visit.template operator()<Op>()` for each operator, in order.
  template <class F> static constexpr void forEach(F visit) {
    (visit.template operator()<Ops>(), ...);
  }
  /// This list and further operators.
  template <class... More> using With = OpList<Ops..., More...>;
};

/// Every operator that expressions name, in the order of `OpId` and of
/// docs/operators.md.
using Operators =
    OpList<Add, Sub, Mul, Div, Fmod, Remainder, FloorDivide, Maximum, Minimum,
           Neg, Abs, Sign, Floor, Ceil, Trunc, Round, Sin, Cos, Tan, Asin, Acos,
           Atan, Atan2, And, Or, Xor, BitwiseNot, ShiftLeft, ShiftRight, Equal,
           NotEqual, Less, LessEqual, Greater, GreaterEqual, LogicalAnd,
           LogicalOr, LogicalXor, LogicalNot, Where, Exp, Expm1, Log, Log1p,
           Log10, Pow, Square, Sqrt, Rsqrt, Reciprocal, Logaddexp, Sinh, Cosh,
           Tanh, Asinh, Acosh, Atanh, Erf, Sigmoid, Silu, Gelu, Relu, Hardswish,
           Hardsigmoid, Softplus, Mish, Elu, Selu, LeakyRelu, Clamp>;

/// These and the hidden ones, which no expression names.
using AllOperators =
    Operators::With<DivBy, MulAdd, ExpOf, ScaleBy, RoundToOdd>;

/// Op over values in an arithmetic: one of their type, or a mask where Op
/// compares.
template <class Op, Arithmetic A, class... V>
auto applyFormula(const V &...arguments) {
  if constexpr (A == Arithmetic::F32Accurate &&
                requires { Op::accurate(arguments...); })
    return Op::accurate(arguments...);
  else if constexpr (A == Arithmetic::F32Fast &&
                     requires { Op::fast(arguments...); })
    return Op::fast(arguments...);
  else
    return Op::formula(arguments...);
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_OPERATORS_H
