//===- Ops/Polynomial.h - Polynomials, clamps and edges -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small words that the transcendental formulas share. The coefficients they
/// are given are made by the scripts in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_POLYNOMIAL_H
#define KEXPR_OPS_POLYNOMIAL_H

#include "Ops/Algebra/Value.h"

#include <limits>

namespace kexpr::ops {

template <class V>
inline constexpr auto Infinity = std::numeric_limits<ElementOf<V>>::infinity();
template <class V>
inline constexpr auto NaN = std::numeric_limits<ElementOf<V>>::quiet_NaN();

/// c0 + x * (c1 + x * (c2 + ...)), one fma a term.
template <class V> V horner(V x, double c) {
  return x.like(static_cast<ElementOf<V>>(c));
}
template <class V, class... C> V horner(V x, double c0, double c1, C... c) {
  if constexpr (sizeof...(C) == 0)
    return fma(x, static_cast<ElementOf<V>>(c1), static_cast<ElementOf<V>>(c0))
        .named("poly");
  else
    return fma(x, horner(x, c1, c...), static_cast<ElementOf<V>>(c0))
        .named("poly");
}

/// The nearer end of a range for what lies outside; NaN stays NaN.
template <class V> V atLeast(V x, std::type_identity_t<ElementOf<V>> low) {
  return select(x < low, low, x);
}
template <class V> V atMost(V x, std::type_identity_t<ElementOf<V>> high) {
  return select(x > high, high, x);
}

/// Whether x is finite and of a magnitude above a limit: whether twice its
/// magnitude, as an unsigned integer less the first that is above, is below
/// what infinity leaves. Both sides are 2^31, or 2^63, off, as machines compare
/// with a sign, and complements, as they compare for greater.
template <class V>
typename V::Mask isBeyond(V x, std::type_identity_t<ElementOf<V>> limit) {
  using T = ElementOf<V>;
  using Unsigned = std::make_unsigned_t<IntOf<T>>;
  constexpr Unsigned half = Unsigned{1} << (sizeof(T) * 8 - 1);
  constexpr auto infinite =
      static_cast<Unsigned>(__builtin_bit_cast(Unsigned, Infinity<V>) * 2);
  const auto first =
      static_cast<Unsigned>(__builtin_bit_cast(Unsigned, limit) * 2 + 1);
  auto twice = x.template bits<IntOf<T>>() << 1;
  return twice.like(static_cast<IntOf<T>>(~(half - first))) - twice >
         static_cast<IntOf<T>>(~(half + infinite - first));
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_POLYNOMIAL_H
