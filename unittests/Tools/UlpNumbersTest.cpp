//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Floats.h"
#include "Ulp/Inputs.h"
#include "Ulp/Records.h"
#include "Ulp/Subject.h"
#include "Ulp/Verdict.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
static constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

/// A sum, however far apart its parts are.
static Real sum(double a, double b) { return Real(a) + Real(b); }

TEST(UlpReal, KeepsSignsOfZero) {
  EXPECT_TRUE(signbit(Real(-0.0)));
  EXPECT_FALSE(signbit(Real(0.0)));
  EXPECT_TRUE(Real(0.0) == Real(-0.0));
  EXPECT_TRUE(signbit(-Real(0.0)));
  EXPECT_FALSE(signbit(Real(1) - Real(1)));
  EXPECT_TRUE(signbit(Real(-1) / Real(Infinity)));
  EXPECT_TRUE(signbit(sqrt(Real(-0.0))));
  EXPECT_TRUE(signbit(fmod(Real(-3), Real(1))));
  EXPECT_TRUE(signbit(ceil(Real(-0.5))));
  EXPECT_TRUE(std::signbit(Real(-0.0).roundTo(DType::F32)));
}

TEST(UlpReal, InfinitiesAndNaNsFollowTheStandard) {
  EXPECT_TRUE((Real(1) / Real(0.0)).isInfinite());
  EXPECT_TRUE(Real(-1) / Real(0.0) < Real(0));
  EXPECT_TRUE(isnan(Real(Infinity) - Real(Infinity)));
  EXPECT_TRUE(isnan(log(Real(-1))));
  EXPECT_FALSE(Real(NaN) == Real(NaN));
  EXPECT_TRUE(Real(NaN) != Real(NaN));
  EXPECT_FALSE(Real(NaN) < Real(1));
  EXPECT_TRUE(pow(Real(1), Real(NaN)) == Real(1));
  EXPECT_TRUE(pow(Real(-1), Real(-Infinity)) == Real(1));
  EXPECT_EQ(atan2(Real(0), Real(-0.0)).roundTo(DType::F32), 0x1.921fb6p+1);
}

TEST(UlpReal, RangeOfExponentsIsWide) {
  EXPECT_FALSE(exp(Real(-1e15)).isZero());
  EXPECT_FALSE(exp(Real(1e15)).isInfinite());
}

TEST(UlpReal, RoundsToNearestEven) {
  EXPECT_EQ(sum(1, 0x1p-24).roundTo(DType::F32), 1);
  EXPECT_EQ(sum(0x1.000002p0, 0x1p-24).roundTo(DType::F32), 0x1.000004p0);
  // In one step: by way of an f64 this would be the tie above.
  EXPECT_EQ((sum(1, 0x1p-24) + Real(0x1p-100)).roundTo(DType::F32),
            0x1.000002p0);
  EXPECT_EQ(sum(1, 0x1p-53).roundTo(DType::F64), 1);
}

TEST(UlpReal, RoundsIntoTheSubnormals) {
  EXPECT_EQ(Real(0x1.8p-149).roundTo(DType::F32), 0x1p-148);
  EXPECT_EQ(Real(0x1p-150).roundTo(DType::F32), 0);
  EXPECT_EQ(sum(0x1p-150, 0x1p-300).roundTo(DType::F32), 0x1p-149);
  EXPECT_EQ(Real(0x1.fffffep-127).roundTo(DType::F32), 0x1p-126);
  EXPECT_EQ(Real(0x1p-1074).scaled(-1).roundTo(DType::F64), 0);
  EXPECT_EQ(Real(0x3p-1074).scaled(-1).roundTo(DType::F64), 0x1p-1073);
  EXPECT_TRUE(std::signbit(Real(-0x1p-200).roundTo(DType::F32)));
}

TEST(UlpReal, RoundsIntoInfinity) {
  EXPECT_EQ(Real(0x1.fffffep127).roundTo(DType::F32), 0x1.fffffep127);
  EXPECT_EQ(Real(0x1.ffffffp127).roundTo(DType::F32), Infinity);
  EXPECT_EQ(Real(0x1.fffffeffffffp127).roundTo(DType::F32), 0x1.fffffep127);
  EXPECT_EQ(Real(-1).scaled(1024).roundTo(DType::F64), -Infinity);
  EXPECT_EQ(Real(-1).scaled(1023).roundTo(DType::F64), -0x1p1023);
}

TEST(UlpReal, PrecisionIsThatOfTheThread) {
  const Real third = Real(1) / Real(3);
  const Real::WithBits more(1024);
  EXPECT_FALSE(third == Real(1) / Real(3));
  EXPECT_TRUE(fabs(third - Real(1) / Real(3)) < Real(0x1p-250));
}

TEST(UlpOrder, OrdinalsAreConsecutive) {
  for (DType type : {DType::F32, DType::F64}) {
    EXPECT_EQ(ordinalOf(type, 0.0), 0);
    EXPECT_EQ(ordinalOf(type, -0.0), -1);
    for (double x : {-Infinity, -2.5, -0.0, 0.0, 1.0, 0x1p-126, Infinity})
      EXPECT_PRED2(sameNumber, numberAt(type, ordinalOf(type, x)), x);
    EXPECT_EQ(neighbour(type, Infinity, 1), Infinity);
    EXPECT_TRUE(std::isnan(neighbour(type, NaN, 1)));
  }
  EXPECT_EQ(neighbour(DType::F32, 1, 1), 0x1.000002p0);
  EXPECT_EQ(neighbour(DType::F32, 1, -1), 0x1.fffffep-1);
  EXPECT_EQ(neighbour(DType::F32, 0x1p-149, -3), -0x1p-149);
  EXPECT_EQ(neighbour(DType::F64, 1, 1), 0x1.0000000000001p0);
}

TEST(UlpOrder, PairsAreRoundedToo) {
  double pair[] = {1e39, 0.1};
  const double rounded[] = {roundTo(DType::F32, pair[0]),
                            roundTo(DType::F32, pair[1])};
  EXPECT_EQ(rounded[0], Infinity);
  EXPECT_EQ(rounded[1], 0x1.99999ap-4);
}

TEST(UlpVerdict, UnitsChangeAtPowersOfTwo) {
  auto ulp = [](double got, const Real &exact, DType type = DType::F32) {
    return judge(got, exact, type).ulp;
  };
  EXPECT_EQ(ulp(0x1.000002p0, Real(1)), 1);
  EXPECT_EQ(ulp(0x1.fffffep-1, Real(1)), 0.5);
  EXPECT_EQ(ulp(1, Real(0x1.fffffep-1)), 1);
  EXPECT_EQ(ulp(0x1.000002p0, Real(0x1.fffffep-1)), 3);
  EXPECT_EQ(ulp(1, Real(0x1.0000000000001p0), DType::F64), 1);
  EXPECT_EQ(ulp(1, sum(1, -0x1p-60)), 0x1p-36);
}

TEST(UlpVerdict, UnitsOfSubnormalsAreOne) {
  EXPECT_EQ(judge(0, Real(0x1p-149), DType::F32).ulp, 1);
  EXPECT_EQ(judge(0x1p-126, Real(0x1.fffffcp-127), DType::F32).ulp, 1);
  EXPECT_EQ(judge(0x1p-1074, Real(0), DType::F64).ulp, 1);
}

TEST(UlpVerdict, BeyondTheRangeIsTheNextPowerOfTwo) {
  EXPECT_EQ(judge(Infinity, Real(0x1.fffffep127), DType::F32).ulp, 1);
  EXPECT_EQ(judge(0x1.fffffep127, Real(1e300), DType::F32).ulp, 1);
  EXPECT_EQ(judge(Infinity, Real(1e300), DType::F32).ulp, 0);
  EXPECT_TRUE(judge(Infinity, Real(1e300), DType::F32).isNearest);
  EXPECT_EQ(judge(-Infinity, Real(Infinity), DType::F32).ulp, 0x1p25);
}

TEST(UlpVerdict, KindsAndSigns) {
  EXPECT_EQ(judge(NaN, Real(NaN), DType::F32).ulp, 0);
  EXPECT_EQ(judge(1, Real(NaN), DType::F32).ulp, Infinity);
  EXPECT_EQ(judge(NaN, Real(Infinity), DType::F64).ulp, Infinity);
  EXPECT_TRUE(judge(0.0, Real(-0.0), DType::F32).hasWrongSign);
  EXPECT_TRUE(judge(0.0, Real(-0x1p-200), DType::F32).hasWrongSign);
  EXPECT_FALSE(judge(-0.0, Real(-0x1p-200), DType::F32).hasWrongSign);
  EXPECT_FALSE(judge(0.0, Real(-0x1p-130), DType::F32).hasWrongSign);
}

static constexpr Trust Usual{.doubt = 0x1p-16, .edges = true};

TEST(UlpVerdict, TiesAskTheExactReference) {
  // What double sees as the middle may be on either side of it.
  const double tie = 0x1.000001p0;
  EXPECT_FALSE(judgeQuickly(1, tie, Usual, 1));
  EXPECT_FALSE(judgeQuickly(1, tie + 0x1p-45, Usual, 1));
  EXPECT_TRUE(judgeQuickly(1, tie - 0x1p-30, Usual, 1));
  EXPECT_TRUE(judge(1, sum(tie, -0x1p-80), DType::F32).isNearest);
  EXPECT_FALSE(judge(1, sum(tie, 0x1p-80), DType::F32).isNearest);
  EXPECT_FALSE(judgeQuickly(0, 0x1p-150, Usual, 1));
  EXPECT_FALSE(judgeQuickly(Infinity, 0x1.ffffffp127, Usual, 1));
}

TEST(UlpVerdict, RecordsAskTheExactReference) {
  EXPECT_FALSE(judgeQuickly(0x1.000002p0, 1, Usual, 0.9));
  EXPECT_TRUE(judgeQuickly(0x1.000002p0, 1, Usual, 1.1));
  EXPECT_TRUE(judgeQuickly(1, 1 + 0x1p-26, Usual, 0));
}

TEST(UlpVerdict, EdgesAreBelievedOnlyWhereTheyAgree) {
  EXPECT_TRUE(judgeQuickly(0, 0, Usual, 1));
  EXPECT_FALSE(judgeQuickly(-0.0, 0, Usual, 1));
  EXPECT_TRUE(judgeQuickly(NaN, NaN, Usual, 1));
  EXPECT_FALSE(judgeQuickly(1, NaN, Usual, 1));
  EXPECT_FALSE(judgeQuickly(NaN, 1, Usual, 1));
  const Trust wary{.doubt = 0x1p-16, .edges = false};
  EXPECT_FALSE(judgeQuickly(NaN, NaN, wary, 1));
  EXPECT_FALSE(judgeQuickly(0, 0, wary, 1));
}

TEST(UlpVerdict, QuicklyAndSlowlyAreTheSame) {
  for (float exact : test::steppedFloats(4096))
    for (int steps : {-2, -1, 0, 1}) {
      const double shifted = double{exact} * (1 + 0x1.4p-26);
      const double got = neighbour(DType::F32, exact, steps);
      const auto quick = judgeQuickly(got, shifted, Usual, 10);
      if (!quick)
        continue;
      const Verdict slow = judge(got, Real(shifted), DType::F32);
      EXPECT_EQ(quick->ulp, slow.ulp) << hexText(got);
      EXPECT_EQ(quick->isNearest, slow.isNearest) << hexText(got);
      EXPECT_EQ(quick->hasWrongSign, slow.hasWrongSign) << hexText(got);
      EXPECT_EQ(quick->absolute, slow.absolute) << hexText(got);
    }
}

TEST(UlpText, NumbersAreReadWholeOrNotAtAll) {
  EXPECT_EQ(parseNumber("-0x1.8p+1"), -3);
  EXPECT_EQ(parseNumber("1e3"), 1000);
  for (const char *text : {"", " 1", "1 ", "1x", "--1", "one"})
    EXPECT_FALSE(parseNumber(text)) << text;
  EXPECT_EQ(parseWhole("42"), 42u);
  for (const char *text : {"", "-1", "+1", "1.0", "99999999999999999999"})
    EXPECT_FALSE(parseWhole(text)) << text;
}

TEST(UlpText, ErrorsAreRoundedUp) {
  EXPECT_EQ(ulpText(0.51), "0.5100");
  EXPECT_EQ(ulpText(0.5100001), "0.5101");
  EXPECT_EQ(ulpText(Infinity), "inf");
}
