//===- Ops/Special.h - The error function ---------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_SPECIAL_H
#define KEXPR_OPS_SPECIAL_H

#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <cmath>

namespace kexpr::ops {

struct Erf {
  static constexpr OpInfo info{.name = "erf",
                               .doc = "2 / sqrt(pi) * integral of e^-t^2 over "
                                      "t in [0, x]",
                               .maxUlp = 0.99,
                               .domain = {-4, 4}};

  static double reference(double x) { return std::erf(x); }

  template <class V> static V formula(V x) {
    V a = abs(x);
    V result = select(a > 1.0f, large(atMost(a, 3.93f)), small(a));
    return copySign(result, x);
  }

private:
  /// a + a q(a^2) for a <= 1.01.
  template <class V> static V small(V a) {
    V q = horner(a * a, 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cecp-4,
                 -0x1.b7f7bcp-6, 0x1.53f81p-8, -0x1.a37fcep-11, 0x1.47f468p-14);
    return fma(q, a, a);
  }

  /// 1 - 2^(c + a q(a)), the exponent being log2(erfc(a)), for
  /// 0.99 <= a <= 3.93; erf is 1 in f32 from 3.92 on.
  template <class V> static V large(V a) {
    V q =
        horner(a, -0x1.a16908p0, -0x1.d2c342p-1, -0x1.450ccap-3, 0x1.37dc8ep-5,
               -0x1.c10762p-8, 0x1.c1f7cap-11, -0x1.158af8p-14, 0x1.3b79eap-19);
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    constexpr float shift = 0x1.8p23f;
    V shifted = fma(a, q, shift);
    // Taking n off inside the fma spares the rounding of a q(a).
    V r = fma(a, q, shift - shifted) + 0x1.cf97c8p-12f;
    V p = horner(r, 0x1p0, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af72p-5,
                 0x1.3b309p-7, 0x1.5f0e12p-10, 0x1.3fb5f2p-13);
    auto power = shifted.template bits<std::int32_t>() << 23;
    return 1.0f -
           (p.template bits<std::int32_t>() + power).template bits<float>();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_SPECIAL_H
