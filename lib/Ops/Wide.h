//===- Ops/Wide.h - Exponential and logarithm in double lanes -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What f32 formulas compute with where single precision would need tricks:
/// double lanes cost twice the work and leave 29 bits to spare, so that a short
/// polynomial and plain algebra give a nearly correctly rounded result. Ranges
/// are those that f32 arguments can lead to; nothing here handles overflow.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_WIDE_H
#define KEXPR_OPS_WIDE_H

#include "Ops/Polynomial.h"

namespace kexpr::ops::wide {

inline constexpr double Ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double Log2e = 0x1.71547652b82fep0;

/// x = n * ln 2 + r with |r| <= ln 2 / 2. `power` is n in the exponent field of
/// a double, ready to be added to the bits of another.
template <class D> struct Reduced {
  D r;
  typename D::template As<std::int64_t> power;
};

/// Needs |x| <= 700.
template <class D> Reduced<D> reduce(D x) {
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
  constexpr double shift = 0x1.8p52;
  D shifted = fma(x, Log2e, shift);
  D r = fma(shifted - shift, -Ln2, x);
  return {r, shifted.template bits<std::int64_t>() << 52};
}

/// x * 2^n, for results in the normal range.
template <class D, class I> D scale(D x, I power) {
  return (x.template bits<std::int64_t>() + power).template bits<double>();
}

/// (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2; error in exp below 2^-34.
template <class D> D expTail(D r) {
  D z = r * r;
  D low = fma(r, 0x1.555554435e8f9p-3, 0x1.0000003a1c652p-1);
  D middle = fma(r, 0x1.1112709543bedp-7, 0x1.55548dd4ed197p-5);
  D high = fma(r, 0x1.9f08a23d08308p-13, 0x1.6d8cf76ed3f9dp-10);
  return fma(z, fma(z, high, middle), low);
}

/// The same with an error in exp below 2^-57.
template <class D> D expTailPrecise(D r) {
  return horner(r, 0x1.000000000000ap-1, 0x1.55555555554fep-3,
                0x1.55555555506bfp-5, 0x1.1111111126b36p-7,
                0x1.6c16c18475faap-10, 0x1.a01a012fed2e6p-13,
                0x1.a01999629942ap-16, 0x1.71df18f7a6667p-19,
                0x1.28adf8e7a4278p-22, 0x1.ad92d1dacb82fp-26);
}

/// e^x for |x| <= 700, relative error below 2^-33.
template <class D> D exp(D x) {
  auto [r, power] = reduce(x);
  return scale(fma(r, fma(r, expTail(r), 1.0), 1.0), power);
}

/// 2^x for |x| <= 1000, relative error below 2^-33.
template <class D> D exp2(D x) {
  // As in `reduce`.
  constexpr double shift = 0x1.8p52;
  D shifted = x + shift;
  D r = (x - (shifted - shift)) * Ln2;
  auto power = shifted.template bits<std::int64_t>() << 52;
  return scale(fma(r, fma(r, expTail(r), 1.0), 1.0), power);
}

/// e^x for |x| <= 700, relative error below 2^-50.
template <class D> D expPrecise(D x) {
  auto [r, power] = reduce(x);
  return scale(fma(r, fma(r, expTailPrecise(r), 1.0), 1.0), power);
}

/// e^x - 1 for |x| <= 700, relative error below 2^-29.
template <class D> D expm1(D x) {
  auto [r, power] = reduce(x);
  D m = fma(r * r, expTail(r), r);
  D two = scale(x.like(1.0), power);
  return fma(two, m, two - 1.0);
}

/// The tail of `logReduced` in z = s^2; error in the logarithm below 2^-35.
template <class D> D logTail(D z) {
  return horner(z, 0x1.5555554ba98bbp-1, 0x1.9999eb897197p-2,
                0x1.245c33eee9966p-2, 0x1.ddd199a557f14p-3);
}

/// The same with an error below 2^-50.
template <class D> D logTailPrecise(D z) {
  return horner(z, 0x1.5555555555558p-1, 0x1.99999999952d9p-2,
                0x1.2492492df75b2p-2, 0x1.c71c62dc17c4bp-3,
                0x1.7462b76fd5d4bp-3, 0x1.39fe05dd846bp-3, 0x1.2b5c824e8c62p-3);
}

/// log(1 + f) + e * ln 2 for sqrt(1/2) <= 1 + f <= sqrt(2), with the relative
/// error of its tail where e is 0: with s = f / (2 + f),
/// log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + ...).
template <bool Precise, class D> D logReduced(D f, D e) {
  D s = f / (f + 2.0);
  D z = s * s;
  D tail = Precise ? logTailPrecise(z) : logTail(z);
  return fma(e, Ln2, s * fma(z, tail, 2.0));
}

/// y = m * 2^e with sqrt(1/2) <= m < sqrt(2).
template <class D> struct Split { D m, e; };

/// Needs a positive normal y.
template <class D> Split<D> split(D y) {
  constexpr std::int64_t one = 0x3ff0000000000000;
  constexpr std::int64_t rootHalf = 0x3fe6a09e667f3bcd;
  auto i = y.template bits<std::int64_t>() + (one - rootHalf);
  // A small integer in the low bits of 2^52 is 2^52 plus that integer.
  auto biased = shiftRightLogical(i, 52) | 0x4330000000000000;
  auto m = (i & 0x000fffffffffffff) + rootHalf;
  return {m.template bits<double>(),
          biased.template bits<double>() - (0x1p52 + 1023)};
}

/// log(y) of a positive normal y.
template <bool Precise = false, class D> D log(D y) {
  auto [m, e] = split(y);
  return logReduced<Precise>(m - 1.0, e);
}

/// log(1 + x) for x > -1. Where no power of two is split off, x itself is used:
/// 1 + x has lost its low bits.
template <bool Precise = false, class D> D log1p(D x) {
  auto [m, e] = split(x + 1.0);
  return logReduced<Precise>(select(e == 0.0, x, m - 1.0), e);
}

} // namespace kexpr::ops::wide

#endif // KEXPR_OPS_WIDE_H
