//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/BlockLoops.h"

#include <gtest/gtest.h>

using namespace kexpr::ops;

namespace {

template <class U, int N> struct Table { U entry[N]; };

template <class U, int N> Table<U, N> squares() {
  Table<U, N> table;
  for (int i = 0; i < N; ++i)
    table.entry[i] = static_cast<U>(i * i - 7);
  return table;
}

/// Any index, of which the low bits count, in an algebra of single elements.
template <class U, int N> void checkAll() {
  using I = IntOf<U>;
  const auto table = squares<U, N>();
  std::uint32_t wrong = 0;
  for (I index :
       {I{0}, I{1}, I{5}, I{14}, I{15}, I{16}, I{17}, I{31}, I{32}, I{-1},
        I{-16}, std::numeric_limits<I>::min(), std::numeric_limits<I>::max()}) {
    const U expected = table.entry[index & (N - 1)];
    const Scalar<I> scalar{index};
    EXPECT_EQ(scalar.lookUp(table.entry).rep, expected);
    EXPECT_EQ(scalar.lookUpBySelect(table.entry).rep, expected);
    const Value<FastPathAlgebra<Isa::Baseline>, I> fast{{index, &wrong}};
    EXPECT_EQ(fast.lookUp(table.entry).rep.value, expected);
  }
  EXPECT_EQ(wrong, 0u);
}

} // namespace

TEST(LookUp, TakesTheEntryThatTheLowBitsSay) {
  checkAll<float, 16>();
  checkAll<std::int32_t, 16>();
  checkAll<double, 32>();
  checkAll<double, 8>();
}
