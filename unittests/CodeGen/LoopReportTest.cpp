//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopReport.h"

#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"

#include <regex>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

static constexpr const char *reported[] = {
    "add(@0,@1)", "mul(@0,sigmoid(@0))", "sqrt(div(add(mul(@0,2),@1),12))",
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))", "[neg(@0),pow(@0,@1)]"};

static Target targetNamed(const std::string &cpu) {
  return *makeTarget(
      {.triple = {}, .cpu = cpu, .features = {}, .vectorBits = 0});
}

static LoopReport reportOf(const char *text, const Target &target,
                           OptLevel level = OptLevel::Optimized) {
  auto report = reportLoop(planFor(text), target, level);
  EXPECT_TRUE(report) << report.error().message();
  return report ? *report : LoopReport{};
}

class LoopReports : public testing::TestWithParam<const char *> {};

/// Runs `test(report, text, target, level)` for all of the CPU's loops.
template <class F> static void forEachLoop(const char *cpu, F test) {
  const Target target = targetNamed(cpu);
  for (const char *text : reported)
    for (auto level : {OptLevel::Baseline, OptLevel::Optimized}) {
      SCOPED_TRACE(std::string(text) +
                   (level == OptLevel::Baseline ? ", baseline" : ""));
      test(reportOf(text, target, level), text, target, level);
    }
}

TEST_P(LoopReports, CountTheInstructionsOfTheAssembly) {
  forEachLoop(GetParam(), [](const LoopReport &report, const char *text,
                             const Target &target, OptLevel level) {
    const auto loop =
        innerLoop(*dump(planFor(text), target, level, Stage::Asm));
    EXPECT_EQ(report.instructions, loop.size());
    EXPECT_GE(report.loads, 1u);
    EXPECT_GE(report.stores, 1u);
    EXPECT_LE(report.spills, report.loads + report.stores);
    EXPECT_GT(report.generalRegisters, 1u);
    EXPECT_GT(report.vectorRegisters, 0u);
    EXPECT_LE(report.vectorRegisters, report.allVectorRegisters);
    EXPECT_EQ(report.elements(), report.lanes * report.unrollFactor);
  });
}

TEST_P(LoopReports, PredictNoLessThanTheirBounds) {
  forEachLoop(GetParam(), [](const LoopReport &report, const auto &...) {
    ASSERT_TRUE(report.prediction);
    const LoopPrediction &prediction = *report.prediction;
    EXPECT_EQ(prediction.unknown, 0u);
    EXPECT_GT(prediction.issueWidth, 0u);
    EXPECT_GT(prediction.microOps, 0u);
    // The simulation looks at a part of the steps, whose first and last ones
    // overlap with others.
    const double most = prediction.cycles * 1.05;
    EXPECT_GE(most * prediction.issueWidth, prediction.microOps);
    EXPECT_GE(most, prediction.carried);
    EXPECT_GE(most, prediction.windowed);
    EXPECT_GE(prediction.windowed, prediction.carried);
    EXPECT_GE(prediction.chain, prediction.carried);
    ASSERT_FALSE(prediction.units.empty());
    EXPECT_GE(most, prediction.units[0].cycles);
    EXPECT_TRUE(std::is_sorted(
        prediction.units.begin(), prediction.units.end(),
        [](const auto &a, const auto &b) { return a.cycles > b.cycles; }));
  });
}

static std::string nameOfCpu(const testing::TestParamInfo<const char *> &info) {
  return std::regex_replace(info.param, std::regex("-"), "_");
}

INSTANTIATE_TEST_SUITE_P(Cpus, LoopReports,
                         testing::Values("haswell", "skylake-avx512",
                                         "sapphirerapids", "znver3", "znver5",
                                         "neoverse-n1", "neoverse-v2",
                                         "apple-m1", "cortex-a55"),
                         nameOfCpu);

TEST(LoopReport, OfAnAddition) {
  const LoopReport report = reportOf("add(@0,@1)", targetNamed("znver3"));
  EXPECT_EQ(report.vectorBits, 256u);
  EXPECT_EQ(report.lanes, 8u);
  // Each vector is two loads, the second by the addition, and a store; what is
  // left counts.
  const unsigned vectors = report.stores;
  EXPECT_GT(vectors, 1u);
  EXPECT_EQ(report.elements(), report.lanes * vectors);
  EXPECT_EQ(report.loads, 2 * vectors);
  EXPECT_EQ(report.spills, 0u);
  EXPECT_GT(report.instructions, 3 * vectors);
  EXPECT_LE(report.instructions, 3 * vectors + 4);
  EXPECT_LE(report.vectorRegisters, vectors);
  EXPECT_EQ(report.allVectorRegisters, 16u);
  EXPECT_GE(report.generalRegisters, 4u) << "three pointers and an index";
  // Nothing but the index is handed on.
  EXPECT_EQ(report.prediction->carried, 1);
  EXPECT_GE(report.prediction->cycles, vectors);
  EXPECT_LT(report.prediction->cycles, 3 * vectors);
}

TEST(LoopReport, IsTheSameFromRunToRun) {
  const Target target = targetNamed("skylake-avx512");
  const auto one = *reportOf(reported[3], target).prediction;
  const auto two = *reportOf(reported[3], target).prediction;
  EXPECT_EQ(one.cycles, two.cycles);
  ASSERT_EQ(one.units.size(), two.units.size());
  for (std::size_t i = 0; i < one.units.size(); ++i) {
    EXPECT_EQ(one.units[i].unit, two.units[i].unit);
    EXPECT_EQ(one.units[i].cycles, two.units[i].cycles);
  }
}

TEST(LoopReport, DivisionsKeepAUnitBusy) {
  const Target target = targetNamed("skylake-avx512");
  const auto sum = reportOf("add(@0,@1)", target);
  const auto quotient = reportOf("div(@0,@1)", target);
  EXPECT_EQ(sum.instructions, quotient.instructions);
  EXPECT_GT(quotient.prediction->cycles, 2 * sum.prediction->cycles);
  EXPECT_EQ(quotient.prediction->units[0].unit, "SKXFPDivider");
}

TEST(LoopReport, CoresThatWorkInOrderWaitForEveryValue) {
  const auto inOrder =
      *reportOf("add(@0,@1)", targetNamed("cortex-a55")).prediction;
  const auto other =
      *reportOf("add(@0,@1)", targetNamed("neoverse-n1")).prediction;
  EXPECT_EQ(inOrder.window, 0u);
  EXPECT_GT(other.window, 0u);
  EXPECT_GT(inOrder.windowed, 2 * other.windowed);
  EXPECT_GT(inOrder.cycles, 2 * other.cycles);
}

TEST(LoopReport, NamesTheCpusThatShareAModel) {
  const auto sharing =
      reportOf("add(@0,@1)", targetNamed("znver5")).prediction->alsoOf;
  EXPECT_EQ(sharing, std::vector<std::string>{"znver4"});
}

TEST(LoopReport, HasNoPredictionWithoutAModel) {
  const LoopReport report = reportOf("add(@0,@1)", targetNamed("carmel"));
  EXPECT_FALSE(report.prediction);
  EXPECT_GT(report.instructions, 12u);
}

TEST(LoopReport, SpillsOfBaselineCodeAreSeen) {
  const Target target = targetNamed("znver3");
  EXPECT_GT(reportOf("add(@0,@1)", target, OptLevel::Baseline).spills, 0u);
}

TEST(LoopReport, ACpuAloneStandsForItsArchitecture) {
  EXPECT_EQ(targetNamed("neoverse-n1").triple.find("aarch64"), 0u);
  EXPECT_EQ(targetNamed("znver3").triple.find("x86_64"), 0u);
}
