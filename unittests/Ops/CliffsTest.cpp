//===- Ops/CliffsTest.cpp - What no class of inputs may cost --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads every formula of floats at inputs of many classes and holds to a report
// which of them lead to the second body of a loop, and how many products are
// subnormal there, each of which takes some processors 150 cycles, or vanish;
// besides, how many operations the two bodies have. `CliffsBenchmark` measures
// the same.
//
//===----------------------------------------------------------------------===//
#include "Ops/Algebra/Cost.h"
#include "Ops/Algebra/Scalar.h"
#include "Ops/InputClasses.h"
#include "Ops/Operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace kexpr;
using namespace kexpr::ops;

namespace {

struct Watch {
  unsigned rare = 0, subnormal = 0;
};

/// One number, which notes what is slow on the way to it.
struct WatchedAlgebra {
  using Exact = ScalarAlgebra<Isa::Baseline>;

  template <class T> struct Rep {
    T value;
    Watch *watch;
  };

  template <class T, class U> static Rep<T> constant(Rep<U> like, T c) {
    return {c, like.watch};
  }
  template <Prim P, class T, class... R>
  static Rep<T> apply(Rep<T> a, R... rest) {
    const T result = Exact::template apply<P, T>(a.value, rest.value...);
    constexpr bool isProduct =
        P == Prim::Mul || P == Prim::Div || P == Prim::Fma || P == Prim::Sqrt;
    if constexpr (isProduct && std::is_floating_point_v<T>)
      a.watch->subnormal += isSubnormal(result) || isSubnormal(a.value) ||
                            (isSubnormal(rest.value) || ...);
    if constexpr (P == Prim::Mul && std::is_floating_point_v<T>)
      a.watch->subnormal +=
          result == 0 && a.value != 0 && ((rest.value != 0) && ...);
    return {result, a.watch};
  }
  template <Rel R, class T> static Rep<bool> compare(Rep<T> a, Rep<T> b) {
    return {Exact::template compare<R, T>(a.value, b.value), a.watch};
  }
  template <class T> static Rep<T> select(Rep<bool> mask, Rep<T> a, Rep<T> b) {
    return {Exact::template select<T>(mask.value, a.value, b.value), a.watch};
  }
  template <class To, class From> static Rep<To> convert(Rep<From> a) {
    return {Exact::template convert<To, From>(a.value), a.watch};
  }
  template <class To, class From> static Rep<To> bitcast(Rep<From> a) {
    return {Exact::template bitcast<To, From>(a.value), a.watch};
  }
  template <class Values, class F>
  static Values rarely(Rep<bool> mask, Values fast, F slow) {
    mask.watch->rare += mask.value;
    return mask.value ? slow() : fast;
  }

private:
  template <class T> static bool isSubnormal(T x) {
    return std::fpclassify(x) == FP_SUBNORMAL;
  }
};

/// With the class in one operand, or in all where there are not so many.
template <class Op, Arithmetic A, std::size_t... K>
void watch(Watch &into, std::size_t operand, const InputClass &kind,
           std::index_sequence<K...>) {
  using T = ElementIn<A>;
  using V = Value<WatchedAlgebra, T>;
  constexpr auto middle =
      static_cast<T>((Op::info.domain.low + Op::info.domain.high) / 3);
  const bool isInAll = operand == arityOf<Op>;
  (void)applyFormula<Op, A>(
      V{{isInAll || K == operand ? kind.number<T>(K, 0.7) : middle, &into}}...);
}

template <class Op, Arithmetic A, class Algebra, std::size_t... K>
Work workOf(std::index_sequence<K...>) {
  Work work;
  (void)applyFormula<Op, A>(
      Value<Algebra, ArgumentIn<Op, A, K>>{{&work, 0}}...);
  return work;
}

template <class Op, Arithmetic A>
void report(std::ostream &out, const char *arithmetic) {
  constexpr auto operands = std::make_index_sequence<arityOf<Op>>{};
  for (std::size_t operand = 0; operand <= arityOf<Op>; ++operand)
    for (const InputClass &each : InputClasses) {
      if (!each.isPutIn(operand, arityOf<Op>))
        continue;
      Watch seen;
      watch<Op, A>(seen, operand, each, operands);
      const std::string place =
          operand < arityOf<Op> ? std::to_string(operand) : "all";
      if (seen.rare || seen.subnormal)
        out << Op::info.name << '\t' << arithmetic << '\t' << place << '\t'
            << each.name << '\t' << seen.rare << '\t' << seen.subnormal << '\n';
    }
  const Work common = workOf<Op, A, CostAlgebra>(operands);
  const Work general = workOf<Op, A, GeneralCostAlgebra>(operands);
  if (common.operations != general.operations)
    out << Op::info.name << '\t' << arithmetic << "\tbodies\t"
        << common.operations << '\t' << general.operations << '\n';
}

template <class... Ops> std::string reportAll(OpList<Ops...>) {
  std::ostringstream out;
  out << "# operator, arithmetic, operand or all, class of inputs, second "
         "bodies entered,\n# subnormal or vanishing products; or `bodies` and "
         "the "
         "operations of both.\n# KEXPR_BLESS=1 writes it anew.\n";
  auto one = [&out]<class Op>() {
    if constexpr (isFloatToFloat<Op>) {
      if constexpr (worksIn(Op::info.types, Arithmetic::F32)) {
        report<Op, Arithmetic::F32>(out, "f32");
        report<Op, Arithmetic::F32Accurate>(out, "accurate");
        using V = Value<WatchedAlgebra, float>;
        if constexpr (requires { &Op::template fast<V>; })
          report<Op, Arithmetic::F32Fast>(out, "fast");
      }
      if constexpr (worksIn(Op::info.types, Arithmetic::F64))
        report<Op, Arithmetic::F64>(out, "f64");
    }
  };
  (one.template operator()<Ops>(), ...);
  return out.str();
}

} // namespace

TEST(Cliffs, AreThoseOfTheReport) {
  const std::string found = reportAll(Operators{});
  if (std::getenv("KEXPR_BLESS"))
    std::ofstream(KEXPR_CLIFFS) << found;
  std::ifstream file(KEXPR_CLIFFS);
  std::ostringstream known;
  known << file.rdbuf();
  EXPECT_EQ(found, known.str());
}
