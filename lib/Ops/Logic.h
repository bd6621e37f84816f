//===- Ops/Logic.h - Truth values, and the choice by one ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// PyTorch's logical functions, whose arguments are truth values whatever their
/// types are, and `where`. PNNX keeps them as operators of their own.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_LOGIC_H
#define KEXPR_OPS_LOGIC_H

#include "Ops/Algebra/Value.h"
#include "Ops/Operator.h"

namespace kexpr::ops {

constexpr OpInfo logical(std::string_view name, std::string_view doc) {
  return {.name = name,
          .doc = doc,
          .types = TypeRule::Truth,
          .ulp = Exact,
          .pnnx = false};
}

struct LogicalAnd {
  static constexpr OpInfo info =
      logical("logical_and", "whether neither x nor y is 0");

  template <class R> static R reference(R x, R y) { return x != 0 && y != 0; }

  template <class V> static V formula(V x, V y) { return x & y; }
};

struct LogicalOr {
  static constexpr OpInfo info =
      logical("logical_or", "whether x or y is not 0");

  template <class R> static R reference(R x, R y) { return x != 0 || y != 0; }

  template <class V> static V formula(V x, V y) { return x | y; }
};

struct LogicalXor {
  static constexpr OpInfo info =
      logical("logical_xor", "whether one of x and y is 0");

  template <class R> static R reference(R x, R y) {
    return (x != 0) != (y != 0);
  }

  template <class V> static V formula(V x, V y) { return x ^ y; }
};

struct LogicalNot {
  static constexpr OpInfo info = logical("logical_not", "whether x is 0");

  template <class R> static R reference(R x) { return x == 0; }

  template <class V> static V formula(V x) { return ~x; }
};

struct Where {
  static constexpr OpInfo info{.name = "where",
                               .doc = "y where the bool x is true, z elsewhere",
                               .types = TypeRule::Numeric,
                               .ulp = Exact,
                               .pnnx = false,
                               .isSignless = true,
                               .takesCondition = true};

  template <class R> static R reference(R condition, R x, R y) {
    return condition != 0 ? x : y;
  }

  template <class V> static V formula(typename V::Mask condition, V x, V y) {
    return select(condition, x, y);
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_LOGIC_H
