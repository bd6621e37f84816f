//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main loops of kernels of one function keep all they need in registers.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"

#include <sstream>

using namespace kexpr;
using namespace kexpr::test;

class OneFunction : public testing::TestWithParam<Precision> {};

TEST_P(OneFunction, SpillsLittleInItsLoopOverAvx2) {
  const auto target =
      *codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                            .cpu = "haswell",
                            .features = {},
                            .vectorBits = 256});
  for (ops::OpId id = 0; id < ops::table().size(); ++id) {
    const ops::OpEntry &entry = ops::table()[id];
    if (!entry.isFloatToFloat())
      continue;
    std::string call = std::string(entry.info.name) + "(@0";
    for (unsigned k = 1; k < entry.arity; ++k)
      call += ",@" + std::to_string(k);
    semantics::Plan plan = planFor(call + ")");
    plan.precision = GetParam();
    const auto loop = innerLoop(*codegen::dump(
        plan, target, codegen::OptLevel::Optimized, codegen::Stage::Asm));
    ASSERT_FALSE(loop.empty()) << call;
    // What stages carry may take more registers than there are: a load more is
    // cheaper than a longer chain.
    const auto spills =
        std::count_if(loop.begin(), loop.end(), [](const std::string &line) {
          return line.find("(%rsp") != std::string::npos;
        });
    EXPECT_LE(spills, loop.size() / 4) << call;
  }
}

/// What a thread's stack happens to be would decide whether it is in two lines.
TEST_P(OneFunction, SpillsVectorsToOneLineEach) {
  const auto target =
      *codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                            .cpu = "haswell",
                            .features = {},
                            .vectorBits = 256});
  std::size_t spills = 0;
  for (const char *call : {"sin(@0)", "log(@0)", "erf(@0)", "pow(@0,@1)"}) {
    semantics::Plan plan = planFor(call);
    plan.precision = GetParam();
    std::istringstream code(*codegen::dump(
        plan, target, codegen::OptLevel::Optimized, codegen::Stage::Asm));
    for (std::string line; std::getline(code, line);)
      if (line.find("%ymm") != std::string::npos &&
          line.find("(%rsp)") != std::string::npos) {
        ++spills;
        EXPECT_EQ(line.find("vmovup"), std::string::npos) << call << line;
        EXPECT_EQ(line.find("vmovdqu"), std::string::npos) << call << line;
      }
  }
  EXPECT_GT(spills, 0u);
}

INSTANTIATE_TEST_SUITE_P(Precisions, OneFunction,
                         testing::Values(Precision::Default,
                                         Precision::Accurate, Precision::Fast));
