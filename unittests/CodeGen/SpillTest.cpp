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

INSTANTIATE_TEST_SUITE_P(Precisions, OneFunction,
                         testing::Values(Precision::Default,
                                         Precision::Accurate, Precision::Fast));
