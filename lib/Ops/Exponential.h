//===- Ops/Exponential.h - exp and expm1 ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_EXPONENTIAL_H
#define KEXPR_OPS_EXPONENTIAL_H

#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <cmath>

namespace kexpr::ops {

struct Exp {
  static constexpr OpInfo info{
      .name = "exp", .doc = "e^x", .maxUlp = 0.9, .domain = {-87, 88}};

  static double reference(double x) { return std::exp(x); }

  /// x = n ln 2 + r with |r| <= ln 2 / 2, and e^x = p(r) * 2^n.
  template <class V> static V formula(V x) {
    // Beyond these the result is inf or 0 in any case, and n fits its field.
    V clamped = atLeast(atMost(x, 89.0f), -104.0f);
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    constexpr float shift = 0x1.8p23f;
    V shifted = fma(clamped, 0x1.715476p0f, shift);
    V n = shifted - shift;
    // ln 2 in two parts: one alone is 2 ulp off at the largest n.
    V r = fma(n, 0x1.05c61p-29f, fma(n, -0x1.62e43p-1f, clamped));
    V p = horner(r, 1.0, 1.0, 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5,
                 0x1.12397cp-7, 0x1.694c82p-10);
    return scale(p, shifted.template bits<std::int32_t>());
  }

private:
  /// p * 2^n, n in the low bits of `bits`. In two steps, the first of them
  /// exact: 2^n itself leaves the range of f32 on both sides.
  template <class V, class I> static V scale(V p, I bits) {
    I half = bits >> 1;
    return p * powerOfTwo<V>(half) * powerOfTwo<V>(bits - half);
  }

  template <class V, class I> static V powerOfTwo(I lowBits) {
    return ((lowBits << 23) + 0x3f800000).template bits<float>();
  }
};

struct Expm1 {
  static constexpr OpInfo info{
      .name = "expm1", .doc = "e^x - 1", .maxUlp = 0.51, .domain = {-30, 88}};

  static double reference(double x) { return std::expm1(x); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x, 100.0f), -100.0f);
    V result = wide::expm1(clamped.template to<double>()).template to<float>();
    return copySign(result, x); // of -0
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_EXPONENTIAL_H
