//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tools/Command.h"

#include <nlohmann/json.hpp>

using namespace kexpr;
using test::run;
using test::TemporaryDirectory;

static const std::string ulpTool = KEXPR_ULP;

static test::Outcome measure(std::vector<std::string> words) {
  words.insert(words.begin(), ulpTool);
  words.insert(words.end(), {"--step", "65536", "--count", "1000"});
  return run(words);
}

TEST(Ulp, HelpAndUsage) {
  EXPECT_EQ(run({ulpTool, "--help"}).code, 0);
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{ulpTool, "--no-such-option"},
        {ulpTool, "exp", "--type=f16"},
        {ulpTool, "exp", "--precision=best"},
        {ulpTool, "exp", "--width=64"},
        {ulpTool, "exp", "--expr=@0"},
        {ulpTool, "exp", "--range=0=0:1"},
        {ulpTool, "--expr=@0", "--json=x"}})
    EXPECT_EQ(run(words).code, 2) << words.back();
}

TEST(Ulp, FaultsExitWith1) {
  const std::pair<std::vector<std::string>, const char *> faults[] = {
      {{"xep"}, "unknown operator 'xep'; did you mean 'exp'?"},
      {{"and"}, "takes integers"},
      {{"lerp"}, "is made of others"},
      {{"eq"}, "gives bools"},
      {{"exp", "--step=0"}, "--step must be a whole number"},
      {{"exp", "--step=-1"}, "--step must be"},
      {{"exp", "--step=4294967296"}, "--step must be"},
      {{"exp", "--count=many"}, "--count must be"},
      {{"exp", "--json=/no/such/folder/x"}, "cannot write"},
      {{"exp", "--markdown=/no/such/folder/x"}, "cannot write"},
      {{"exp", "--resume=/no/such/file"}, "cannot read"},
      {{"--expr=add(@0"}, "expected"},
      {{"--expr=ad(@0,@1)"}, "did you mean 'add'?"},
      {{"--expr=2.0"}, "no operands"},
      {{"--expr=exp(sum(@0))"}, "'sum' is none"},
      {{"--expr=@0", "--type=f32,f64"}, "one type at a time"},
      {{"--expr=@0", "--range=0=1"}, "is not written"},
      {{"--expr=@0", "--range=1:2"}, "is not written"},
      {{"--expr=@0", "--range=x=1:2"}, "names no operand"},
      {{"--expr=@0", "--range=0=:"}, "lacks a number"},
      {{"--expr=@0", "--range=0=1:2z"}, "lacks a number"},
      {{"--expr=@0", "--range=0=2:1"}, "is empty"},
      {{"--expr=@0", "--range=0=nan:1"}, "must be finite"},
      {{"--expr=@0", "--range=0=0:inf"}, "must be finite"},
      {{"--expr=@0", "--range=0=0:1e39"}, "too wide for f32"},
      {{"--expr=@0", "--range=1=0:1"}, "does not use"},
      {{"--expr=@0", "--range=0=0:1", "--range=0=0:1"}, "two ranges"},
      {{"--expr=add(@0,@1)", "--exhaustive"}, "one f32 operand"},
      {{"--expr=@0", "--exhaustive", "--type=f64"}, "one f32 operand"},
  };
  for (const auto &[words, message] : faults) {
    std::vector<std::string> command = {ulpTool};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = run(command);
    EXPECT_EQ(result.code, 1) << words.back();
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "") << words.back();
  }
}

TEST(Ulp, OperatorsHaveALineForEachKernel) {
  const auto result = measure({"sqrt", "add", "--type", "f32", "--width", "128",
                               "--precision", "default,accurate"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("add: x + y"), std::string::npos);
  EXPECT_NE(result.out.find("4 kernels measured, 4 within their bounds"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("special number"), std::string::npos);
}

TEST(Ulp, JsonHoldsTheRowsAndIsResumedFrom) {
  const TemporaryDirectory directory;
  const std::string json = directory.path("rows.json");
  const std::vector<std::string> kept = {"--width", "128", "--type",   "f32",
                                         "--json",  json,  "--resume", json};
  auto words = kept;
  words.emplace_back("neg");
  ASSERT_EQ(measure(words).code, 0);
  words.back() = "abs";
  const auto second = measure(words);
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out.find("neg:"), std::string::npos) << second.out;
  const auto all = nlohmann::json::parse(test::readFile(json), nullptr, false);
  ASSERT_TRUE(all.is_object());
  ASSERT_EQ(all["rows"].size(), 6u);
  EXPECT_EQ(all["rows"][0]["operator"], "neg");
  EXPECT_EQ(all["rows"][3]["operator"], "abs");
  EXPECT_EQ(all["rows"][4]["precision"], "accurate");
  EXPECT_EQ(all["rows"][5]["precision"], "fast");
  // Nothing is left to do, and what there is stays.
  const auto third = measure(words);
  EXPECT_EQ(third.code, 0);
  EXPECT_EQ(third.out.find("abs:"), std::string::npos) << third.out;
  // Rows of another sweep do not fit.
  words.insert(words.end(), {"--step", "3"});
  words.insert(words.begin(), ulpTool);
  EXPECT_NE(run(words).err.find("measured with step 65536"), std::string::npos);
}

TEST(Ulp, MarkdownHasARowForEachKernel) {
  const TemporaryDirectory directory;
  const std::string page = directory.path("accuracy.md");
  ASSERT_EQ(measure({"neg", "sqrt", "--width", "128", "--markdown", page}).code,
            0);
  const std::string text = test::readFile(page);
  EXPECT_TRUE(text.starts_with("# Accuracy\n"));
  EXPECT_NE(text.find("kexpr-ulp --markdown docs/accuracy.md --step 65536"),
            std::string::npos);
  EXPECT_NE(text.find("| `neg` | f32 | default | 128 | 0 | 0.0000 | - | 0 % |"),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '|'), 10 * (2 + 8));
}

TEST(Ulp, ExpressionsAreMeasured) {
  const auto result = run({ulpTool, "--expr", "mul(@0,sigmoid(@1))", "--range",
                           "0=-10:10", "--range", "1=0:1", "--count", "2000"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char *part : {"f32 default", " ulp at @0 = ", ", @1 = ", "mean",
                           "of 2000", "<= 0.5", "gave the same bits"})
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  const auto wide = run({ulpTool, "--expr", "-", "--type", "f64", "--count",
                         "500", "--precision", "default,accurate"},
                        "[add(@0,@1),sub(@0,@1)]\n");
  EXPECT_EQ(wide.code, 0) << wide.err;
  EXPECT_NE(wide.out.find("f64, output 1"), std::string::npos) << wide.out;
}

TEST(Ulp, AllFloatsOfARangeAreWalked) {
  const auto result = run(
      {ulpTool, "--expr", "exp(@0)", "--exhaustive", "--range", "0=1:1.0625"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("of 524289"), std::string::npos) << result.out;
}
