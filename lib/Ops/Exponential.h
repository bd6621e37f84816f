//===- Ops/Exponential.h - exp and expm1 ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_EXPONENTIAL_H
#define KEXPR_OPS_EXPONENTIAL_H

#include "Ops/Double/Exponential.h"
#include "Ops/Operator.h"
#include "Ops/Single.h"
#include "Ops/Wide.h"

#include <math.h>

namespace kexpr::ops {

struct Exp {
  static constexpr OpInfo info{.name = "exp",
                               .doc = "e^x",
                               .ulp = {0.9, 0.51, 0.8},
                               .domain = {-87, 88}};

  template <class R> static R reference(R x) { return exp(x); }

  template <class V> static V formula(V x) {
    auto [r, n] = single::reduce(x);
    auto bits =
        single::exponential(r).template bits<std::int32_t>() + (n << 23);
    return rarely(~(abs(x) <= 87.0f), bits.template bits<float>(),
                  [x] { return anywhere(x); });
  }

  template <class V> static V accurate(V x) {
    V clamped = atLeast(atMost(x, 89.0f), -104.0f);
    return wide::exp(clamped.template to<double>()).template to<float>();
  }

  template <IsDouble V> static V formula(V x) { return f64::exp(x); }

private:
  /// Also where the result is subnormal, 0, infinite or NaN: the power in two
  /// steps, the first of them exact, as 2^n itself leaves the range of f32.
  template <class V> static V anywhere(V x) {
    auto [r, n] = single::reduce(atLeast(atMost(x, 89.0f), -104.0f));
    auto half = n >> 1;
    return single::exponential(r) * single::powerOfTwo<V>(half) *
           single::powerOfTwo<V>(n - half);
  }
};

struct Expm1 {
  static constexpr OpInfo info{.name = "expm1",
                               .doc = "e^x - 1",
                               .ulp = {0.51, 0.51, 0.8},
                               .domain = {-30, 88}};

  template <class R> static R reference(R x) { return expm1(x); }

  template <class V> static V formula(V x) {
    V clamped = atLeast(atMost(x, 100.0f), -100.0f);
    V result = wide::expm1(clamped.template to<double>()).template to<float>();
    return copySign(result, x); // of -0
  }

  template <IsDouble V> static V formula(V x) { return f64::expm1(x); }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_EXPONENTIAL_H
