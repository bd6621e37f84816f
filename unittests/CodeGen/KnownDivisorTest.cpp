//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Machine code that divides by a literal or by one value of a loop, without a
/// division, against one.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/KnownDivisors.h"
#include "TestUtil/Divisors.h"

using namespace kexpr;
using namespace kexpr::test;

TEST(KnownDivisor, MachineCodeGivesTheQuotientsOfADivision) {
  auto inputs = dividends();
  // So that rare ones are both in the loop and in the tail.
  std::shuffle(inputs.begin(), inputs.end(), std::mt19937(1));
  for (float y : commonDivisors()) {
    const auto plan = planToDivideBy(y);
    forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
      const CompiledLoop loop(plan, target, level);
      ASSERT_TRUE(loop);
      EXPECT_TRUE(dividesRight(loop, inputs, y));
    });
  }
}

TEST(KnownDivisor, OneValueOfALoopGivesTheQuotientsOfADivision) {
  auto inputs = dividends();
  std::shuffle(inputs.begin(), inputs.end(), std::mt19937(1));
  std::vector<float> divisors = commonDivisors(), random = randomDivisors(60);
  divisors.insert(divisors.end(), random.begin(), random.end());
  for (float y : {1.0f, 8.0f, 0x1.fffffep-1f, 0x1.000002p0f, 0x1.fffffep20f,
                  0x1p32f, 0x1.000002p32f, 0x1p-126f, 0x1p-127f, 0x1p-149f,
                  0.0f, 0x1.fffffep127f, INFINITY, NAN})
    divisors.insert(divisors.end(), {y, -y});
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(planToDivideByOne(), target, level);
    ASSERT_TRUE(loop);
    for (float y : divisors)
      EXPECT_TRUE(dividesRight(loop, inputs, y, true));
  });
}

TEST(KnownDivisor, LoopsDoNotDivide) {
  const auto target =
      *codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                            .cpu = "haswell",
                            .features = {},
                            .vectorBits = 256});
  for (const semantics::Plan &plan :
       {planFor("div(@0,12)"), planFor("add(div(@0,0.1),div(@1,255))"),
        planToDivideByOne()})
    for (const std::string &line : innerLoop(*codegen::dump(
             plan, target, codegen::OptLevel::Optimized, codegen::Stage::Asm)))
      EXPECT_EQ(line.find("vdiv"), std::string::npos) << line;
}
