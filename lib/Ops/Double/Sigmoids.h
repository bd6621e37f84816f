//===- Ops/Double/Sigmoids.h - sigmoid, silu, softplus and mish in f64 ----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// e^x as a pair, v 2^n, leaves one division of pairs to each: what is below
/// 2^n would lose bits where the result is small, so the dividend is made of v,
/// and 2^n is multiplied to the quotient.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_DOUBLE_SIGMOIDS_H
#define KEXPR_OPS_DOUBLE_SIGMOIDS_H

#include "Ops/Double/Exponential.h"
#include "Ops/Double/Logarithm.h"

namespace kexpr::ops::f64 {

/// e^x / (1 + e^x); it is 1 in f64 from 37 on.
template <class D> D sigmoid(D x) {
  D clamped = atLeast(atMost(x + Tiny, 40), Vanishing);
  auto e = exponential(Pair<D>{clamped, x.like(0)});
  Pair<D> below = plus(e.besideOne(), x.like(1));
  return scale(quotient(e.value, below).high, e.shifted);
}

/// `result` with the sign of x; x itself above a limit, from where on nothing
/// else is in sight, and NaN at -inf.
template <class D> D activationEdges(D x, D result, double limit) {
  result = select(x <= limit, copySign(result, x), x);
  return select(x > -Infinity<D>, result, NaN<D>);
}

/// The product, rounded; nothing else is subnormal where it is.
template <class D> D timesOnce(Pair<D> a, D b) {
  return fma(a.high, b, a.low * b);
}

/// x e^x / (1 + e^x)
template <class D> D silu(D x) {
  D clamped = atLeast(atMost(x, 40), Vanishing);
  auto e = exponential(Pair<D>{clamped + Tiny, x.like(0)});
  Pair<D> below = plus(e.besideOne(), x.like(1));
  D result = timesOnce(quotient(e.value, below), abs(clamped));
  return activationEdges(x, scale(result, e.shifted), 40);
}

template <class D> D softplus(D x) {
  D clamped = atLeast(atMost(x + Tiny, 20), -760);
  D result = log1pExp(Pair<D>{clamped, x.like(0)}).high;
  return select(x <= 20, result, x);
}

/// tanh(log(1 + e)) is n / (n + 2) with n = e (e + 2), e = e^x.
template <class D> D mish(D x) {
  D clamped = atLeast(atMost(x, 25), Vanishing);
  auto e = exponential(Pair<D>{clamped + Tiny, x.like(0)});
  Pair<D> power = e.besideOne();
  Pair<D> more = plus(power, x.like(2));
  Pair<D> below = plus(product(power, more), x.like(2));
  D result = timesOnce(quotient(product(e.value, more), below), abs(clamped));
  return activationEdges(x, scale(result, e.shifted), 25);
}

} // namespace kexpr::ops::f64

#endif // KEXPR_OPS_DOUBLE_SIGMOIDS_H
