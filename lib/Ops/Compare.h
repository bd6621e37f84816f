//===- Ops/Compare.h - eq, ne, lt, le, gt, ge -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The comparisons. Their formulas return a mask. PNNX writes none of them.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_COMPARE_H
#define KEXPR_OPS_COMPARE_H

#include "Ops/Operator.h"

namespace kexpr::ops {

struct Equal {
  static constexpr OpInfo info{.name = "eq",
                               .doc = "x == y; false for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x == y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x == y;
  }
};

struct NotEqual {
  static constexpr OpInfo info{.name = "ne",
                               .doc = "x != y; true for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x != y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x != y;
  }
};

struct Less {
  static constexpr OpInfo info{.name = "lt",
                               .doc = "x < y; false for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x < y; }

  template <class V> static typename V::Mask formula(V x, V y) { return x < y; }
};

struct LessEqual {
  static constexpr OpInfo info{.name = "le",
                               .doc = "x <= y; false for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x <= y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x <= y;
  }
};

struct Greater {
  static constexpr OpInfo info{.name = "gt",
                               .doc = "x > y; false for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x > y; }

  template <class V> static typename V::Mask formula(V x, V y) { return x > y; }
};

struct GreaterEqual {
  static constexpr OpInfo info{.name = "ge",
                               .doc = "x >= y; false for NaN",
                               .types = TypeRule::Numeric,
                               .result = ResultRule::Bool,
                               .ulp = Exact,
                               .pnnx = false};

  template <class R> static bool reference(R x, R y) { return x >= y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x >= y;
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_COMPARE_H
