//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tools/Command.h"

#include <algorithm>

using namespace kexpr;
using test::run;

static const std::string diffTool = KEXPR_DUMP;

/// What a comparison prints.
static std::string compare(std::vector<std::string> words,
                           const std::string &columns = "80") {
  words.insert(words.begin(), {"/usr/bin/env", "COLUMNS=" + columns, diffTool});
  const auto result = run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

TEST(DumpDiff, PutsExpressionsBesideEachOther) {
  EXPECT_EQ(compare({"--emit=rpn", "--diff", "add(@0,@1)", "mul(@0,neg(@1))"}),
            "add(@0,@1)                             | mul(@0,neg(@1))\n"
            "\n"
            "@0                   stack 1             "
            "@0                   stack 1\n"
            "@1                   stack 2             "
            "@1                   stack 2\n"
            "add/2                stack 1           | "
            "neg/1                stack 2\n"
            "                                       > "
            "mul/2                stack 1\n");
  EXPECT_EQ(compare({"--emit=rpn", "--diff", "neg(abs(@0))", "abs(@0)"})
                    .find("neg/1                stack 1           <\n") !=
                std::string::npos,
            true);
}

TEST(DumpDiff, SidesMayBeOptions) {
  const std::string text = compare({"mul(@0,sigmoid(@0))", "--emit=asm",
                                    "--diff", "--mcpu=znver3", "--mcpu=znver4"},
                                   "160");
  EXPECT_EQ(text.rfind("--mcpu=znver3 ", 0), 0u);
  EXPECT_NE(text.find(" | "), std::string::npos);
  EXPECT_NE(text.find("zmm"), std::string::npos);
  EXPECT_NE(compare({"@0", "--diff", "--emit=llvm --mcpu=znver3",
                     "--emit=llvm --mcpu=znver3 --precision accurate"})
                .find("define void"),
            std::string::npos);
  EXPECT_NE(compare({"--emit=plan", "--diff", "add(@0, @1) --types=f32[n],f32",
                     "add(@0, @1)"})
                .find("input @1: f32, constant                | "
                      "input @1: f32, contiguous"),
            std::string::npos);
  // What a side says comes last.
  EXPECT_EQ(compare({"neg(@0)", "--emit=graph", "--diff", "", "--emit=rpn"}),
            compare({"neg(@0)", "--diff", "", "--emit=rpn"}));
}

TEST(DumpDiff, FitsItsColumns) {
  for (const char *columns : {"41", "80", "133", "1", "nonsense"}) {
    const std::string text =
        compare({"--emit=asm", "--diff", "exp(@0)", "exp(neg(@0))"}, columns);
    std::size_t longest = 0, begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != text.npos;
         begin = end + 1)
      longest = std::max(longest, end - begin);
    const int width = std::max(40, std::atoi(columns));
    EXPECT_LE(longest, std::atoi(columns) ? std::size_t(width) : 160u);
    EXPECT_EQ(text.find('\t'), std::string::npos);
  }
}

TEST(DumpDiff, MayBeUnified) {
  EXPECT_EQ(
      compare({"--emit=rpn", "--unified", "--diff", "neg(@0)", "abs(@0)"}),
      "--- neg(@0)\n"
      "+++ abs(@0)\n"
      "@@ -1,2 +1,2 @@\n"
      " @0                   stack 1\n"
      "-neg/1                stack 1\n"
      "+abs/1                stack 1\n");
  EXPECT_EQ(compare({"neg(@0)", "--unified", "--diff", "", ""}),
            "--- \n+++ \n");
}

TEST(DumpDiff, MayBeAFile) {
  const test::TemporaryDirectory root;
  EXPECT_EQ(compare({"--diff", "neg(@0)", "abs(@0)", "-o", root.path("diff")}),
            "");
  EXPECT_EQ(test::readFile(root.path("diff")),
            compare({"--diff", "neg(@0)", "abs(@0)"}));
}

TEST(DumpDiff, FaultsAreSaid) {
  EXPECT_EQ(run({diffTool, "--diff", "neg(@0)", "nonsense(@0)"}).code, 1);
  EXPECT_EQ(run({diffTool, "--diff", "add(@0", "@0"}).code, 1);
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"@0", "--diff"},
        {"@0", "--diff", "--mcpu=znver3"},
        {"--diff", "", ""},
        {"@0", "--diff", "@1", "@2"},
        {"--emit=obj", "--diff", "@1", "@2"},
        {"@0", "--diff", "", "--no-such-option"}}) {
    std::vector<std::string> all = {diffTool};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(run(all).code, 2) << words.back();
  }
}
