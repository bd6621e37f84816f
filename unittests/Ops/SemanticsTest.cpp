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

#include <bit>
#include <random>

using namespace kexpr;
using kexpr::test::sameFloat;
using kexpr::test::ulpError;
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

template <class Op> void expectTruths(std::initializer_list<float> trueOf) {
  for (float x : {0.0f, -0.0f, 1.0f, -1e-45f, 3.4e38f, Inf, -Inf, Nan, -Nan}) {
    bool expected = false;
    for (float each : trueOf)
      expected |= sameFloat(each, x);
    EXPECT_EQ(Op::formula(Scalar<float>{x}).rep, expected) << x;
    EXPECT_EQ(Op::formula(Scalar<double>{x}).rep, expected) << x;
    EXPECT_EQ(Op::reference(x), expected) << x;
  }
}

TEST(TorchSemantics, ClassesOfFloats) {
  expectTruths<Isnan>({Nan});
  expectTruths<Isinf>({Inf, -Inf});
  expectTruths<Isposinf>({Inf});
  expectTruths<Isneginf>({-Inf});
  expectTruths<Isfinite>({0.0f, -0.0f, 1.0f, -1e-45f, 3.4e38f});
  // Not of -NaN, as it is in PyTorch: no operation says which NaN it gives.
  expectTruths<Signbit>({-0.0f, -1e-45f, -Inf});
}

TEST(TorchSemantics, ClassesOfIntegers) {
  const Scalar<std::int32_t> x{-3};
  EXPECT_FALSE(Isnan::formula(x).rep);
  EXPECT_FALSE(Isinf::formula(x).rep);
  EXPECT_FALSE(Isposinf::formula(x).rep);
  EXPECT_FALSE(Isneginf::formula(x).rep);
  EXPECT_TRUE(Isfinite::formula(x).rep);
  EXPECT_TRUE(Signbit::formula(x).rep);
  EXPECT_FALSE(Signbit::formula(Scalar<std::uint8_t>{200}).rep);
  EXPECT_FALSE(Signbit::formula(Scalar<bool>{true}).rep);
  EXPECT_TRUE(Isfinite::formula(Scalar<bool>{true}).rep);
  EXPECT_EQ(NanToNum::formula(x, x, x, x).rep, -3);
}

TEST(TorchSemantics, MissingNumbersLose) {
  expectValue<Fmax>(1, Nan, 1.0f);
  expectValue<Fmax>(1, 1.0f, Nan);
  expectValue<Fmax>(Nan, Nan, Nan);
  expectValue<Fmax>(-0.0f, -0.0f, 0.0f);
  expectValue<Fmin>(1, Nan, 1.0f);
  expectValue<Fmin>(-Inf, Nan, -Inf);
  expectValue<Fmin>(0.0f, 0.0f, -0.0f);
}

TEST(TorchSemantics, SignsAndSteps) {
  expectValue<Copysign>(-1, 1.0f, -0.0f);
  expectValue<Copysign>(0, -0.0f, 3.0f);
  expectValue<Copysign>(1, -1.0f, -Nan);
  expectValue<Copysign>(-Inf, Inf, -1.0f);
  expectValue<Heaviside>(0.5f, -0.0f, 0.5f);
  expectValue<Heaviside>(0, Nan, 0.5f);
  expectValue<Heaviside>(1, Inf, Nan);
  expectValue<Heaviside>(Nan, 0.0f, Nan);
  expectValue<NanToNum>(3, Nan, 3.0f, 4.0f, 5.0f);
  expectValue<NanToNum>(4, Inf, 3.0f, 4.0f, 5.0f);
  expectValue<NanToNum>(5, -Inf, 3.0f, 4.0f, 5.0f);
  expectValue<NanToNum>(-0.0f, -0.0f, 3.0f, 4.0f, 5.0f);
  expectValue<Frac>(0, -2.0f);
  expectValue<Frac>(-0.5f, -2.5f);
  expectValue<Frac>(Nan, Inf);
}

TEST(TorchSemantics, Shrinks) {
  expectValue<Hardshrink>(0, 0.5f, 0.5f);
  expectValue<Hardshrink>(0, -0.0f, 0.5f);
  expectValue<Hardshrink>(-0.0f, -0.0f, -1.0f);
  expectValue<Hardshrink>(Nan, Nan, 0.5f);
  expectValue<Softshrink>(-0.0f, -0.0f, 0.5f);
  expectValue<Softshrink>(-0.25f, -0.75f, 0.5f);
  expectValue<Softshrink>(Nan, Nan, 0.5f);
  expectValue<Softshrink>(-Inf, -Inf, 0.5f);
  expectValue<Hardtanh>(-0.0f, -0.0f, 0.0f, 1.0f);
  expectValue<Hardtanh>(Nan, Nan, 0.0f, 1.0f);
}

TEST(TorchSemantics, FmaRoundsOnce) {
  expectValue<Fma>(0x1p-46f, 0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f);
  EXPECT_EQ(Fma::formula(Scalar<std::int8_t>{100}, Scalar<std::int8_t>{3},
                         Scalar<std::int8_t>{1})
                .rep,
            45);
}

TEST(TorchSemantics, PowersAndLogarithmsOfTwoAreExact) {
  for (int n = -149; n <= 127; ++n) {
    const float power = std::ldexp(1.0f, n), exponent = static_cast<float>(n);
    expectValue<Exp2>(power, exponent);
    expectValue<Log2>(exponent, power);
    EXPECT_EQ(Log2::fast(Scalar<float>{power}).rep, exponent);
    EXPECT_EQ(Exp2::formula(Scalar<double>{8.0 * n}).rep,
              std::ldexp(1.0, 8 * n));
    EXPECT_EQ(Log2::formula(Scalar<double>{power}).rep, n);
  }
  expectValue<Exp2>(0, -Inf);
  expectValue<Log2>(-Inf, -0.0f);
  expectValue<Log2>(Nan, -1.0f);
}

TEST(TorchSemantics, RootsOfAnySize) {
  expectValue<Cbrt>(-2, -8.0f);
  expectValue<Cbrt>(-0.0f, -0.0f);
  expectValue<Cbrt>(-Inf, -Inf);
  expectValue<Hypot>(5e30f, 3e30f, -4e30f);
  expectValue<Hypot>(Inf, -Inf, Nan);
  expectValue<Hypot>(0, -0.0f, -0.0f);
  EXPECT_EQ(Hypot::formula(Scalar<double>{3e300}, Scalar<double>{4e300}).rep,
            5e300);
  EXPECT_EQ(
      Hypot::formula(Scalar<double>{0x3p-1074}, Scalar<double>{0x4p-1074}).rep,
      0x5p-1074);
}

/// x + e^y to 60 digits, for x next to -e^y, which the result is for so small
/// numbers.
TEST(DoubleFormulas, LogaddexpKeepsWhatCancels) {
  const double cases[][3] = {
      {-0x1.12c73e5bbd5fcp-909, -630, 0x1.fb7e0f78675b3p-964},
      {-0x1.300ff6c7c2e28p-938, -650, 0x1.3149289268fd6p-992},
      {-0x1.300ff6c7c4129p-938, -650, -0x1.300b3adb5db66p-978},
      {-0x1.5077a2b3a069bp-967, -670, -0x0.01a055457e680p-1022},
      {-0x1.5077a2b3a1ba2p-967, -670, -0x1.50700340aa8b0p-1007},
      {-0x1.745367beacec7p-996, -690, -0x0.0000001bfca7bp-1022},
      {-0x1.74537f03e3686p-996, -690, -0x1.745367bf6ff2ap-1016},
      {-0x1.4ff475c68df01p-1011, -700.5, -0x0.0000000a7fa45p-1022}};
  for (const auto &[x, y, sum] : cases) {
    const double got =
        Logaddexp::formula(Scalar<double>{x}, Scalar<double>{y}).rep;
    EXPECT_NEAR(got, sum, std::abs(sum) * 0x1p-52 + 0x1p-1074)
        << "of " << x << " and " << y;
  }
}

/// Of two f32 numbers, against f64, which keeps 2^-99 of them.
static void expectLogaddexp(float x, float y) {
  const double exact =
      Logaddexp::formula(Scalar<double>{x}, Scalar<double>{y}).rep;
  const Scalar<float> a{x}, b{y};
  ASSERT_LE(ulpError(Logaddexp::formula(a, b).rep, exact),
            Logaddexp::info.ulp.f32)
      << x << " and " << y;
  ASSERT_LE(ulpError(Logaddexp::fast(b, a).rep, exact),
            Logaddexp::info.ulp.fast)
      << x << " and " << y;
}

/// Just below a power of two a number's units are the least beside it, and so
/// beside what it is the difference of.
TEST(FloatFormulas, LogaddexpOfPartsThatCancel) {
  // Of 4.9 to 4.04 units where Fast took its own way below half the parts.
  for (const auto &[x, y] : {std::pair{-0x1.a1511ap-3f, -0x1.84589ep-1f},
                             {-0x1.98d982p-3f, -0x1.880dbp-1f},
                             {-0x1.133d66p-7f, -0x1.dcce0cp+1f},
                             {-0x1.3c214cp-8f, -0x1.f13482p+1f},
                             {-0x1.192154p-3f, -0x1.02633ep-2f}})
    expectLogaddexp(x, y);
  std::mt19937 generator(6);
  std::uniform_real_distribution<double> share(0.5, 1.2), tiny(0, 0x1p-8);
  for (int i = 0; i < 400'000; ++i) {
    const double sum = std::ldexp(1 - tiny(generator), -1 - i % 8);
    const double more = sum / share(generator), x = sum - more;
    expectLogaddexp(static_cast<float>(x),
                    static_cast<float>(x + std::log(std::expm1(more))));
  }
}

/// Next to where e^x and e^y add up to 1.
TEST(FloatFormulas, LogaddexpKeepsWhatCancels) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> size(-149, 0);
  std::uniform_int_distribution<std::int32_t> reach(0, 24);
  for (int i = 0; i < 100'000; ++i) {
    const double least = i % 2 ? size(generator) : size(generator) / 149;
    const auto x = static_cast<float>(-std::exp2(least));
    const auto sum = std::log(-std::expm1(x));
    const std::int32_t far = (1 << reach(generator)) - 1;
    const auto steps = std::uniform_int_distribution(-far, far)(generator);
    const auto y =
        std::bit_cast<float>(std::bit_cast<std::int32_t>(sum) + steps);
    expectLogaddexp(x, y);
  }
}

TEST(TorchSemantics, LogarithmsWithLimits) {
  expectValue<Xlogy>(0, 0.0f, 0.0f);
  expectValue<Xlogy>(0, -0.0f, -1.0f);
  expectValue<Xlogy>(Nan, 0.0f, Nan);
  expectValue<Xlogy>(-Inf, 1.0f, 0.0f);
  expectValue<Xlogy>(Nan, Inf, 1.0f);
  expectValue<Xlogy>(-Inf, Inf, 0.5f);
  EXPECT_EQ(Xlogy::formula(Scalar<double>{Inf}, Scalar<double>{2}).rep, Inf);
  expectValue<Logit>(-Inf, -0.0f);
  expectValue<Logit>(Inf, 1.0f);
  expectValue<Logit>(0, 0.5f);
  expectValue<Logit>(Nan, 2.0f);
  expectValue<Logit>(Nan, -Inf);
  EXPECT_FALSE(std::signbit(Logit::formula(Scalar<double>{0.5}).rep));
}

} // namespace
