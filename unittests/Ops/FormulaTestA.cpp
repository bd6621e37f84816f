//===- Ops/FormulaTestA.cpp - Edges of the transcendental formulas --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Algebra/Scalar.h"
#include "Ops/Exponential.h"
#include "Ops/Hyperbolic.h"
#include "Ops/Logarithm.h"
#include "Ops/Neural.h"
#include "Ops/Piecewise.h"
#include "Ops/Power.h"
#include "Ops/Special.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

using namespace kexpr::ops;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float tiniest = 0x1p-149f;
constexpr float largest = std::numeric_limits<float>::max();

template <class Op, class... X> float eval(X... x) {
  return Op::formula(Scalar<float>{static_cast<float>(x)}...).rep;
}

/// The same value, the sign of zero included; any NaN equals any NaN.
testing::AssertionResult same(float got, float want) {
  if (std::isnan(want) ? std::isnan(got)
                       : std::bit_cast<int>(got) == std::bit_cast<int>(want))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << std::hexfloat << got << ", not " << want;
}

template <class Op> void expectNaNStaysNaN() {
  // Quiet ones of several payloads and both signs, and a signalling one.
  for (unsigned bits : {0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0xffd55555u,
                        0x7fc00155u, 0x7f800001u})
    EXPECT_TRUE(same(eval<Op>(std::bit_cast<float>(bits)), nan))
        << Op::info.name << std::hex << " of " << bits;
}

template <class Op> void expectIdentityAtZero() {
  for (float x : {0.0f, -0.0f, tiniest, -tiniest})
    EXPECT_TRUE(same(eval<Op>(x), x)) << Op::info.name << " of " << x;
}

TEST(FormulaTest, NaNStaysNaN) {
  expectNaNStaysNaN<Exp>();
  expectNaNStaysNaN<Expm1>();
  expectNaNStaysNaN<Log>();
  expectNaNStaysNaN<Log1p>();
  expectNaNStaysNaN<Log10>();
  expectNaNStaysNaN<Sinh>();
  expectNaNStaysNaN<Cosh>();
  expectNaNStaysNaN<Tanh>();
  expectNaNStaysNaN<Asinh>();
  expectNaNStaysNaN<Acosh>();
  expectNaNStaysNaN<Atanh>();
  expectNaNStaysNaN<Erf>();
  expectNaNStaysNaN<Sigmoid>();
  expectNaNStaysNaN<Silu>();
  expectNaNStaysNaN<Gelu>();
  expectNaNStaysNaN<Relu>();
  expectNaNStaysNaN<Hardswish>();
  expectNaNStaysNaN<Hardsigmoid>();
  expectNaNStaysNaN<Softplus>();
  expectNaNStaysNaN<Mish>();
}

TEST(FormulaTest, OddFunctionsKeepTheSignOfZeroAndSubnormals) {
  expectIdentityAtZero<Expm1>();
  expectIdentityAtZero<Log1p>();
  expectIdentityAtZero<Sinh>();
  expectIdentityAtZero<Tanh>();
  expectIdentityAtZero<Asinh>();
  expectIdentityAtZero<Atanh>();
  EXPECT_TRUE(same(eval<Erf>(-0.0f), -0.0f));
  EXPECT_TRUE(same(eval<Silu>(-0.0f), -0.0f));
  EXPECT_TRUE(same(eval<Gelu>(-0.0f), -0.0f));
  EXPECT_TRUE(same(eval<Mish>(-0.0f), -0.0f));
}

TEST(FormulaTest, ExpAtItsThresholds) {
  EXPECT_TRUE(same(eval<Exp>(-0.0f), 1));
  EXPECT_TRUE(same(eval<Exp>(0x1.62e42ep+6f), 0x1.ffff08p127f));
  EXPECT_TRUE(same(eval<Exp>(0x1.62e43p+6f), inf));
  EXPECT_TRUE(same(eval<Exp>(-0x1.9fe368p+6f), tiniest));
  EXPECT_TRUE(same(eval<Exp>(-0x1.9fe36ap+6f), 0));
  for (float big : {200.0f, 1e10f, largest, inf}) {
    EXPECT_TRUE(same(eval<Exp>(big), inf));
    EXPECT_TRUE(same(eval<Exp>(-big), 0));
    EXPECT_TRUE(same(eval<Expm1>(big), inf));
    EXPECT_TRUE(same(eval<Expm1>(-big), -1));
  }
}

TEST(FormulaTest, LogarithmsAtTheEndsOfTheirDomains) {
  for (float zero : {0.0f, -0.0f}) {
    EXPECT_TRUE(same(eval<Log>(zero), -inf));
    EXPECT_TRUE(same(eval<Log10>(zero), -inf));
  }
  for (float negative : {-tiniest, -1.0f, -inf}) {
    EXPECT_TRUE(same(eval<Log>(negative), nan));
    EXPECT_TRUE(same(eval<Log10>(negative), nan));
  }
  EXPECT_TRUE(same(eval<Log>(tiniest), -0x1.9d1dap+6f));
  EXPECT_TRUE(same(eval<Log>(1.0f), 0));
  EXPECT_TRUE(same(eval<Log10>(1.0f), 0));
  EXPECT_TRUE(same(eval<Log10>(1000.0f), 3));
  EXPECT_TRUE(same(eval<Log>(inf), inf));
  EXPECT_TRUE(same(eval<Log10>(inf), inf));
  EXPECT_TRUE(same(eval<Log1p>(-1.0f), -inf));
  EXPECT_TRUE(same(eval<Log1p>(-0x1.000002p0f), nan));
  EXPECT_TRUE(same(eval<Log1p>(inf), inf));
}

TEST(FormulaTest, HyperbolicLimits) {
  EXPECT_TRUE(same(eval<Sinh>(-inf), -inf));
  EXPECT_TRUE(same(eval<Sinh>(0x1.65a9f8p+6f), 0x1.ffffd8p127f));
  EXPECT_TRUE(same(eval<Sinh>(0x1.65a9fap+6f), inf));
  EXPECT_TRUE(same(eval<Cosh>(-inf), inf));
  EXPECT_TRUE(same(eval<Cosh>(-0.0f), 1));
  EXPECT_TRUE(same(eval<Tanh>(-inf), -1));
  EXPECT_TRUE(same(eval<Tanh>(largest), 1));
  EXPECT_TRUE(same(eval<Asinh>(-inf), -inf));
  EXPECT_TRUE(same(eval<Asinh>(largest), 0x1.65a9f8p+6f));
  EXPECT_TRUE(same(eval<Acosh>(1.0f), 0));
  EXPECT_TRUE(same(eval<Acosh>(0x1.fffffep-1f), nan));
  EXPECT_TRUE(same(eval<Acosh>(-inf), nan));
  EXPECT_TRUE(same(eval<Acosh>(inf), inf));
  EXPECT_TRUE(same(eval<Atanh>(1.0f), inf));
  EXPECT_TRUE(same(eval<Atanh>(-1.0f), -inf));
  EXPECT_TRUE(same(eval<Atanh>(0x1.000002p0f), nan));
  EXPECT_TRUE(same(eval<Erf>(inf), 1));
  EXPECT_TRUE(same(eval<Erf>(-4.0f), -1));
}

TEST(FormulaTest, PowOfZeroOneAndInfinity) {
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, -2.5f})
    EXPECT_TRUE(same(eval<Pow>(x, -0.0f), 1));
  for (float y : {0.5f, -3.0f, inf, -inf, nan})
    EXPECT_TRUE(same(eval<Pow>(1.0f, y), 1));
  EXPECT_TRUE(same(eval<Pow>(-1.0f, inf), 1));
  EXPECT_TRUE(same(eval<Pow>(-1.0f, -inf), 1));
  EXPECT_TRUE(same(eval<Pow>(-1.0f, nan), nan));
  EXPECT_TRUE(same(eval<Pow>(nan, 1.0f), nan));
  EXPECT_TRUE(same(eval<Pow>(-0.0f, 3.0f), -0.0f));
  EXPECT_TRUE(same(eval<Pow>(-0.0f, 0.5f), 0));
  EXPECT_TRUE(same(eval<Pow>(-0.0f, -1.0f), -inf));
  EXPECT_TRUE(same(eval<Pow>(-0.0f, -2.0f), inf));
  EXPECT_TRUE(same(eval<Pow>(0.0f, tiniest), 0));
  EXPECT_TRUE(same(eval<Pow>(-inf, 0.5f), inf));
  EXPECT_TRUE(same(eval<Pow>(-inf, 3.0f), -inf));
  EXPECT_TRUE(same(eval<Pow>(-inf, -3.0f), -0.0f));
  EXPECT_TRUE(same(eval<Pow>(0.5f, -inf), inf));
  EXPECT_TRUE(same(eval<Pow>(-0.5f, inf), 0));
}

TEST(FormulaTest, PowOfNegativesAndLargeExponents) {
  EXPECT_TRUE(same(eval<Pow>(-2.0f, 3.0f), -8));
  EXPECT_TRUE(same(eval<Pow>(-2.0f, 4.0f), 16));
  EXPECT_TRUE(same(eval<Pow>(-2.0f, 0.5f), nan));
  EXPECT_TRUE(same(eval<Pow>(-1.0f, 0x1.fffffep23f), -1)); // odd
  EXPECT_TRUE(same(eval<Pow>(-1.0f, 0x1p24f), 1));
  EXPECT_TRUE(same(eval<Pow>(-1.0f, largest), 1));
  EXPECT_TRUE(same(eval<Pow>(2.0f, -149.0f), tiniest));
  EXPECT_TRUE(same(eval<Pow>(2.0f, 127.0f), 0x1p127f));
  EXPECT_TRUE(same(eval<Pow>(2.0f, 128.0f), inf));
  EXPECT_TRUE(same(eval<Pow>(tiniest, 1.0f), tiniest));
  EXPECT_TRUE(same(eval<Pow>(largest, largest), inf));
}

TEST(FormulaTest, PowKnowsTorchsExponents) {
  EXPECT_EQ(Pow::withLiteral(1, 2).expansion.str(), "square(@0)");
  EXPECT_EQ(Pow::withLiteral(1, 3).expansion.str(), "mul(mul(@0,@0),@0)");
  EXPECT_EQ(Pow::withLiteral(1, 0.5).expansion.str(), "sqrt(@0)");
  EXPECT_EQ(Pow::withLiteral(1, -0.5).expansion.str(), "rsqrt(@0)");
  EXPECT_EQ(Pow::withLiteral(1, -1).expansion.str(), "reciprocal(@0)");
  EXPECT_EQ(Pow::withLiteral(1, -2).expansion.str(), "reciprocal(mul(@0,@0))");
  EXPECT_TRUE(Pow::withLiteral(1, 4).expansion.empty());
  EXPECT_TRUE(Pow::withLiteral(1, nan).expansion.empty());
  EXPECT_TRUE(Pow::withLiteral(0, 2).expansion.empty());
}

TEST(FormulaTest, RootsAndReciprocals) {
  EXPECT_TRUE(same(eval<Sqrt>(-0.0f), -0.0f));
  EXPECT_TRUE(same(eval<Sqrt>(-inf), nan));
  EXPECT_TRUE(same(eval<Rsqrt>(0.0f), inf));
  EXPECT_TRUE(same(eval<Rsqrt>(-0.0f), -inf));
  EXPECT_TRUE(same(eval<Rsqrt>(-1.0f), nan));
  EXPECT_TRUE(same(eval<Rsqrt>(inf), 0));
  EXPECT_TRUE(same(eval<Reciprocal>(-0.0f), -inf));
  EXPECT_TRUE(same(eval<Reciprocal>(-inf), -0.0f));
}

TEST(FormulaTest, LogaddexpOfInfinities) {
  EXPECT_TRUE(same(eval<Logaddexp>(inf, inf), inf));
  EXPECT_TRUE(same(eval<Logaddexp>(-inf, -inf), -inf));
  EXPECT_TRUE(same(eval<Logaddexp>(inf, -inf), inf));
  EXPECT_TRUE(same(eval<Logaddexp>(-inf, 3.0f), 3));
  EXPECT_TRUE(same(eval<Logaddexp>(nan, inf), nan));
  EXPECT_TRUE(same(eval<Logaddexp>(-inf, nan), nan));
  EXPECT_TRUE(same(eval<Logaddexp>(0.0f, 0.0f), 0x1.62e43p-1f));
  EXPECT_TRUE(same(eval<Logaddexp>(100.0f, 100.0f), 0x1.92c5c8p6f));
  EXPECT_TRUE(same(eval<Logaddexp>(largest, -largest), largest));
}

TEST(FormulaTest, ActivationsAtInfinity) {
  EXPECT_TRUE(same(eval<Sigmoid>(inf), 1));
  EXPECT_TRUE(same(eval<Sigmoid>(-inf), 0));
  EXPECT_TRUE(same(eval<Sigmoid>(-103.0f), 0x1p-149f));
  EXPECT_TRUE(same(eval<Silu>(inf), inf));
  EXPECT_TRUE(same(eval<Gelu>(inf), inf));
  EXPECT_TRUE(same(eval<Mish>(inf), inf));
  // -inf * 0 in PyTorch.
  EXPECT_TRUE(same(eval<Silu>(-inf), nan));
  EXPECT_TRUE(same(eval<Gelu>(-inf), nan));
  EXPECT_TRUE(same(eval<Mish>(-inf), nan));
  EXPECT_TRUE(same(eval<Silu>(-largest), -0.0f));
  EXPECT_TRUE(same(eval<Gelu>(-largest), -0.0f));
  EXPECT_TRUE(same(eval<Mish>(-largest), -0.0f));
  EXPECT_TRUE(same(eval<Mish>(largest), largest));
  EXPECT_TRUE(same(eval<Softplus>(inf), inf));
  EXPECT_TRUE(same(eval<Softplus>(-inf), 0));
  EXPECT_TRUE(same(eval<Softplus>(0x1.400002p4f), 0x1.400002p4f));
}

TEST(FormulaTest, PiecewiseLinearActivations) {
  EXPECT_TRUE(same(eval<Relu>(-inf), 0));
  EXPECT_TRUE(same(eval<Relu>(-0.0f), -0.0f));
  EXPECT_TRUE(same(eval<Hardsigmoid>(-3.0f), 0));
  EXPECT_TRUE(same(eval<Hardsigmoid>(inf), 1));
  EXPECT_TRUE(same(eval<Hardswish>(-inf), nan));
  EXPECT_TRUE(same(eval<Hardswish>(inf), inf));
  EXPECT_TRUE(same(eval<Hardswish>(3.0f), 3));
  EXPECT_TRUE(same(eval<LeakyRelu>(-2.0f, 0.5f), -1));
  EXPECT_TRUE(same(eval<LeakyRelu>(2.0f, nan), 2));
  EXPECT_TRUE(same(eval<LeakyRelu>(nan, 0.0f), nan));
}

TEST(FormulaTest, ClampPropagatesNaNFromAnySide) {
  EXPECT_TRUE(same(eval<Clamp>(5.0f, 0.0f, 1.0f), 1));
  EXPECT_TRUE(same(eval<Clamp>(-5.0f, 0.0f, 1.0f), 0));
  EXPECT_TRUE(same(eval<Clamp>(0.5f, 0.0f, 1.0f), 0.5f));
  EXPECT_TRUE(same(eval<Clamp>(0.5f, 3.0f, 1.0f), 1)); // high wins
  EXPECT_TRUE(same(eval<Clamp>(-0.0f, 0.0f, 1.0f), -0.0f));
  EXPECT_TRUE(same(eval<Clamp>(nan, 0.0f, 1.0f), nan));
  EXPECT_TRUE(same(eval<Clamp>(0.5f, nan, 1.0f), nan));
  EXPECT_TRUE(same(eval<Clamp>(0.5f, 0.0f, nan), nan));
}

} // namespace
