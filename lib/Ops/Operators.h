//===- Ops/Operators.h - The list of all operators ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_OPERATORS_H
#define KEXPR_OPS_OPERATORS_H

#include "Ops/Arithmetic.h"
#include "Ops/Binary.h"
#include "Ops/Bitwise.h"
#include "Ops/Classes.h"
#include "Ops/Compare.h"
#include "Ops/Division.h"
#include "Ops/Exponential.h"
#include "Ops/Hyperbolic.h"
#include "Ops/KnownDivisor.h"
#include "Ops/Logarithm.h"
#include "Ops/Logic.h"
#include "Ops/Neighbor.h"
#include "Ops/Neural.h"
#include "Ops/Piecewise.h"
#include "Ops/Power.h"
#include "Ops/Roots.h"
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
    OpList<Add, Sub, Mul, Div, Fmod, Remainder, FloorDivide, TruncDivide, Gcd,
           Lcm, Fma, Lerp, Maximum, Minimum, Fmax, Fmin, Neg, Abs, Sign, Floor,
           Ceil, Trunc, Round, Frac, Sin, Cos, Tan, Asin, Acos, Atan, Atan2,
           Deg2rad, Rad2deg, And, Or, Xor, BitwiseNot, ShiftLeft, ShiftRight,
           Popcount, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
           LogicalAnd, LogicalOr, LogicalXor, LogicalNot, Where, Isnan, Isinf,
           Isfinite, Isposinf, Isneginf, Signbit, Copysign, Nextafter,
           Heaviside, NanToNum, Exp, Exp2, Expm1, Ldexp, Log, Log1p, Log10,
           Log2, Xlogy, Logit, Pow, Square, Sqrt, Rsqrt, Cbrt, Hypot,
           Reciprocal, Logaddexp, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Erf,
           Erfc, Sigmoid, Silu, Gelu, Relu, Hardswish, Hardsigmoid, Softplus,
           Mish, Softsign, Elu, Celu, Selu, LeakyRelu, Clamp, Hardtanh,
           Threshold, Hardshrink, Softshrink>;

/// These and the hidden ones, which no expression names.
using AllOperators = Operators::With<DivBy, ExpOf, ExpBelow, ScaleBy, Log1pOf,
                                     RoundToOdd, NextafterF16, NextafterBF16>;

/// The arithmetic whose formula of Op serves another: of unsigned integers, for
/// an operator that does not look at signs, that of signed ones.
template <class Op, Arithmetic A>
inline constexpr Arithmetic servedBy = Op::info.isSignless ? signedOf(A) : A;

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
