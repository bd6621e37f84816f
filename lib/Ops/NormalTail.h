//===- Ops/NormalTail.h - The normal distribution in double lanes ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// P(-a) = e^(-a^2 / 2) u g(a u) for 0 <= a <= 14.6: u is a quotient of
/// polynomials, so that one division serves g and its factor. What gelu and
/// erfc in f32 are made of; the polynomials are in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_NORMALTAIL_H
#define KEXPR_OPS_NORMALTAIL_H

#include "Ops/Wide.h"

namespace kexpr::ops::wide {

/// For f32 at the default precision.
struct ShortTail {
  /// u, and a u.
  template <class D> static D unit(D a, D square) {
    return (a + 0x1.cap2) / fma(a, 0x1.3e8p3, square + 0x1.b34p4);
  }
  template <class D> static D product(D a, D square) {
    return fma(a, 0x1.cap2, square) / fma(a, 0x1.3e8p3, square + 0x1.b34p4);
  }
  template <class D> static D g(D y) {
    return horner(y, 0x1.e691536fa343dp0, -0x1.085f3a6b2851p2,
                  0x1.5780497dd7974p2, -0x1.1f93b8183db49p2,
                  0x1.33dc4b1c77ff4p1, -0x1.8362b8a3e935ep-1,
                  0x1.b54986a26865ep-4);
  }
  /// 2^r for |r| <= 1/2.
  template <class D> static D power(D r) {
    return horner(r, 0x1.000000026b15ep0, 0x1.62e430ca7d065p-1,
                  0x1.ebfbdaccf8e51p-3, 0x1.c6aed1374c948p-5,
                  0x1.3b2dc1f06c66ep-7, 0x1.5f4730a969399p-10,
                  0x1.41d1f6c17b994p-13);
  }
};

/// For f32 at the accurate precision.
struct LongTail {
  template <class D> static D unit(D a, D) { return 1.0 / (a + 3.5); }
  template <class D> static D product(D a, D) { return a / (a + 3.5); }
  template <class D> static D g(D y) {
    return horner(
        y, 0x1.bfffffffd9d1p0, -0x1.918a9f929a14bp1, 0x1.58eacb37ba866p1,
        -0x1.6bb1743e42a2p-1, -0x1.ec4448b5370f1p-2, 0x1.797db0bc40122p-3,
        0x1.7fcfc40526c77p-3, -0x1.39e0de3c8f2bfp-4, 0x1.2ea4b78f42727p-4,
        -0x1.ae8f5b8ea32f3p-3, 0x1.5405e1ae2fb14p-3, -0x1.5b539838e0779p-5);
  }
  template <class D> static D power(D r) {
    return horner(r, 0x1.ffffffffaa65cp-1, 0x1.62e42ff11c1b5p-1,
                  0x1.ebfbe0a6ce5ffp-3, 0x1.c6b08aa6b4515p-5,
                  0x1.3b29da8298b9cp-7, 0x1.5d8a758b11744p-10,
                  0x1.446b880104306p-13, 0x1.fe15c60f0495ap-17);
  }
};

/// e^(-square / 2).
template <class Tail, class D> D bell(D square) {
  constexpr double shift = 0x1.8p52, perSquare = -Log2e / 2;
  D shifted = fma(square, perSquare, shift);
  D r = fma(square, perSquare, shift - shifted);
  return scale(Tail::power(r), shifted.template bits<std::int64_t>() << 52);
}

} // namespace kexpr::ops::wide

#endif // KEXPR_OPS_NORMALTAIL_H
