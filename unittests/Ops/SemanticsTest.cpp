//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What PyTorch gives where it is not what one might think, value by value;
/// both for the formula and for the reference.
///
//===----------------------------------------------------------------------===//
#include "Ops/Algebra/Scalar.h"
#include "Ops/Operators.h"
#include "TestUtil/Floats.h"

#include <gtest/gtest.h>

using namespace kexpr;
using kexpr::test::sameFloat;
using namespace kexpr::ops;

namespace {

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float Nan = std::numeric_limits<float>::quiet_NaN();
constexpr float Pi = 3.14159274f;

template <class Op, class... Args> void expectValue(float value, Args... args) {
  float formula = Op::formula(Scalar<float>{args}...).rep;
  float reference = static_cast<float>(Op::reference(args...));
  EXPECT_PRED2(sameFloat, formula, value) << "formula of " << Op::info.name;
  EXPECT_PRED2(sameFloat, reference, value) << "reference of " << Op::info.name;
}

TEST(TorchSemantics, RoundGoesToEven) {
  expectValue<Round>(0, 0.5f);
  expectValue<Round>(2, 1.5f);
  expectValue<Round>(2, 2.5f);
  expectValue<Round>(-0.0f, -0.5f);
  expectValue<Round>(-2, -2.5f);
}

TEST(TorchSemantics, SignOfNanAndZerosIsZero) {
  expectValue<Sign>(0, Nan);
  expectValue<Sign>(0, 0.0f);
  expectValue<Sign>(0, -0.0f);
  expectValue<Sign>(-1, -Inf);
  expectValue<Sign>(1, 1e-45f);
}

TEST(TorchSemantics, ExtremesPropagateNanAndTakeTheFirstOfEquals) {
  expectValue<Maximum>(Nan, Nan, 1.0f);
  expectValue<Maximum>(Nan, 1.0f, Nan);
  expectValue<Maximum>(0.0f, 0.0f, -0.0f);
  expectValue<Maximum>(-0.0f, -0.0f, 0.0f);
  expectValue<Minimum>(Nan, Nan, 1.0f);
  expectValue<Minimum>(Nan, 1.0f, Nan);
  expectValue<Minimum>(0.0f, 0.0f, -0.0f);
  expectValue<Minimum>(-0.0f, -0.0f, 0.0f);
}

TEST(TorchSemantics, FloorDivideFloorsTheExactQuotient) {
  expectValue<FloorDivide>(3, 7.0f, 2.0f);
  expectValue<FloorDivide>(-4, -7.0f, 2.0f);
  expectValue<FloorDivide>(-4, -7.5f, 2.0f);
  expectValue<FloorDivide>(9, 1.0f, 0.1f);
  expectValue<FloorDivide>(Inf, 5.0f, 0.0f);
  expectValue<FloorDivide>(Nan, 0.0f, 0.0f);
  expectValue<FloorDivide>(Nan, Inf, 2.0f);
  expectValue<FloorDivide>(Inf, Inf, 0.0f);
  expectValue<FloorDivide>(-0.0f, 0.0f, -5.0f);
  expectValue<FloorDivide>(-1, -5.0f, Inf);
  expectValue<FloorDivide>(0, -5.0f, -Inf);
}

TEST(TorchSemantics, RemainderHasTheSignOfTheDivisor) {
  expectValue<Remainder>(1, -7.0f, 2.0f);
  expectValue<Remainder>(-1, 7.0f, -2.0f);
  expectValue<Remainder>(-2, 1.0f, -3.0f);
  expectValue<Remainder>(Inf, -1.0f, Inf);
  expectValue<Remainder>(-0.0f, -6.0f, 2.0f);
  expectValue<Remainder>(Nan, 5.0f, 0.0f);
}

TEST(TorchSemantics, FmodHasTheSignOfTheDividend) {
  expectValue<Fmod>(-1, -7.0f, 2.0f);
  expectValue<Fmod>(-1, -1.0f, Inf);
  expectValue<Fmod>(-0.0f, -6.0f, 2.0f);
  expectValue<Fmod>(Nan, 5.0f, 0.0f);
  expectValue<Fmod>(Nan, Inf, 2.0f);
}

TEST(TorchSemantics, FmodIsExactForAnyQuotient) {
  for (float x : {3.4e38f, 1e30f, 0x1.fffffep127f, 0x1.abcdeep100f})
    for (float y : {1e-45f, 3e-45f, 0x1.23456p-126f, 0.1f, 3.0f, 1e10f}) {
      const auto exact = static_cast<float>(std::fmod(double{x}, double{y}));
      expectValue<Fmod>(exact, x, y);
      expectValue<Fmod>(-exact, -x, y);
    }
}

TEST(TorchSemantics, DivisionByALiteralIsTrueDivision) {
  // 1 / 12 is rounded; five twelfths of it are not five twelfths.
  const Scalar<float> twelve{12.0f};
  int different = 0;
  for (int i = 1; i < 1000; ++i) {
    const Scalar<float> x{static_cast<float>(i)};
    EXPECT_EQ(Div::formula(x, twelve).rep, static_cast<float>(i / 12.0));
    different += Div::formula(x, twelve).rep != i * (1.0f / 12);
  }
  EXPECT_GT(different, 0);
}

TEST(TorchSemantics, Atan2TellsTheSignsOfZeros) {
  expectValue<Atan2>(0, 0.0f, 0.0f);
  expectValue<Atan2>(-0.0f, -0.0f, 0.0f);
  expectValue<Atan2>(Pi, 0.0f, -0.0f);
  expectValue<Atan2>(-Pi, -0.0f, -0.0f);
  expectValue<Atan2>(Pi / 4, Inf, Inf);
  expectValue<Atan2>(-3 * Pi / 4, -Inf, -Inf);
  expectValue<Atan2>(0, 1.0f, Inf);
}

TEST(TorchSemantics, PowOfOneAndToZeroIsOneEvenForNan) {
  expectValue<Pow>(1, Nan, 0.0f);
  expectValue<Pow>(1, 1.0f, Nan);
  expectValue<Pow>(Nan, -2.0f, 0.5f);
  expectValue<Pow>(0, -0.0f, 0.5f);
  expectValue<Pow>(Inf, -Inf, 0.5f);
}

TEST(TorchSemantics, RootsAndReciprocalsOfZero) {
  expectValue<Rsqrt>(Inf, 0.0f);
  expectValue<Rsqrt>(-Inf, -0.0f);
  expectValue<Reciprocal>(-Inf, -0.0f);
}

TEST(TorchSemantics, LogaddexpOfEqualInfinities) {
  expectValue<Logaddexp>(Inf, Inf, Inf);
  expectValue<Logaddexp>(-Inf, -Inf, -Inf);
}

TEST(TorchSemantics, PeriodicFunctionsOfInfinityAreNan) {
  expectValue<Sin>(Nan, Inf);
  expectValue<Cos>(Nan, -Inf);
  expectValue<Tan>(Nan, Inf);
  expectValue<Sin>(-0.0f, -0.0f);
  expectValue<Tan>(-0.0f, -0.0f);
}

} // namespace
