//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Machine code that divides by a literal, without a division, against one.
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

TEST(KnownDivisor, LoopsDoNotDivide) {
  const auto target =
      *codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                            .cpu = "haswell",
                            .features = {},
                            .vectorBits = 256});
  for (const char *text : {"div(@0,12)", "add(div(@0,0.1),div(@1,255))"})
    for (const std::string &line : innerLoop(
             *codegen::dump(planFor(text), target, codegen::OptLevel::Optimized,
                            codegen::Stage::Asm)))
      EXPECT_EQ(line.find("vdiv"), std::string::npos) << text << line;
}
