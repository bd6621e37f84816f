//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many instructions an element takes in the main loops of well-known
// expressions, against a generated report. Within its tolerance, loops may
// change unseen.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <ranges>
#include <regex>

using namespace kexpr;
using namespace kexpr::test;

static constexpr const char *measuredTexts[] = {
    "add(@0,@1)",
    "add(mul(@0,@1),@2)",
    "mul(@0,sigmoid(@0))",
    "sqrt(div(add(mul(@0,2),@1),12))",
    "add(add(mul(@0,@1),mul(@2,add(add(add(@0,@2),@3),@4))),@5)",
    ("mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),0.79788456))"
     ","
     "1))"),
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))",
    "relu(add(mul(@0,@1),@2))",
    "exp(@0)",
    "log(@0)",
    "erf(@0)"};

/// The elements of a step: what the index is advanced by at the loop's end.
static int stepOf(const std::vector<std::string> &loop) {
  static const std::regex advance(R"(\s+(?:add|sub)q\s+\$(-?\d+), %r\w+)");
  for (const std::string &line : std::views::reverse(loop))
    if (std::smatch match; std::regex_match(line, match, advance))
      return std::abs(std::stoi(match[1]));
  return 0;
}

namespace {
/// Instructions and elements of a step, by CPU and expression.
struct Length {
  std::size_t instructions = 0;
  int elements = 0;
  double ratio() const { return static_cast<double>(instructions) / elements; }
};
using LoopLengths = std::map<std::pair<std::string, std::string>, Length>;
} // namespace

static Length lengthOf(const std::string &expression, const std::string &cpu) {
  const auto target = codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                                           .cpu = cpu,
                                           .features = {},
                                           .vectorBits = 0});
  const auto loop = innerLoop(*codegen::dump(planFor(expression), *target,
                                             codegen::OptLevel::Optimized,
                                             codegen::Stage::Asm));
  return {loop.size(), stepOf(loop)};
}

static void writeReport(const LoopLengths &lengths) {
  std::ofstream report(KEXPR_LOOP_LENGTHS);
  report << "# cpu, instructions of a step of the main loop, its elements, "
            "ratio, expression.\n"
            "# KEXPR_BLESS=1 writes it anew.\n"
         << std::fixed << std::setprecision(3);
  for (const auto &[key, length] : lengths)
    report << key.first << '\t' << length.instructions << '\t'
           << length.elements << '\t' << length.ratio() << '\t' << key.second
           << '\n';
}

static LoopLengths readReport() {
  LoopLengths lengths;
  std::ifstream report(KEXPR_LOOP_LENGTHS);
  for (std::string line; std::getline(report, line);) {
    std::istringstream fields(line);
    std::string cpu, ratio, expression;
    Length length;
    if (fields >> cpu >> length.instructions >> length.elements >> ratio >>
        expression)
      lengths[{cpu, expression}] = length;
  }
  return lengths;
}

TEST(LoopLength, IsAboutWhatTheReportSays) {
  constexpr double tolerance = 0.1;
  LoopLengths found;
  for (const char *cpu : {"haswell", "znver3", "znver5"})
    for (const char *expression : measuredTexts)
      found[{cpu, expression}] = lengthOf(expression, cpu);
  if (std::getenv("KEXPR_BLESS"))
    writeReport(found);
  LoopLengths report = readReport();
  EXPECT_EQ(report.size(), found.size());
  for (const auto &[key, length] : found) {
    const double expected = report[key].ratio();
    EXPECT_NEAR(length.ratio(), expected, tolerance * expected)
        << key.first << ' ' << key.second;
  }
}
