//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes of main loops and what LLVM's models predict of them, for each of
// some CPUs against a generated table of well-known expressions and every
// operator of f32. Within the tolerances loops may change unseen.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/LoopReport.h"
#include "Inspect/Explain.h"
#include "Ops/Table.h"
#include "TestUtil/Skips.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <regex>
#include <sstream>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

static const std::vector<std::string> workSet = {
    "add(@0,@1)",
    "add(mul(@0,@1),@2)",
    "mul(@0,sigmoid(@0))",
    "sqrt(div(add(mul(@0,2),@1),12))",
    "add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)",
    "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),0.79788456)),"
    "1))",
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))"};

static std::string callOf(const ops::OpEntry &op) {
  std::string text(op.info.name);
  for (unsigned operand = 0; operand < op.arity; ++operand)
    text += (operand ? ",@" : "(@") + std::to_string(operand);
  return text + ')';
}

/// The work set, and every operator that takes f32.
static std::vector<std::string> measuredTexts() {
  std::vector<std::string> texts = workSet;
  for (const auto &op : ops::table())
    if (const std::string text = callOf(op);
        semantics::check(*Expression::parse(text), {}))
      texts.push_back(text);
  return texts;
}

namespace {
struct Row {
  unsigned bits = 0, elements = 0, stages = 0;
  double instructions = 0, cycles = 0; ///< An element.
  std::string limit;
};
using Rows = std::map<std::string, Row>;

class LoopTable : public testing::TestWithParam<const char *> {
protected:
  static std::string file() {
    return KEXPR_LOOP_TABLES "/" + std::string(GetParam()) + ".tsv";
  }
};
} // namespace

static Row rowOf(const std::string &text, const Target &target) {
  auto report = reportLoop(planFor(text), target, OptLevel::Optimized);
  if (!report || !report->prediction) {
    ADD_FAILURE() << text;
    return {};
  }
  const double elements = report->elements();
  return {report->vectorBits,
          report->elements(),
          report->stages,
          report->instructions / elements,
          report->prediction->cycles / elements,
          inspect::boundsOf(*report->prediction)[0].name};
}

static void write(const Rows &rows, const std::string &file) {
  std::ofstream out(file);
  out << "# Bits of a vector, elements of a step, stages; instructions and "
         "predicted cycles\n"
         "# an element, what bounds them; expression. KEXPR_BLESS=1 writes it "
         "anew.\n"
      << std::fixed;
  for (const auto &[text, row] : rows)
    out << row.bits << '\t' << row.elements << '\t' << row.stages << '\t'
        << std::setprecision(2) << row.instructions << '\t'
        << std::setprecision(3) << row.cycles << '\t' << row.limit << '\t'
        << text << '\n';
}

static Rows read(const std::string &file) {
  Rows rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    Row row;
    std::string text;
    if (fields >> row.bits >> row.elements >> row.stages >> row.instructions >>
        row.cycles >> row.limit >> text)
      rows[text] = row;
  }
  return rows;
}

TEST_P(LoopTable, IsAboutWhatTheFileSays) {
  const Target target = *makeTarget(
      {.triple = {}, .cpu = GetParam(), .features = {}, .vectorBits = 0});
  Rows found;
  for (const std::string &text : measuredTexts())
    found[text] = rowOf(text, target);
  if (std::getenv("KEXPR_BLESS"))
    write(found, file());
  Rows rows = read(file());
  if (!std::filesystem::exists(KEXPR_LOOP_TABLES))
    GTEST_SKIP() << kexpr::test::skips::OtherLlvm;
  EXPECT_EQ(rows.size(), found.size());
  constexpr double tolerance = 0.15, digits = 0.01;
  for (const auto &[text, row] : found) {
    SCOPED_TRACE(text);
    const Row &expected = rows[text];
    EXPECT_EQ(row.bits, expected.bits);
    EXPECT_EQ(row.elements, expected.elements);
    EXPECT_EQ(row.stages, expected.stages);
    EXPECT_NEAR(row.instructions, expected.instructions,
                tolerance * expected.instructions + digits);
#ifndef __clang__ // Its builds have the instructions in another order.
    EXPECT_NEAR(row.cycles, expected.cycles,
                tolerance * expected.cycles + digits);
#endif
  }
}

static std::string nameOfCpu(const testing::TestParamInfo<const char *> &info) {
  return std::regex_replace(info.param, std::regex("-"), "_");
}

INSTANTIATE_TEST_SUITE_P(Cpus, LoopTable,
                         testing::Values("haswell", "skylake-avx512",
                                         "icelake-server", "sapphirerapids",
                                         "znver3", "znver4", "neoverse-n1",
                                         "neoverse-v1"),
                         nameOfCpu);
