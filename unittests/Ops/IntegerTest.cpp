//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operators on integers, in every element type, and the comparisons.
///
//===----------------------------------------------------------------------===//
#include "OperatorTypes.h"

using namespace kexpr;
using namespace kexpr::test;
using ops::Scalar;

namespace {

const std::int64_t integers[] = {
    0,   1,   2,    3,    7,    8,         15,        16,        31,
    32,  33,  63,   64,   65,   100,       127,       128,       255,
    -1,  -2,  -3,   -7,   -8,   -31,       -32,       -64,       -128,
    256, 999, 1234, 4096, -999, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

template <class Op> class IntegerOperator : public ::testing::Test {};
TYPED_TEST_SUITE(IntegerOperator, IntegralOperators, OperatorNames);

TYPED_TEST(IntegerOperator, EqualsItsReference) {
  for (std::int64_t x : integers)
    for (std::int64_t y : integers)
      EXPECT_EQ(
          TypeParam::formula(Scalar<std::int64_t>{x}, Scalar<std::int64_t>{y})
              .rep,
          TypeParam::reference(x, y))
          << x << ' ' << TypeParam::info.name << ' ' << y;
}

template <class T> T left(T x, T count) {
  return ops::ShiftLeft::formula(Scalar<T>{x}, Scalar<T>{count}).rep;
}
template <class T> T right(T x, T count) {
  return ops::ShiftRight::formula(Scalar<T>{x}, Scalar<T>{count}).rep;
}

TEST(Shifts, EndAtTheWidthOfTheElement) {
  EXPECT_EQ(left<std::int32_t>(1, 31), INT32_MIN);
  EXPECT_EQ(left<std::int32_t>(1, 32), 0);
  EXPECT_EQ(left<std::int32_t>(1, -1), 0);
  EXPECT_EQ(left<std::int8_t>(1, 7), -128);
  EXPECT_EQ(left<std::int8_t>(1, 8), 0);
  EXPECT_EQ(left<std::uint8_t>(3, 7), 128);
  EXPECT_EQ(left<std::uint8_t>(3, 8), 0);
}

TEST(Shifts, FillWithTheSign) {
  EXPECT_EQ(right<std::int32_t>(-8, 1), -4);
  EXPECT_EQ(right<std::int32_t>(-8, 32), -1);
  EXPECT_EQ(right<std::int32_t>(8, 32), 0);
  EXPECT_EQ(right<std::int32_t>(-8, -1), -1);
  EXPECT_EQ(right<std::int16_t>(-8, 100), -1);
  EXPECT_EQ(right<std::uint8_t>(200, 3), 25);
  EXPECT_EQ(right<std::uint8_t>(200, 8), 0);
}

TEST(Bools, AreCombined) {
  for (bool x : {false, true})
    for (bool y : {false, true}) {
      EXPECT_EQ(ops::And::formula(Scalar<bool>{x}, Scalar<bool>{y}).rep,
                x && y);
      EXPECT_EQ(ops::Or::formula(Scalar<bool>{x}, Scalar<bool>{y}).rep, x || y);
      EXPECT_EQ(ops::Xor::formula(Scalar<bool>{x}, Scalar<bool>{y}).rep,
                x != y);
    }
}

} // namespace
