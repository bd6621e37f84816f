//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many instructions the main loops of well-known expressions have, exactly:
// what makes a loop longer must be seen by whoever changes it.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
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
  for (auto line = loop.rbegin(); line != loop.rend(); ++line)
    if (std::smatch match; std::regex_match(*line, match, advance))
      return std::abs(std::stoi(match[1]));
  return 0;
}

/// A line of the file: instructions of a step, its elements, both as a ratio.
static std::string lineOf(const std::string &expression,
                          const std::string &cpu) {
  const auto target = codegen::makeTarget({.triple = "x86_64-unknown-linux-gnu",
                                           .cpu = cpu,
                                           .features = {},
                                           .vectorBits = 0});
  const auto loop = innerLoop(*codegen::dump(planFor(expression), *target,
                                             codegen::OptLevel::Optimized,
                                             codegen::Stage::Asm));
  const int step = stepOf(loop);
  std::ostringstream line;
  line << cpu << '\t' << loop.size() << '\t' << step << '\t' << std::fixed
       << std::setprecision(3) << static_cast<double>(loop.size()) / step
       << '\t' << expression << '\n';
  return line.str();
}

TEST(LoopLength, IsWhatItWas) {
#if defined(__clang__)
  GTEST_SKIP() << "the arguments of a formula's operations are emitted in the "
                  "order that the compiler chooses; the file has GCC's";
#endif
  std::string found = "# cpu, instructions of a step of the main loop, its "
                      "elements, ratio, expression.\n"
                      "# KEXPR_BLESS=1 writes it anew.\n";
  for (const char *cpu : {"haswell", "znver3", "znver5"})
    for (const char *expression : measuredTexts)
      found += lineOf(expression, cpu);
  if (std::getenv("KEXPR_BLESS"))
    std::ofstream(KEXPR_LOOP_LENGTHS) << found;
  std::ifstream file(KEXPR_LOOP_LENGTHS);
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(found, kept);
}
