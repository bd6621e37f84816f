//===- Ops/Algebra/Scalar.h - Formulas read as one number -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The algebra of the interpreter: a value is one float, double, integer or
/// bool. It calls compiler builtins only, so that a loop over it vectorises.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ALGEBRA_SCALAR_H
#define KEXPR_OPS_ALGEBRA_SCALAR_H

#include "Ops/Algebra/Value.h"

#include <limits>

namespace kexpr::ops {

/// What the surrounding file is compiled for. The formulas are instantiated
/// once for each, under different names: the linker may merge equal names, and
/// an AVX2 body must not end up in the baseline's place.
enum class Isa { Baseline, Avx2 };

template <Isa I> struct ScalarAlgebra {
  template <class T> using Rep = T;

  template <class T, class U> static constexpr T constant(U, T c) { return c; }

  template <Prim P, class T> static T apply(T a) {
    if constexpr (P == Prim::Neg && std::is_integral_v<T>)
      return static_cast<T>(0 - bitsOf(a));
    else if constexpr (P == Prim::Neg)
      return -a;
    else if constexpr (P == Prim::Not && std::is_same_v<T, bool>)
      return !a;
    else if constexpr (P == Prim::Not)
      return static_cast<T>(~a);
    else
      return applyFloat<P>(a);
  }

  template <Prim P, class T> static T apply(T a, T b) {
    if constexpr (P == Prim::CopySign)
      return isSingle<T> ? __builtin_copysignf(a, b) : __builtin_copysign(a, b);
    else if constexpr (P == Prim::Div)
      return a / b;
    else if constexpr (std::is_floating_point_v<T>)
      return P == Prim::Add ? a + b : P == Prim::Sub ? a - b : a * b;
    else
      return applyInteger<P>(a, b);
  }

  template <Prim P, class T> static T apply(T a, T b, T c) {
    static_assert(P == Prim::Fma);
    return isSingle<T> ? __builtin_fmaf(a, b, c) : __builtin_fma(a, b, c);
  }

  template <Rel R, class T> static bool compare(T a, T b) {
    return R == Rel::Lt   ? a < b
           : R == Rel::Le ? a <= b
           : R == Rel::Gt ? a > b
           : R == Rel::Ge ? a >= b
           : R == Rel::Eq ? a == b
                          : a != b;
  }

  template <class T> static T select(bool mask, T a, T b) {
    return mask ? a : b;
  }

  template <class To, class From> static To convert(From a) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                  !std::is_same_v<To, bool>) {
      // Out of range is undefined in C++; the bound is exact in From.
      constexpr From limit = -static_cast<From>(std::numeric_limits<To>::min());
      return a >= -limit && a < limit ? static_cast<To>(a)
                                      : std::numeric_limits<To>::min();
    } else {
      return static_cast<To>(a);
    }
  }

  template <class To, class From> static To bitcast(From a) {
    return __builtin_bit_cast(To, a);
  }

  template <class T, int N>
  static T lookUp(IntOf<T> index, const T (&table)[N]) {
    return table[index & (N - 1)];
  }

  template <class Values, class F>
  static Values rarely(bool mask, Values fast, F slow) {
    return __builtin_expect(mask, 0) ? slow() : fast;
  }

private:
  template <class T> static constexpr bool isSingle = std::is_same_v<T, float>;

  /// Unsigned of the same width, where arithmetic wraps.
  template <class T> static constexpr auto bitsOf(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return static_cast<unsigned>(a);
    else
      return static_cast<std::make_unsigned_t<T>>(a);
  }

  template <Prim P, class T> static T applyFloat(T a) {
    if constexpr (P == Prim::Abs && isSingle<T>)
      return __builtin_fabsf(a);
    else if constexpr (P == Prim::Abs)
      return __builtin_fabs(a);
    else if constexpr (P == Prim::Sqrt)
      return isSingle<T> ? __builtin_sqrtf(a) : __builtin_sqrt(a);
    else if constexpr (P == Prim::Floor)
      return isSingle<T> ? __builtin_floorf(a) : __builtin_floor(a);
    else if constexpr (P == Prim::Ceil)
      return isSingle<T> ? __builtin_ceilf(a) : __builtin_ceil(a);
    else if constexpr (P == Prim::Trunc)
      return isSingle<T> ? __builtin_truncf(a) : __builtin_trunc(a);
    else {
      static_assert(P == Prim::RoundEven);
      return isSingle<T> ? __builtin_rintf(a) : __builtin_rint(a);
    }
  }

  template <Prim P, class T> static T applyInteger(T a, T b) {
    auto x = bitsOf(a), y = bitsOf(b);
    if constexpr (P == Prim::Add)
      return static_cast<T>(x + y);
    else if constexpr (P == Prim::Sub)
      return static_cast<T>(x - y);
    else if constexpr (P == Prim::Mul)
      return static_cast<T>(std::uint64_t{x} * y);
    else if constexpr (P == Prim::And)
      return static_cast<T>(x & y);
    else if constexpr (P == Prim::Or)
      return static_cast<T>(x | y);
    else if constexpr (P == Prim::Xor)
      return static_cast<T>(x ^ y);
    else if constexpr (P == Prim::Shl)
      return static_cast<T>(x << y);
    else if constexpr (P == Prim::ShrLogical)
      return static_cast<T>(x >> y);
    else {
      static_assert(P == Prim::ShrArithmetic);
      return static_cast<T>(a >> y);
    }
  }
};

/// One number of type T; the reading that tests use.
template <class T, Isa I = Isa::Baseline>
using Scalar = Value<ScalarAlgebra<I>, T>;

} // namespace kexpr::ops

#endif // KEXPR_OPS_ALGEBRA_SCALAR_H
