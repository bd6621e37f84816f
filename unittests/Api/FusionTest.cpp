//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/TestData.h"
#include "CodeGen/CodeGen.h"
#include "Runtime/Pipeline.h"

#include <gtest/gtest.h>

#include <regex>

using namespace kexpr;

namespace {
/// How often `pattern` occurs in `text`.
std::ptrdiff_t count(const std::string &text, const char *pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                       std::sregex_iterator());
}

} // namespace

class Fusion : public testing::TestWithParam<std::string> {};

TEST_P(Fusion, IsOneLoopWithoutTemporaries) {
  auto expression = Expression::parse(GetParam());
  ASSERT_TRUE(expression) << expression.error().render();
  auto plan = runtime::planOf(*expression);
  ASSERT_TRUE(plan) << plan.error().render();
  auto target = codegen::makeTarget({"x86_64-pc-linux-gnu", "znver3", "", 256});
  ASSERT_TRUE(target) << target.error().render();
  auto ir = codegen::dump(*plan, *target, codegen::OptLevel::Optimized,
                          codegen::Stage::Llvm);
  ASSERT_TRUE(ir) << ir.error().render();

  EXPECT_EQ(count(*ir, "\nvector\\.loop:"), 1);
  EXPECT_EQ(count(*ir, "\ntail:"), 1);
  // A vector is all there is besides: what stages store that are not filled.
  EXPECT_EQ(count(*ir, "alloca"), count(*ir, "%scratch\\d* = alloca <"));
  // Every call is an intrinsic, which is an instruction of the machine.
  EXPECT_EQ(count(*ir, "call "), count(*ir, "call [^@]*@llvm\\."));
  // One masked load an operand and one masked store an output in the tail.
  EXPECT_EQ(count(*ir, "call [^@]*@llvm\\.masked\\.load"),
            static_cast<std::ptrdiff_t>(plan->inputs.size()));
  EXPECT_EQ(count(*ir, "call [^@]*@llvm\\.masked\\.store"),
            static_cast<std::ptrdiff_t>(plan->outputs.size()));
  // The main loop loads and stores each once for every copy it is unrolled by.
  const auto stores = count(*ir, "store <");
  const auto copies =
      stores / static_cast<std::ptrdiff_t>(plan->outputs.size());
  EXPECT_GE(copies, 1);
  EXPECT_EQ(stores % static_cast<std::ptrdiff_t>(plan->outputs.size()), 0);
  EXPECT_EQ(count(*ir, "%(?!constant)\\S+ = load <"),
            copies * static_cast<std::ptrdiff_t>(plan->inputs.size()));

  auto assembly = codegen::dump(*plan, *target, codegen::OptLevel::Optimized,
                                codegen::Stage::Asm);
  ASSERT_TRUE(assembly) << assembly.error().render();
  EXPECT_EQ(count(*assembly, "\tcallq?\t"), 0);
}

static std::vector<std::string> fusedExpressions() {
  auto result = test::listed("elementwise");
  for (const std::string &list : test::listed("several-outputs"))
    result.push_back(list);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Listed, Fusion, testing::ValuesIn(fusedExpressions()));
