//===- Ops/Algebra/Cost.h - Formulas read as work -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The algebra that counts: how many primitive operations an element takes and
/// how long the longest chain of them is. Grain size and unrolling follow from
/// it.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_ALGEBRA_COST_H
#define KEXPR_OPS_ALGEBRA_COST_H

#include "Ops/Algebra/Value.h"

#include <algorithm>

namespace kexpr::ops {

/// Work of one element.
struct Work {
  /// Primitive operations, each counted with its weight: 1 for what a core
  /// starts at least once a cycle on a vector of 32-bit elements, more for
  /// division and square root, and twice that for 64-bit elements.
  unsigned operations = 0;
  /// How many of them work on 64-bit elements.
  unsigned wide = 0;
  /// How many of them divisions and square roots are counted as.
  unsigned divisions = 0;
  /// How many more of these there are where every slow way is taken.
  unsigned rareWide = 0;
  /// And how many more operations, wide ones included.
  unsigned rareOperations = 0;
  /// How many slow ways there are.
  unsigned rareWays = 0;
  /// Cycles of the longest dependency chain, in typical latencies.
  unsigned latency = 0;
};

struct CostAlgebra {
  template <class T> struct Rep {
    Work *total;
    unsigned ready; ///< Cycle in which the value is there.
  };

  template <class T, class U> static Rep<T> constant(Rep<U> like, T) {
    return {like.total, 0};
  }

  template <Prim P, class T, class... R> static Rep<T> apply(R... args) {
    constexpr bool slow = P == Prim::Div || P == Prim::Sqrt;
    constexpr bool arithmetic =
        std::is_floating_point_v<T> &&
        (P == Prim::Add || P == Prim::Sub || P == Prim::Mul || P == Prim::Fma);
    constexpr bool rounding = P == Prim::Floor || P == Prim::Ceil ||
                              P == Prim::Trunc || P == Prim::RoundEven;
    const unsigned latency = slow ? 11 : arithmetic ? 4 : rounding ? 8 : 1;
    const Rep<T> result = step<T>(slow ? 5 : 1, latency, args...);
    if (slow)
      result.total->divisions += sizeof(T) == sizeof(double) ? 10 : 5;
    return result;
  }

  template <Rel R, class T> static Rep<bool> compare(Rep<T> a, Rep<T> b) {
    return step<bool>(1, 3, a, b);
  }
  template <class T> static Rep<T> select(Rep<bool> mask, Rep<T> a, Rep<T> b) {
    return step<T>(1, 1, mask, a, b);
  }
  template <class To, class From> static Rep<To> convert(Rep<From> a) {
    return step<To>(1, 4, a);
  }
  template <class To, class From> static Rep<To> bitcast(Rep<From> a) {
    return {a.total, a.ready};
  }
  template <class T, int N>
  static Rep<T> lookUp(Rep<IntOf<T>> index, const T (&)[N]) {
    return step<T>((N + 15) / 16, 4, index);
  }
  /// The slow way is not counted: it is taken rarely.
  template <class Values, class F>
  static Values rarely(Rep<bool> mask, Values fast, F) {
    step<bool>(1, 0, mask);
    ++mask.total->rareWays;
    return fast;
  }

private:
  template <class T, class... R>
  static Rep<T> step(unsigned operations, unsigned latency, R... args) {
    Work *total = std::max({args.total...});
    constexpr bool isWide = sizeof(T) == sizeof(double);
    operations *= isWide ? 2 : 1;
    total->wide += isWide ? operations : 0;
    unsigned ready = std::max({args.ready...}) + latency;
    total->operations += operations;
    total->latency = std::max(total->latency, ready);
    return {total, ready};
  }
};

/// The same with every slow way taken.
struct GeneralCostAlgebra : CostAlgebra {
  template <class Values, class F>
  static Values rarely(Rep<bool>, Values, F slow) {
    return slow();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_ALGEBRA_COST_H
