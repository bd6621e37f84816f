//===- Ops/Special.h - The error functions --------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_SPECIAL_H
#define KEXPR_OPS_SPECIAL_H

#include "Ops/Double/ErrorFunction.h"
#include "Ops/Fast.h"
#include "Ops/NormalTail.h"
#include "Ops/Operator.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

struct Erf {
  static constexpr OpInfo info{.name = "erf",
                               .doc = "2 / sqrt(pi) * integral of e^-t^2 over "
                                      "t in [0, x]",
                               .ulp = {0.99, 0.51, 0.87, 3},
                               .domain = {-4, 4}};

  template <class R> static R reference(R x) { return erf(x); }

  template <class V> static V formula(V x) {
    V a = abs(x), normal = atLeast(a, 0x1p-40f);
    V result = select(a > 1.0f, large(atMost(normal, 3.93f)),
                      fma(small(normal), a, a));
    return copySign(result, x);
  }

  /// In double lanes: a q(a^2) up to 1, and 1 - e^g(a), g = ln(erfc), beyond.
  template <class V> static V accurate(V x) {
    auto a = atMost(abs(x), 3.93f).template to<double>();
    auto z = a * a;
    auto small = a * horner(z, 0x1.20dd750428b1cp0, -0x1.812746adb1926p-2,
                            0x1.ce2f209722714p-4, -0x1.b82cb8ebed43dp-6,
                            0x1.56586c7516b17p-8, -0x1.bfdf51a9b3cafp-11,
                            0x1.f56b9d8674bd3p-14, -0x1.d25b7caf687dap-17,
                            0x1.1b892a2960a3ap-20);
    auto g = horner(
        a, 0x1.fb48cefc002f4p-13, -0x1.213b290bcbb7bp0, -0x1.4402f055ccef9p-1,
        -0x1.bd3a34a008f56p-4, 0x1.9d19c5e3e6dd4p-6, -0x1.09db47a26b7f8p-8,
        0x1.502a86993be2fp-12, 0x1.b9a35e6089276p-16, -0x1.5face1d2154dp-17,
        0x1.3a8b77cd4349ep-20, -0x1.ab75f2031493ap-25);
    auto result = select(a > 1, 1.0 - wide::exp(g), small);
    return copySign(result.template to<float>(), x);
  }

  template <class V> static V fast(V x) { return fast::erf(x); }

  template <IsDouble V> static V formula(V x) { return f64::erf(x); }

private:
  /// erf(a) / a - 1 for a <= 1.01.
  template <class V> static V small(V a) {
    return horner(a * a, 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cecp-4,
                  -0x1.b7f7bcp-6, 0x1.53f81p-8, -0x1.a37fcep-11,
                  0x1.47f468p-14);
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

struct Erfc {
  static constexpr OpInfo info{.name = "erfc",
                               .doc = "1 - erf(x), without the cancellation",
                               .ulp = {0.75, 0.51, 0.75, 4},
                               .domain = {-4, 10},
                               .pnnx = false};

  template <class R> static R reference(R x) { return erfc(x); }

  template <class V> static V formula(V x) {
    return compute<wide::ShortTail>(x);
  }

  template <class V> static V accurate(V x) {
    return compute<wide::LongTail>(x);
  }

  template <class V> static V fast(V x) { return fast::erfc(x); }

  template <IsDouble V> static V formula(V x) { return f64::erfc(x); }

private:
  /// 2 P(-a) with a = sqrt(2) |x|, and what that leaves of 2 below 0.
  template <class Tail, class V> static V compute(V x) {
    auto wide = x.template to<double>();
    auto t = atMost(abs(wide), 10.3);
    auto a = t * 0x1.6a09e667f3bcdp0, square = t * (t + t);
    auto unit = Tail::unit(a, square);
    auto tail = (unit + unit) * Tail::g(a * unit) * wide::bell<Tail>(square);
    return select(wide < 0, 2.0 - tail, tail).template to<float>();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_SPECIAL_H
