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

constexpr OpInfo comparison(std::string_view name, std::string_view doc,
                            bool isSignless = false) {
  return {.name = name,
          .doc = doc,
          .types = TypeRule::Numeric,
          .result = ResultRule::Bool,
          .ulp = Exact,
          .pnnx = false,
          .isSignless = isSignless};
}

struct Equal {
  static constexpr OpInfo info =
      comparison("eq", "x == y; false for NaN", true);

  template <class R> static bool reference(R x, R y) { return x == y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x == y;
  }
};

struct NotEqual {
  static constexpr OpInfo info = comparison("ne", "x != y; true for NaN", true);

  template <class R> static bool reference(R x, R y) { return x != y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x != y;
  }
};

struct Less {
  static constexpr OpInfo info = comparison("lt", "x < y; false for NaN");

  template <class R> static bool reference(R x, R y) { return x < y; }

  template <class V> static typename V::Mask formula(V x, V y) { return x < y; }
};

struct LessEqual {
  static constexpr OpInfo info = comparison("le", "x <= y; false for NaN");

  template <class R> static bool reference(R x, R y) { return x <= y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x <= y;
  }
};

struct Greater {
  static constexpr OpInfo info = comparison("gt", "x > y; false for NaN");

  template <class R> static bool reference(R x, R y) { return x > y; }

  template <class V> static typename V::Mask formula(V x, V y) { return x > y; }
};

struct GreaterEqual {
  static constexpr OpInfo info = comparison("ge", "x >= y; false for NaN");

  template <class R> static bool reference(R x, R y) { return x >= y; }

  template <class V> static typename V::Mask formula(V x, V y) {
    return x >= y;
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_COMPARE_H
