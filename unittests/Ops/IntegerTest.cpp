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

#include <bit>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace kexpr;
using namespace kexpr::test;
using ops::Scalar;

namespace {

const std::int64_t integers[] = {
    0,   1,   2,    3,    7,    8,         15,        16,        31,
    32,  33,  63,   64,   65,   100,       127,       128,       255,
    -1,  -2,  -3,   -7,   -8,   -31,       -32,       -64,       -128,
    256, 999, 1234, 4096, -999, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

template <class Op> class IntegerOperator : public ::testing::Test {
protected:
  /// In the widest arithmetic that the operator has.
  static void check(const Arguments<Op, std::int64_t> &arguments) {
    constexpr auto arithmetic =
        ops::worksIn(Op::info.types, Widest) ? Widest : ops::Arithmetic::Bool;
    Arguments<Op, ops::ElementIn<arithmetic>> elements{};
    std::copy(arguments.begin(), arguments.end(), elements.begin());
    const auto expected =
        std::apply([](auto... x) { return Op::reference(x...); }, arguments);
    EXPECT_EQ((formulaOf<Op, arithmetic>(elements)), expected)
        << Op::info.name << ' ' << arguments[0] << "..., " << arguments.back();
  }

private:
  static constexpr auto Widest = ops::Arithmetic::I64;
};
TYPED_TEST_SUITE(IntegerOperator, IntegralOperators, OperatorNames);

TYPED_TEST(IntegerOperator, EqualsItsReference) {
  for (std::int64_t x : integers)
    for (std::int64_t y : integers) {
      Arguments<TypeParam, std::int64_t> arguments;
      arguments.front() = x;
      arguments.back() = y;
      this->check(arguments);
    }
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

/// What Python has for integers, or 0 for division by 0; wrapped to T.
template <class T> T floorDivided(T x, T y) {
  if (y == 0)
    return 0;
  const __int128 a = x, b = y;
  return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

template <class T> T power(T x, T y) {
  if (y < 0)
    return x == 1 || (x == T(-1) && y % 2 == 0) ? 1 : x == T(-1) ? x : 0;
  std::uint64_t result = 1;
  for (T i = 0; i < y; ++i)
    result *= static_cast<std::uint64_t>(x);
  return static_cast<T>(result);
}

template <class T> T divisor(T x, T y) {
  __int128 a = x < 0 ? -__int128{x} : x, b = y < 0 ? -__int128{y} : y;
  while (b != 0)
    a = std::exchange(b, a % b);
  return static_cast<T>(a);
}

template <class T> T multiple(T x, T y) {
  const auto unit = static_cast<unsigned __int128>(divisor<__int128>(x, y));
  const auto product = static_cast<unsigned __int128>(__int128{x} * y);
  const auto size = __int128(product) < 0 ? -product : product;
  return unit == 0 ? T(0) : static_cast<T>(size / unit);
}

template <class Op, class T> T call(T x, T y) {
  return Op::formula(Scalar<T>{x}, Scalar<T>{y}).rep;
}

template <class T> class EveryPair : public ::testing::Test {};
using Bytes = ::testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(EveryPair, Bytes);

TYPED_TEST(EveryPair, OfBytesIsRight) {
  using T = TypeParam;
  for (int i = -128; i < 256; ++i)
    for (int k = -128; k < 256; ++k) {
      const T x = static_cast<T>(i), y = static_cast<T>(k);
      const T quotient = floorDivided<T>(x, y);
      const T rest = y == 0 ? T(0) : static_cast<T>(x - quotient * y);
      ASSERT_EQ((call<ops::FloorDivide, T>(x, y)), quotient) << i << ' ' << k;
      ASSERT_EQ((call<ops::Remainder, T>(x, y)), rest) << i << ' ' << k;
      ASSERT_EQ((call<ops::Fmod, T>(x, y)), y == 0 ? T(0) : T(x % y));
      ASSERT_EQ((call<ops::TruncDivide, T>(x, y)), y == 0 ? T(0) : T(x / y));
      ASSERT_EQ((call<ops::Gcd, T>(x, y)), divisor<T>(x, y)) << i << ' ' << k;
      ASSERT_EQ((call<ops::Lcm, T>(x, y)), multiple<T>(x, y)) << i << ' ' << k;
      ASSERT_EQ((call<ops::Fmax, T>(x, y)), std::max(x, y));
      ASSERT_EQ((call<ops::Heaviside, T>(x, y)), x == 0 ? y : T(x > 0));
      ASSERT_EQ((call<ops::Pow, T>(x, y)), power<T>(x, y)) << i << ' ' << k;
      ASSERT_EQ((call<ops::Add, T>(x, y)), T(x + y));
      ASSERT_EQ((call<ops::Sub, T>(x, y)), T(x - y));
      ASSERT_EQ((call<ops::Mul, T>(x, y)), T(x * y));
      ASSERT_EQ((call<ops::Maximum, T>(x, y)), std::max(x, y));
      ASSERT_EQ((call<ops::Minimum, T>(x, y)), std::min(x, y));
      for (bool first : {false, true})
        ASSERT_EQ(
            ops::Where::formula(Scalar<bool>{first}, Scalar<T>{x}, Scalar<T>{y})
                .rep,
            first ? x : y);
    }
}

TYPED_TEST(EveryPair, OneByteIsRight) {
  using T = TypeParam;
  for (int i = -128; i < 256; ++i) {
    const Scalar<T> x{static_cast<T>(i)};
    EXPECT_EQ(ops::Abs::formula(x).rep, T(x.rep < 0 ? -x.rep : x.rep));
    EXPECT_EQ(ops::Neg::formula(x).rep, T(-x.rep));
    EXPECT_EQ(ops::BitwiseNot::formula(x).rep, T(~x.rep));
    EXPECT_EQ(ops::Sign::formula(x).rep, T((x.rep > 0) - (x.rep < 0)));
    EXPECT_EQ(ops::Floor::formula(x).rep, x.rep);
    EXPECT_EQ(ops::Round::formula(x).rep, x.rep);
    EXPECT_EQ(ops::Square::formula(x).rep, T(x.rep * x.rep));
    EXPECT_EQ(ops::Popcount::formula(x).rep,
              std::popcount(static_cast<std::uint8_t>(x.rep)));
    EXPECT_EQ(ops::Relu::formula(x).rep, x.rep > 0 ? x.rep : T(0));
  }
}

template <class T> class WideDivision : public ::testing::Test {};
using WideTypes = ::testing::Types<std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WideDivision, WideTypes);

TYPED_TEST(WideDivision, NeverTrapsAndFloors) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::min(), Limits::max(), Limits::min() + 1,
                           Limits::max() - 1, Limits::max() / 2};
  for (int i = -20; i <= 20; ++i)
    values.push_back(static_cast<T>(i));
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i)
    values.push_back(static_cast<T>(random() >> random() % 60));
  for (T x : values)
    for (T y : values) {
      const T quotient = floorDivided<T>(x, y);
      ASSERT_EQ((call<ops::FloorDivide, T>(x, y)), quotient) << x << ' ' << y;
      const __int128 rest = y == 0 ? 0 : __int128{x} - __int128{quotient} * y;
      ASSERT_EQ((call<ops::Remainder, T>(x, y)), T(rest)) << x << ' ' << y;
    }
}

TYPED_TEST(WideDivision, FindsDivisors) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  std::vector<T> values = {0,
                           1,
                           -1,
                           2,
                           -12,
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max()};
  // Neighbours in Fibonacci's sequence, and powers of two.
  for (T a = 1, b = 1; b > 0;
       a = std::exchange(b, T(std::make_unsigned_t<T>(a) + b)))
    values.push_back(b);
  for (T a = 1; a > 0; a = T(std::make_unsigned_t<T>(a) << 1))
    values.push_back(a);
  for (int i = 0; i < 300; ++i)
    values.push_back(static_cast<T>(random() >> random() % 60));
  for (T x : values)
    for (T y : values) {
      ASSERT_EQ((call<ops::Gcd, T>(x, y)), divisor<T>(x, y)) << x << ' ' << y;
      ASSERT_EQ((call<ops::Lcm, T>(x, y)), multiple<T>(x, y)) << x << ' ' << y;
    }
}

TYPED_TEST(WideDivision, CountsBits) {
  using T = TypeParam;
  std::mt19937_64 random(6);
  for (int i = 0; i < 10000; ++i) {
    const auto x = static_cast<T>(random() >> random() % 64);
    ASSERT_EQ(ops::Popcount::formula(Scalar<T>{x}).rep,
              std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  }
}

TEST(Bools, AreNegated) {
  EXPECT_FALSE(ops::BitwiseNot::formula(Scalar<bool>{true}).rep);
  EXPECT_TRUE(ops::BitwiseNot::formula(Scalar<bool>{false}).rep);
}

TEST(Bools, AddAndMultiply) {
  for (bool x : {false, true})
    for (bool y : {false, true}) {
      EXPECT_EQ((call<ops::Add, bool>(x, y)), x || y);
      EXPECT_EQ((call<ops::Mul, bool>(x, y)), x && y);
      EXPECT_EQ((call<ops::Maximum, bool>(x, y)), x || y);
      EXPECT_EQ((call<ops::Less, bool>(x, y)), x < y);
      EXPECT_EQ((call<ops::GreaterEqual, bool>(x, y)), x >= y);
    }
}

} // namespace
