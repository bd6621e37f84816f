//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operator through compiled kernels of every width and precision: within
// the bound of the operator table, and the interpreter's bits. A part of what
// docs/accuracy.md is made from: one f32 in 256.
//
//===----------------------------------------------------------------------===//
#include "Ops/Table.h"
#include "Ulp/Measure.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::tools;

using Case = std::tuple<ops::OpId, DType>;

class EveryKernel : public testing::TestWithParam<Case> {};

TEST_P(EveryKernel, IsWithinItsBound) {
  const auto [op, type] = GetParam();
  const auto measured =
      measure({.op = op,
               .type = type,
               .precisions = {Precision::Default, Precision::Accurate},
               .step = 256,
               .count = 1 << 14,
               .walk = {.threads = 1}});
  ASSERT_TRUE(measured) << measured.error().message();
  ASSERT_FALSE(measured->kernels.empty());
  for (const Accuracy &kernel : measured->kernels) {
    SCOPED_TRACE(std::string(nameOf(kernel.precision)) + ", " +
                 std::to_string(kernel.width) + " bits");
    EXPECT_LE(kernel.worst, kernel.bound)
        << "at " << (kernel.arguments.empty() ? 0 : kernel.arguments[0]);
    EXPECT_EQ(kernel.wrongSigns, 0u);
    EXPECT_EQ(kernel.differing, 0u) << "from the interpreter";
  }
}

static std::vector<Case> cases() {
  std::vector<Case> result;
  for (ops::OpId op = 0; op < ops::table().size(); ++op)
    if (isMeasurable(op))
      for (DType type : {DType::F32, DType::F64})
        result.emplace_back(op, type);
  return result;
}

static std::string nameOfCase(const testing::TestParamInfo<Case> &test) {
  const ops::OpEntry &entry = ops::table()[std::get<0>(test.param)];
  return std::string(entry.info.name) + "_" +
         std::string(kexpr::nameOf(std::get<1>(test.param)));
}

INSTANTIATE_TEST_SUITE_P(Table, EveryKernel, testing::ValuesIn(cases()),
                         nameOfCase);
