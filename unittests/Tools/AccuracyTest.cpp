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

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace kexpr;
using namespace kexpr::tools;

using Case = std::tuple<ops::OpId, DType>;

class EveryKernel : public testing::TestWithParam<Case> {};

TEST_P(EveryKernel, IsWithinItsBound) {
  const auto [op, type] = GetParam();
  const auto measured = measure(
      {.op = op,
       .type = type,
       .precisions = {Precision::Default, Precision::Accurate, Precision::Fast},
       .step = 256,
       .count = 1 << 14,
       .sweep = {.threads = 1}});
  ASSERT_TRUE(measured) << measured.error().message();
  ASSERT_FALSE(measured->kernels.empty());
  for (const Accuracy &kernel : measured->kernels) {
    SCOPED_TRACE(std::string(nameOf(kernel.precision)) + ", " +
                 std::to_string(kernel.width) + " bits");
    EXPECT_LE(kernel.tally.ulp.error, kernel.bound)
        << "at "
        << (kernel.tally.ulp.arguments.empty() ? 0
                                               : kernel.tally.ulp.arguments[0]);
    EXPECT_EQ(kernel.tally.wrongSigns, 0u);
    EXPECT_EQ(kernel.tally.differing, 0u) << "from the interpreter";
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

/// The page's rows, by "name type precision".
static std::map<std::string, std::vector<double>> boundsOfPage() {
  std::map<std::string, std::vector<double>> bounds;
  std::ifstream page(KEXPR_ACCURACY_PAGE);
  for (std::string line; std::getline(page, line);) {
    std::array<std::string, 5> cells;
    std::istringstream row(line);
    std::string start;
    std::getline(row, start, '|');
    for (std::string &cell : cells)
      std::getline(row, cell, '|');
    if (start.empty() && cells[0].starts_with(" `"))
      bounds[cells[0].substr(2, cells[0].size() - 4) + cells[1] + cells[2]]
          .push_back(std::atof(cells[4].c_str()));
  }
  return bounds;
}

TEST(AccuracyPage, HasEveryKernelWithItsBound) {
  auto page = boundsOfPage();
  for (const auto &[op, type] : cases())
    for (Precision precision :
         {Precision::Default, Precision::Accurate, Precision::Fast}) {
      const bool isWide = type == DType::F64;
      const std::string key =
          std::string(ops::table()[op].info.name) +
          (isWide ? " f64   "
                  : " f32  " + std::string(nameOf(precision)) + " ");
      SCOPED_TRACE(key);
      EXPECT_EQ(page[key].size(), 3u) << "rows, one a width";
      for (double bound : page[key])
        EXPECT_EQ(bound, boundOf(op, type, precision));
    }
}

static std::string nameOfCase(const testing::TestParamInfo<Case> &test) {
  const ops::OpEntry &entry = ops::table()[std::get<0>(test.param)];
  return std::string(entry.info.name) + "_" +
         std::string(kexpr::nameOf(std::get<1>(test.param)));
}

INSTANTIATE_TEST_SUITE_P(Table, EveryKernel, testing::ValuesIn(cases()),
                         nameOfCase);
