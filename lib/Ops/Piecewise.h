//===- Ops/Piecewise.h - Activations of straight pieces -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Activations of neural networks that are straight lines in pieces; PNNX keeps
/// them as operators of their own.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_PIECEWISE_H
#define KEXPR_OPS_PIECEWISE_H

#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <algorithm>
#include <math.h>

namespace kexpr::ops {

struct Relu {
  static constexpr OpInfo info{.name = "relu",
                               .doc = "max(x, 0)",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .pnnx = false};

  /// -0 stays -0. Said with the sign bit: Clang 19 loses that of
  /// `x < 0 ? 0 : x` where it inlines it.
  template <class R> static R reference(R x) {
    return signbit(x) && x != 0 && !isnan(x) ? R(0) : x;
  }

  template <class V> static V formula(V x) { return select(x < 0, 0, x); }
};

/// This and hardswish round as often as PyTorch does, in the same order.
struct Hardsigmoid {
  static constexpr OpInfo info{.name = "hardsigmoid",
                               .doc = "min(max(x + 3, 0), 6) / 6",
                               .types = TypeRule::Floating,
                               .ulp = {1.01, 0.51, 1.1},
                               .domain = {-5, 5},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return isnan(x) ? x : std::min<R>(std::max<R>(x + 3, 0), 6) / 6;
  }

  template <class V> static V formula(V x) {
    return atMost(atLeast(x + 3, 0), 6) / 6;
  }

  template <class V> static V accurate(V x) {
    auto wide = x.template to<double>() + 3;
    return (atMost(atLeast(wide, 0), 6) / 6).template to<float>();
  }
};

struct Hardswish {
  static constexpr OpInfo info{.name = "hardswish",
                               .doc = "x * min(max(x + 3, 0), 6) / 6",
                               .types = TypeRule::Floating,
                               .ulp = {1.92, 0.51, 2},
                               .domain = {-5, 5},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return isnan(x) ? x : x * std::min<R>(std::max<R>(x + 3, 0), 6) / 6;
  }

  template <class V> static V formula(V x) {
    V product = x * atMost(atLeast(x + 3, 0), 6);
    // The product of the largest x overflows; the quotient would be x.
    return select(x > 0x1p100f, x, product / 6);
  }

  template <class V> static V accurate(V x) {
    auto wide = x.template to<double>();
    auto product = wide * atMost(atLeast(wide + 3, 0), 6);
    return (product / 6).template to<float>();
  }
};

struct LeakyRelu {
  static constexpr OpInfo info{.name = "leaky_relu",
                               .doc = "x where x > 0, x * y elsewhere; y is "
                                      "0.01 if left out",
                               .types = TypeRule::Floating,
                               .pnnx = false,
                               .defaults = {1, {0.01}}};

  template <class R> static R reference(R x, R slope) {
    return x > 0 ? x : x * slope;
  }

  template <class V> static V formula(V x, V slope) {
    return select(x > 0.0f, x, x * slope);
  }
};

struct Threshold {
  static constexpr OpInfo info{.name = "threshold",
                               .doc = "z where x <= y, x elsewhere",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static R reference(R x, R limit, R value) {
    return x <= limit ? value : x;
  }

  template <class V> static V formula(V x, V limit, V value) {
    return select(x <= limit, value, x);
  }
};

struct Hardshrink {
  static constexpr OpInfo info{.name = "hardshrink",
                               .doc = "0 where -y <= x <= y, x elsewhere; y is "
                                      "0.5 if left out",
                               .types = TypeRule::Floating,
                               .ulp = Exact,
                               .pnnx = false,
                               .defaults = {1, {0.5}}};

  template <class R> static R reference(R x, R limit) {
    return x >= -limit && x <= limit ? R(0) : x;
  }

  template <class V> static V formula(V x, V limit) {
    return select(abs(x) <= limit, 0, x);
  }
};

struct Softshrink {
  static constexpr OpInfo info{.name = "softshrink",
                               .doc = "x - y where x > y, x + y where x < -y, "
                                      "0 with the sign of x elsewhere; y is "
                                      "0.5 if left out",
                               .types = TypeRule::Floating,
                               .pnnx = false,
                               .defaults = {1, {0.5}}};

  template <class R> static R reference(R x, R limit) {
    return x > limit ? x - limit : x < -limit ? x + limit : x * 0;
  }

  template <class V> static V formula(V x, V limit) {
    return select(x > limit, x - limit, select(x < -limit, x + limit, x * 0));
  }
};

struct Clamp {
  static constexpr OpInfo info{.name = "clamp",
                               .doc = "min(max(x, y), z)",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false,
                               .takesLimits = true};

  template <class R> static R reference(R x, R low, R high) {
    if (isnan(x) || isnan(low) || isnan(high))
      return NAN;
    return std::min(std::max(x, low), high);
  }

  template <class V> static V formula(V x, V low, V high) {
    V raised = select((x >= low) | (x != x), x, low);
    return select((raised <= high) | (raised != raised), raised, high);
  }
};

/// Clamp of types that can be below 0, as in PyTorch.
struct Hardtanh {
  static constexpr OpInfo info{.name = "hardtanh",
                               .doc = "min(max(x, y), z); y is -1 and z is 1 "
                                      "if left out",
                               .types = TypeRule::Number,
                               .ulp = Exact,
                               .pnnx = false,
                               .defaults = {2, {-1, 1}},
                               .takesLimits = true};

  template <class R> static R reference(R x, R low, R high) {
    return Clamp::reference(x, low, high);
  }

  template <class V> static V formula(V x, V low, V high) {
    return Clamp::formula(x, low, high);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_PIECEWISE_H
