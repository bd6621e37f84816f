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

/// `result` for the x where a logarithm is finite, zero < x < inf; its limits
/// at both ends, and NaN elsewhere.
template <class V>
V logarithmEdges(V x, V result, std::type_identity_t<ElementOf<V>> zero = 0) {
  V low = select(x == zero, -Infinity<V>, x.like(NaN<V>));
  V high = select(x < Infinity<V>, result, x);
  return select(x > zero, high, low);
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_POLYNOMIAL_H
