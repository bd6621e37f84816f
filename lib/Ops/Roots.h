//===- Ops/Roots.h - cbrt and hypot ---------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ROOTS_H
#define KEXPR_OPS_ROOTS_H

#include "Ops/Double/CubeRoot.h"
#include "Ops/Double/Hypotenuse.h"
#include "Ops/Operator.h"

#include <math.h>

namespace kexpr::ops {

struct Cbrt {
  static constexpr OpInfo info{.name = "cbrt",
                               .doc = "x^(1/3), below 0 too",
                               .ulp = {0.51, 0.51, 0.51},
                               .pnnx = false};

  template <class R> static R reference(R x) { return cbrt(x); }

  template <class V> static V formula(V x) {
    auto a = abs(x).template to<double>();
    auto z = f64::inverseCubeRoot(a);
    V root = (a * z * z).template to<float>();
    return copySign(select(abs(x) < Infinity<V>, root, abs(x)), x);
  }

  template <IsDouble V> static V formula(V x) { return f64::cbrt(x); }
};

/// Infinite if one of them is, whatever the other.
struct Hypot {
  static constexpr OpInfo info{.name = "hypot",
                               .doc = "sqrt(x^2 + y^2); inf beside inf, also "
                                      "of NaN",
                               .types = TypeRule::Floating,
                               .ulp = {0.51, 0.51, 0.76},
                               .pnnx = false};

  template <class R> static R reference(R x, R y) { return hypot(x, y); }
  /// By way of long double: hypot of doubles asks for glibc 2.35.
  static double reference(double x, double y) {
    return static_cast<double>(hypotl(x, y));
  }

  /// Squares of f32 are exact in double lanes.
  template <class V> static V formula(V x, V y) {
    auto a = x.template to<double>(), b = y.template to<double>();
    V root = sqrt(fma(a, a, b * b)).template to<float>();
    auto isInfinite = (abs(x) == Infinity<V>) | (abs(y) == Infinity<V>);
    return select(isInfinite, Infinity<V>, root);
  }

  template <IsDouble V> static V formula(V x, V y) { return f64::hypot(x, y); }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ROOTS_H
