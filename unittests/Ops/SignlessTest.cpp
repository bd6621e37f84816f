//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The formulas of unsigned integers against those of C++, and those that
/// signed ones serve against their own.
///
//===----------------------------------------------------------------------===//
#include "Ops/Algebra/Scalar.h"
#include "Ops/Operators.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

using namespace kexpr;
using namespace kexpr::ops;

namespace {

template <class T> std::vector<T> numbersOf() {
  std::vector<T> numbers;
  for (int i = -9; i <= 9; ++i) {
    numbers.push_back(static_cast<T>(i));
    numbers.push_back(static_cast<T>(std::numeric_limits<T>::max() / 2 + i));
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i)
    numbers.push_back(static_cast<T>(random() >> random() % 64));
  return numbers;
}

template <class Op, class T, std::size_t... I>
auto bitsOf(const T *x, std::index_sequence<I...>) {
  const auto argument = [x]<std::size_t K>() {
    using A = std::conditional_t<Op::info.takesCondition && K == 0, bool, T>;
    return Scalar<A>{static_cast<A>(x[K] & (std::is_same_v<A, bool> ? 1 : ~0))};
  };
  const auto result = Op::formula(argument.template operator()<I>()...).rep;
  if constexpr (std::is_same_v<decltype(result), const bool>)
    return result;
  else
    return static_cast<std::make_unsigned_t<T>>(result);
}

template <class Op, class U> void checkSignless() {
  using S = std::make_signed_t<U>;
  constexpr auto arguments = std::make_index_sequence<arityOf<Op>>{};
  const auto numbers = numbersOf<U>();
  std::mt19937 random(4);
  for (int i = 0; i < 4000; ++i) {
    U x[MaxArity];
    S y[MaxArity];
    for (std::size_t k = 0; k < MaxArity; ++k) {
      x[k] = numbers[random() % numbers.size()];
      y[k] = static_cast<S>(x[k]);
    }
    ASSERT_EQ((bitsOf<Op, U>(x, arguments)), (bitsOf<Op, S>(y, arguments)))
        << Op::info.name << " of " << +x[0] << ", " << +x[1];
  }
}

TEST(Signless, OperatorsGiveTheBitsOfSignedIntegers) {
  int count = 0;
  AllOperators::forEach([&]<class Op>() {
    if constexpr (Op::info.isSignless &&
                  worksIn(Op::info.types, Arithmetic::I64)) {
      ++count;
      checkSignless<Op, std::uint8_t>();
      checkSignless<Op, std::uint16_t>();
      checkSignless<Op, std::uint32_t>();
      checkSignless<Op, std::uint64_t>();
    }
  });
  EXPECT_GT(count, 20);
}

template <class Op, class T> T valueOf(T x, T y) {
  return Op::formula(Scalar<T>{x}, Scalar<T>{y}).rep;
}

template <class T> void checkDivisions() {
  const auto numbers = numbersOf<T>();
  for (T x : numbers)
    for (T y : numbers) {
      const T whole = y ? x / y : 0, rest = y ? x % y : 0;
      ASSERT_EQ((valueOf<FloorDivide>(x, y)), whole) << +x << " by " << +y;
      ASSERT_EQ((valueOf<TruncDivide>(x, y)), whole) << +x << " by " << +y;
      ASSERT_EQ((valueOf<Remainder>(x, y)), rest) << +x << " by " << +y;
      ASSERT_EQ((valueOf<Fmod>(x, y)), rest) << +x << " by " << +y;
      const bool isInside = y < 8 * sizeof(T);
      ASSERT_EQ((valueOf<ShiftRight>(x, y)), isInside ? x >> y : 0);
      ASSERT_EQ((valueOf<Maximum>(x, y)), x > y ? x : y);
      ASSERT_EQ((Less::formula(Scalar<T>{x}, Scalar<T>{y}).rep), x < y);
      T power = 1;
      for (T i = 0; i < y % 20; ++i)
        power = static_cast<T>(std::uint64_t{power} * x);
      ASSERT_EQ((valueOf<Pow>(x, static_cast<T>(y % 20))), power);
    }
  EXPECT_EQ(Abs::formula(Scalar<T>{static_cast<T>(-1)}).rep,
            std::numeric_limits<T>::max());
  EXPECT_EQ(Sign::formula(Scalar<T>{static_cast<T>(-1)}).rep, 1);
}

TEST(Unsigned, FormulasAreThoseOfTheType) {
  checkDivisions<std::uint8_t>();
  checkDivisions<std::uint16_t>();
  checkDivisions<std::uint32_t>();
  checkDivisions<std::uint64_t>();
}

} // namespace
