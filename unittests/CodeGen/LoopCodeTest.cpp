//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop's report says of its instructions adds up to what it says of the
// loop.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeListing.h"
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/LoopReport.h"

#include <algorithm>
#include <numeric>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

static constexpr const char *expressions[] = {
    "add(@0,@1)", "mul(@0,sigmoid(@0))", "add(mul(@0,sigmoid(@0)),@1)",
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))", "[neg(@0),pow(@0,@1)]"};

static semantics::Plan listedPlan(const char *text) {
  semantics::Plan plan = planFor(text);
  plan.listing = std::make_shared<const syntax::Listing>(
      syntax::list(*Expression::parse(text)));
  return plan;
}

static Target targetOf(const char *cpu) {
  return *makeTarget(
      {.triple = {}, .cpu = cpu, .features = {}, .vectorBits = 0});
}

class LoopCodes : public testing::TestWithParam<const char *> {
protected:
  /// Runs `test(report, plan, target)` for every expression.
  template <class F> static void forEachLoop(F test) {
    const Target target = targetOf(GetParam());
    for (const char *text : expressions) {
      SCOPED_TRACE(text);
      const semantics::Plan plan = listedPlan(text);
      const auto report = reportLoop(plan, target, OptLevel::Optimized);
      ASSERT_TRUE(report) << report.error().message();
      test(*report, plan, target);
    }
  }
};

/// A member of all instructions together.
template <class T>
static auto sumOf(const LoopReport &report, T LoopInstruction::*member) {
  return std::accumulate(
      report.code.begin(), report.code.end(), 0u,
      [member](unsigned sum, const LoopInstruction &instruction) {
        return sum + static_cast<unsigned>(instruction.*member);
      });
}

TEST_P(LoopCodes, AddsUpToTheLoop) {
  forEachLoop([](const LoopReport &report, const auto &, const Target &) {
    EXPECT_EQ(report.code.size(), report.instructions);
    EXPECT_EQ(sumOf(report, &LoopInstruction::loads), report.loads);
    EXPECT_EQ(sumOf(report, &LoopInstruction::stores), report.stores);
    EXPECT_EQ(sumOf(report, &LoopInstruction::spills), report.spills);
    for (const LoopInstruction &instruction : report.code) {
      EXPECT_LE(instruction.live, report.allVectorRegisters);
      EXPECT_TRUE(instruction.loads || !instruction.loadsConstant);
    }
    // Something is live between a load and a store.
    EXPECT_GT(sumOf(report, &LoopInstruction::live), 0u);
  });
}

TEST_P(LoopCodes, AddsUpToThePrediction) {
  forEachLoop([](const LoopReport &report, const auto &, const Target &) {
    if (!report.prediction) {
      EXPECT_EQ(sumOf(report, &LoopInstruction::microOps), 0u);
      return;
    }
    EXPECT_EQ(sumOf(report, &LoopInstruction::microOps),
              report.prediction->microOps);
    EXPECT_EQ(sumOf(report, &LoopInstruction::chain),
              static_cast<unsigned>(report.prediction->chain));
    for (const LoopInstruction &instruction : report.code)
      EXPECT_LE(instruction.chain, report.prediction->chain);
    std::vector<double> busy(report.prediction->units.size());
    for (const LoopInstruction &instruction : report.code)
      for (const UnitUse &use : instruction.units)
        busy.at(use.unit) += use.cycles;
    for (std::size_t i = 0; i < busy.size(); ++i)
      EXPECT_NEAR(busy[i], report.prediction->units[i].cycles, 1e-6);
  });
}

TEST_P(LoopCodes, HasThePlacesOfTheListing) {
  forEachLoop([](const LoopReport &report, const semantics::Plan &plan,
                 const Target &target) {
    const auto listing = listCode(plan, target, OptLevel::Optimized);
    ASSERT_TRUE(listing);
    std::vector<SourceLocation> locations;
    for (const CodeLine &line : listing->assembly)
      if (line.isInLoop && !line.isLabel)
        locations.push_back(line.location);
    ASSERT_EQ(report.code.size(), locations.size());
    for (std::size_t i = 0; i < locations.size(); ++i)
      EXPECT_EQ(report.code[i].location, locations[i])
          << listing->assembly[i].text;
  });
}

TEST_P(LoopCodes, HasNoPlacesWithoutAListing) {
  const Target target = targetOf(GetParam());
  for (const char *text : expressions) {
    const auto report = reportLoop(planFor(text), target, OptLevel::Optimized);
    ASSERT_TRUE(report);
    for (const LoopInstruction &instruction : report->code)
      EXPECT_FALSE(instruction.location) << text;
  }
}

// LLVM has no model of the last one.
INSTANTIATE_TEST_SUITE_P(Cpus, LoopCodes,
                         testing::Values("znver3", "skylake-avx512",
                                         "neoverse-n1", "apple-m1",
                                         "cortex-a55", "carmel",
                                         "sapphirerapids"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(LoopCode, ConstantsFromMemoryAreKnown) {
  const auto report =
      reportLoop(listedPlan("mul(@0,sigmoid(@0))"), targetOf("skylake-avx512"),
                 OptLevel::Optimized);
  ASSERT_TRUE(report);
  EXPECT_GE(sumOf(*report, &LoopInstruction::loadsConstant), 4u);
  const auto none = reportLoop(listedPlan("add(@0,@1)"),
                               targetOf("skylake-avx512"), OptLevel::Optimized);
  ASSERT_TRUE(none);
  EXPECT_EQ(sumOf(*none, &LoopInstruction::loadsConstant), 0u);
  // One value at a time goes from memory to memory.
  for (const LoopInstruction &instruction : none->code)
    EXPECT_LE(instruction.live, 1u);
}

TEST(LoopCode, ConstantsHaveRegistersWhereLoadsAreFew) {
  // Of pow they are too many.
  for (const auto &[text, most] :
       {std::pair("mul(@0,sigmoid(@0))", 2u), std::pair("sin(@0)", 4u),
        std::pair("pow(@0,@1)", 40u)}) {
    const auto few =
        reportLoop(listedPlan(text), targetOf("znver4"), OptLevel::Optimized);
    const auto many = reportLoop(listedPlan(text), targetOf("sapphirerapids"),
                                 OptLevel::Optimized);
    ASSERT_TRUE(few && many);
    EXPECT_LE(sumOf(*few, &LoopInstruction::loadsConstant), most) << text;
    EXPECT_GT(sumOf(*many, &LoopInstruction::loadsConstant), 12u) << text;
  }
}

TEST(LoopCode, ListedConstantsHaveTheirValues) {
  const auto listing =
      listCode(listedPlan("mul(@0,sigmoid(@0))"), targetOf("skylake-avx512"),
               OptLevel::Optimized);
  ASSERT_TRUE(listing);
  const auto named = std::count_if(
      listing->assembly.begin(), listing->assembly.end(),
      [](const CodeLine &line) { return line.note.starts_with("float "); });
  EXPECT_GE(named, 4);
}

TEST(LoopCode, ListedConstantsInMemoryHaveTheirValues) {
  // Those of gelu are in two registers, and some are negative.
  for (const char *text : {"erf(@0)", "gelu(@0)"}) {
    const auto listing =
        listCode(listedPlan(text), targetOf("znver3"), OptLevel::Optimized);
    ASSERT_TRUE(listing);
    int named = 0;
    for (const CodeLine &line : listing->assembly) {
      const std::size_t name = line.text.find(".Lv8f");
      EXPECT_FALSE(name != line.text.npos && line.isLabel) << line.text;
      if (name == line.text.npos)
        continue;
      ++named;
      const std::size_t value = line.text.find('.', name + 2) + 1,
                        space = line.note.find(' ');
      ASSERT_NE(space, line.note.npos) << line.text;
      EXPECT_EQ(std::stod(line.text.substr(value)),
                std::stod(line.note.substr(space)))
          << line.text << " # " << line.note;
    }
    EXPECT_GE(named, 10) << text;
  }
}
