//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operators on truth values, and the choice by one.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"

#include "Ops/BlockLoops.h"

#include <vector>

using namespace kexpr;
using namespace kexpr::test;
using ops::Scalar;

namespace {

TEST(Truth, HasItsTable) {
  for (bool x : {false, true}) {
    EXPECT_EQ(ops::LogicalNot::formula(Scalar<bool>{x}).rep, !x);
    for (bool y : {false, true}) {
      const Scalar<bool> a{x}, b{y};
      EXPECT_EQ(ops::LogicalAnd::formula(a, b).rep, x && y);
      EXPECT_EQ(ops::LogicalOr::formula(a, b).rep, x || y);
      EXPECT_EQ(ops::LogicalXor::formula(a, b).rep, x != y);
    }
  }
}

TEST(Truth, IsComputedInBoolAlone) {
  const ops::OpEntry &entry = ops::table()[*ops::find("logical_and")];
  for (std::size_t a = 0; a < ops::ArithmeticCount; ++a) {
    const auto arithmetic = static_cast<ops::Arithmetic>(a);
    EXPECT_EQ(entry.works(arithmetic), arithmetic == ops::Arithmetic::Bool);
  }
  EXPECT_GT(entry.workIn(ops::Arithmetic::Bool).operations, 0u);
}

/// Columns for `where`, and what it gives.
template <class T> struct Choice {
  std::vector<std::uint8_t> conditions;
  std::vector<T> x, y, expected;

  explicit Choice(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      conditions.push_back((i * i / 3) % 2);
      x.push_back(static_cast<T>(i + 1));
      y.push_back(static_cast<T>(-T(i)));
      expected.push_back(conditions[i] ? x[i] : y[i]);
    }
  }

  void check(ops::BlockFn loop) {
    const void *args[] = {conditions.data(), x.data(), y.data()};
    std::vector<T> out(x.size() + 1, T(77));
    loop(x.size(), args, out.data());
    EXPECT_EQ(out.back(), T(77));
    out.pop_back();
    EXPECT_EQ(out, expected);
    for (int place : {1, 2}) {
      std::vector<T> inOut = place == 1 ? x : y;
      const void *own[] = {args[0], args[1], args[2]};
      own[place] = inOut.data();
      loop(x.size(), own, inOut.data());
      EXPECT_EQ(inOut, expected);
    }
  }
};

template <class T> void checkWhere(ops::Arithmetic arithmetic) {
  const ops::OpId where = *ops::find("where");
  const auto baseline = ops::blockTables<ops::Isa::Baseline>();
  for (std::size_t count : {0, 1, 7, 255, 256, 257, 600}) {
    Choice<T> choice(count);
    choice.check(ops::blocks(arithmetic)[where]);
    choice.check(
        baseline.operators[static_cast<std::size_t>(arithmetic)][where]);
  }
}

TEST(Where, ChoosesByABoolInEveryArithmetic) {
  checkWhere<float>(ops::Arithmetic::F32);
  checkWhere<float>(ops::Arithmetic::F32Accurate);
  checkWhere<float>(ops::Arithmetic::F32Fast);
  checkWhere<double>(ops::Arithmetic::F64);
  checkWhere<std::int8_t>(ops::Arithmetic::I8);
  checkWhere<std::uint8_t>(ops::Arithmetic::U8);
  checkWhere<std::int16_t>(ops::Arithmetic::I16);
  checkWhere<std::int32_t>(ops::Arithmetic::I32);
  checkWhere<std::int64_t>(ops::Arithmetic::I64);
}

TEST(Where, TakesMoreThanFloats) {
  EXPECT_FALSE(ops::table()[*ops::find("where")].isFloatToFloat());
  EXPECT_EQ(ops::table()[*ops::find("where")].arity, 3u);
}

} // namespace
