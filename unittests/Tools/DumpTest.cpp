//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tools/Command.h"

using namespace kexpr;
using test::run;

static const std::string dumpTool = KEXPR_DUMP;
static const std::string dumpedText = "add(mul(@0,@1),2.0)";

/// The text of one stage.
static std::string stage(const char *name,
                         const std::vector<std::string> &more = {}) {
  std::vector<std::string> words = {dumpTool, dumpedText, "--emit", name};
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

TEST(Dump, HelpAndUsage) {
  EXPECT_EQ(run({dumpTool, "--help"}).code, 0);
  EXPECT_EQ(run({dumpTool}).code, 2);
  EXPECT_EQ(run({dumpTool, "@0", "--emit=nonsense"}).code, 2);
  EXPECT_EQ(run({dumpTool, "@0", "--vector-bits=100"}).code, 2);
  EXPECT_EQ(run({dumpTool, "@0", "--no-such-option"}).code, 2);
}

TEST(Dump, ShowsInfixTextForTypes) {
  const auto result = run({dumpTool, "a / b", "--syntax=infix", "--emit=ast",
                           "--types", "i32[n],f32[n]"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "call div  0..38\n"
                        "  call torch.double  4..20\n"
                        "    operand @0  17..19\n"
                        "  call torch.double  21..37\n"
                        "    operand @1  34..36\n");
}

TEST(Dump, SyntaxStages) {
  EXPECT_NE(stage("tokens").find("8..10     operand           @0\n"),
            std::string::npos);
  EXPECT_EQ(stage("ast"), "call add  0..19\n"
                          "  call mul  4..14\n"
                          "    operand @0  8..10\n"
                          "    operand @1  11..13\n"
                          "  float 2.0  15..18\n");
  EXPECT_EQ(stage("rpn"), "@0                   stack 1\n"
                          "@1                   stack 2\n"
                          "mul/2                stack 1\n"
                          "2.0                  stack 2\n"
                          "add/2                stack 1\n");
}

TEST(Dump, GraphAndPlan) {
  EXPECT_NE(stage("graph").find("mul f32 %0 %1"), std::string::npos);
  const std::string plan = stage("plan", {"--types", "f32[n],f32"});
  EXPECT_NE(plan.find("input @0: f32, contiguous"), std::string::npos);
  EXPECT_NE(plan.find("input @1: f32, constant"), std::string::npos);
  EXPECT_NE(stage("plan", {"--types", "f32[n:s]"}).find("f32, strided"),
            std::string::npos);
}

TEST(Dump, CodeForNamedMachines) {
  const std::vector<std::string> zen = {"--triple", "x86_64-pc-linux-gnu",
                                        "--mcpu", "znver3"};
  EXPECT_NE(stage("llvm", zen).find("<8 x float>"), std::string::npos);
  const std::string assembly = stage("asm", zen);
  EXPECT_NE(assembly.find("vmulps"), std::string::npos);
  EXPECT_NE(assembly.find("%ymm"), std::string::npos);
  auto narrow = zen;
  narrow.insert(narrow.end(), {"--vector-bits", "128"});
  EXPECT_NE(stage("llvm", narrow).find("<4 x float>"), std::string::npos);
  EXPECT_FALSE(stage("asm", {"--baseline"}).empty());
  // A CPU alone stands for its architecture.
  EXPECT_NE(stage("asm", {"--mcpu", "neoverse-n1"}).find("fmul\tv"),
            std::string::npos);
}

TEST(Dump, ExplainsLoopsOfNamedMachines) {
  for (const char *cpu : {"znver3", "skylake-avx512", "neoverse-n1"}) {
    const std::vector<std::string> more = {"--mcpu", cpu, "--no-measure"};
    const std::string text = stage("explain", more);
    for (const char *word :
         {"Plan\n", "\n  access ", "\n  an element ", "\nMain loop for ",
          "\n  a step ", "\n  instructions ", "\n  registers ",
          "\nPrediction, ", "\n  cycles ", "\n  issue ", "\n  units ",
          "\n  carried ", "\n  window ", "\n  limit ", "\n  memory "})
      EXPECT_NE(text.find(word), std::string::npos) << cpu << word;
    EXPECT_EQ(text.find("easured"), std::string::npos) << cpu;
    EXPECT_EQ(stage("explain", more), text) << cpu;
  }
}

TEST(Dump, APrecisionIsThatOfEveryStage) {
  const auto result = run({dumpTool, "sum(@0)", "--precision=accurate"});
  EXPECT_NE(result.out.find("exact_sum f32 %0"), std::string::npos);
}

TEST(Dump, ExplainsWhatItIsGiven) {
  EXPECT_NE(stage("explain", {"--baseline", "--no-measure"}).find(", baseline"),
            std::string::npos);
  EXPECT_NE(stage("explain", {"--precision=accurate", "--no-measure"})
                .find(", accurate"),
            std::string::npos);
  EXPECT_NE(stage("explain", {"--types=f64[n],f64", "--no-measure"})
                .find("@1 f64 constant"),
            std::string::npos);
  EXPECT_NE(stage("explain", {"--mcpu=x86-64", "--no-measure"})
                .find("kernels are interpreted"),
            std::string::npos);
}

TEST(Dump, MeasuresOnlyThisMachine) {
  // No machine is both.
  for (const char *cpu : {"znver3", "haswell"}) {
    const std::string text = stage("explain", {"--mcpu", cpu, "--elements=10"});
    const bool isMeasured =
        text.find("\nMeasured here on one thread, ") != std::string::npos;
    EXPECT_NE(isMeasured,
              text.find(std::string("\nNot measured: ") + cpu +
                        " is not this machine") != std::string::npos)
        << text;
  }
  const std::string here = stage("explain", {"--elements=40"});
  // Where code is never generated there is nothing to time.
  if (here.find("Not measured: ") == std::string::npos) {
    EXPECT_NE(here.find(" GHz: nanoseconds and cycles of an element\n"),
              std::string::npos)
        << here;
    EXPECT_NE(here.find("\n  40 "), std::string::npos) << here;
  }
}

TEST(Dump, SizesAreChecked) {
  for (const char *size : {"0", "-1", "99999999999999", "x"})
    EXPECT_EQ(run({dumpTool, "@0", "--emit=explain", "--elements", size}).code,
              2)
        << size;
}

TEST(Dump, ACallShowsTheLoopsOfItsShapes) {
  const auto shown = [](const std::string &shapes, const char *emit) {
    const auto result =
        run({dumpTool, "softmax(add(@0,@1),-1)", std::string("--emit=") + emit,
             "--shapes=" + shapes});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string rows = shown("f32[1000,16],f32[16]", "plan"),
                    columns = shown("f32[1000,16],f32", "plan");
  EXPECT_NE(rows.find(".f32r-f32a-to-f32r.optimized."), std::string::npos)
      << rows;
  EXPECT_NE(rows.find("=\n%0 = input f32 @0\n%1 = input f32 @1\n%2 = add "),
            std::string::npos);
  EXPECT_EQ(columns.find("f32a"), std::string::npos) << columns;
  EXPECT_NE(shown("f32[1000,16],f32[16]", "asm").find("\tvmaxps"),
            std::string::npos);
}

TEST(Dump, OfACallStagesOfLoopsAreShown) {
  const auto status = [](std::vector<std::string> more) {
    more.insert(more.begin(), {dumpTool, "neg(@0)", "--shapes=f32[8]"});
    return run(more).code;
  };
  EXPECT_EQ(status({"--emit=plan"}), 0);
  for (const char *other :
       {"--emit=all", "--emit=json", "--emit=tokens", "--emit=obj",
        "--types=f32", "--outputs=[n]", "--triple=aarch64-linux-gnu"})
    EXPECT_EQ(status({other}), 2) << other;
  for (const char *shapes :
       {"f33[8]", "f32[8", "f32[-1]", "f32[400000000]", "f32[8],f32[9]"})
    EXPECT_EQ(
        run({dumpTool, "add(@0,@1)", "--emit=plan", "--shapes", shapes}).code,
        1)
        << shapes;
}

TEST(Dump, ReadsTheExpressionFromStdin) {
  const auto result = run({dumpTool, "-", "--emit=rpn"}, "@0\n");
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(Dump, FaultsExitWith1) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{dumpTool, "add(@0"},
        {dumpTool, "nonsense(@0)"},
        {dumpTool, "@0", "--types=f33"},
        {dumpTool, "@0", "--types=f32[m]"},
        {dumpTool, "@0", "--emit=asm", "--mcpu=no-such-cpu"},
        {dumpTool, "@0", "--emit=asm", "--triple=no-such-triple"}}) {
    const auto result = run(words);
    EXPECT_EQ(result.code, 1) << words.back();
    EXPECT_NE(result.err.find("error: "), std::string::npos) << words.back();
    EXPECT_EQ(result.out, "");
  }
}

TEST(Dump, DeepTreesDoNotOverflowTheStack) {
  std::string deep = "@0";
  for (int i = 0; i < 4000; ++i)
    deep = "neg(" + deep + ")";
  const auto result = run({dumpTool, "-", "--emit=ast"}, deep);
  EXPECT_EQ(result.code, 0) << result.err;
}
