//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Subject.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::tools;

static Expression parse(std::string_view text) {
  return *Expression::parse(text);
}

/// An expression, exactly, and rounded to f64.
static double exactly(std::string_view text, std::vector<double> arguments,
                      DType type = DType::F32) {
  const Subject subject = expressionSubject(parse(text), type);
  std::vector<Real> results(subject.outputs);
  settle(subject, arguments, results);
  return results[0].roundTo(DType::F64);
}

static double quickly(std::string_view text, std::vector<double> arguments) {
  const ReferenceProgram program(parse(text), DType::F32);
  std::vector<double> results(program.outputs());
  program.evaluate<double>(arguments, results);
  return results[0];
}

TEST(UlpReferenceProgram, ComputesCalls) {
  EXPECT_EQ(exactly("mul(add(@0,@1),@2)", {1, 2, 5}), 15);
  EXPECT_EQ(exactly("@1", {1, 2}), 2);
  EXPECT_EQ(exactly("clamp(@0,-1,1)", {7}), 1);
  EXPECT_EQ(quickly("mul(add(@0,@1),@2)", {1, 2, 5}), 15);
}

TEST(UlpReferenceProgram, RoundsNothingOnTheWay) {
  // In f32 and in double the sum would be 1.
  EXPECT_EQ(exactly("sub(add(@0,@1),@0)", {1, 0x1p-100}), 0x1p-100);
  EXPECT_EQ(exactly("sub(exp(@0),1)", {0x1p-90}), 0x1p-90);
}

TEST(UlpReferenceProgram, OverloadsAreTheirExpansions) {
  EXPECT_EQ(exactly("add(@0,@1,3)", {1, 2}), 7);
  EXPECT_EQ(exactly("sub(@0,@1,@2)", {1, 2, 4}), -7);
  EXPECT_EQ(exactly("add(@0,2,3)", {1}), 7);
}

TEST(UlpReferenceProgram, LiteralsAreRoundedToTheElementType) {
  EXPECT_EQ(exactly("mul(@0,0.1)", {1}, DType::F32), 0x1.99999ap-4);
  EXPECT_EQ(exactly("mul(@0,0.1)", {1}, DType::F64), 0.1);
  EXPECT_EQ(exactly("add(@0,True)", {1}), 2);
}

TEST(UlpReferenceProgram, LiteralsAmongThemselvesAreComputedInDouble) {
  // Rounded first, the two would cancel.
  EXPECT_EQ(exactly("mul(@0,sub(1.0000000001,1))", {1}, DType::F64),
            1.0000000001 - 1);
  EXPECT_EQ(exactly("mul(@0,sub(1.0000000001,1))", {1}, DType::F32),
            static_cast<float>(1.0000000001 - 1));
}

TEST(UlpReferenceProgram, ListsAreSeveralOutputs) {
  const Subject subject =
      expressionSubject(parse("[add(@0,@1),mul(@0,@1),3]"), DType::F32);
  ASSERT_EQ(subject.outputs, 3u);
  const double arguments[] = {2, 5};
  Real results[3];
  settle(subject, arguments, results);
  EXPECT_TRUE(results[0] == Real(7));
  EXPECT_TRUE(results[1] == Real(10));
  EXPECT_TRUE(results[2] == Real(3));
}

TEST(UlpReferenceProgram, SlotsThatAreNotNamedAreNotLookedAt) {
  EXPECT_EQ(exactly("add(@0,@2)", {1, 100, 2}), 3);
}

TEST(UlpReferenceProgram, CancellingRaisesThePrecision) {
  // 700 digits cancel.
  EXPECT_EQ(exactly("log(add(1,exp(@0)))", {-700}, DType::F64),
            std::exp(-700.0));
  // The argument of the sine has 433 bits before its point.
  const double value = exactly("sin(exp(@0))", {300}, DType::F64);
  const Real::WithBits bits(2048);
  EXPECT_EQ(value, sin(exp(Real(300))).roundTo(DType::F64));
}

TEST(UlpReferences, EveryFloatOperatorHasOne) {
  for (ops::OpId op = 0; op < ops::table().size(); ++op)
    EXPECT_EQ(realReference(op) != nullptr,
              ops::table()[op].reference != nullptr)
        << ops::table()[op].info.name;
}

TEST(UlpReferences, AreTheReferencesOfTheTable) {
  for (ops::OpId op = 0; op < ops::table().size(); ++op) {
    const ops::OpEntry &entry = ops::table()[op];
    if (!entry.reference)
      continue;
    const double numbers[ops::MaxArity] = {0.75, 0.25, 0.5, 0.125};
    Real wide[ops::MaxArity], exact;
    std::copy(std::begin(numbers), std::end(numbers), wide);
    settle([&](std::span<Real> out) { out[0] = realReference(op)(wide); },
           {&exact, 1});
    const double expected = entry.reference(numbers);
    EXPECT_TRUE(sameNumber(expected, exact.roundTo(DType::F64)) ||
                judge(expected, exact, DType::F64).ulp < 4)
        << entry.info.name;
  }
}
