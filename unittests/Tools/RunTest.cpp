//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"
#include "Tools/Command.h"

using namespace kexpr;
using test::run;

static const std::string runTool = KEXPR_RUN;

TEST(Run, Help) {
  const auto result = run({runTool, "--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("Exit status"), std::string::npos);
  EXPECT_EQ(run({runTool, "--version"}).code, 0);
}

TEST(Run, BadUsageExitsWith2) {
  EXPECT_EQ(run({runTool}).code, 2);
  EXPECT_EQ(run({runTool, "@0", "full:1:f32", "--no-such-option"}).code, 2);
  EXPECT_EQ(run({runTool, "@0", "full:1:f32", "--threads=x"}).code, 2);
  EXPECT_EQ(run({runTool, "@0", "full:1:f32", "--threads=-1"}).code, 2);
  EXPECT_EQ(
      run({runTool, "@0", "full:1:f32", "--interpret", "--baseline"}).code, 2);
}

TEST(Run, BadExpressionShowsTheCaret) {
  const auto result = run({runTool, "mul(ad(@0,@1),@2)"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("error: unknown operator 'ad'"), std::string::npos);
  EXPECT_NE(result.err.find("\n      ^~"), std::string::npos);
}

TEST(Run, BadInputs) {
  EXPECT_EQ(run({runTool, "add(@0,@1)", "full:1:f32"}).code, 1);
  EXPECT_EQ(run({runTool, "@0", "no-such-file.npy"}).code, 1);
  const auto shapes =
      run({runTool, "add(@0,@1)", "full:1:f32[2]", "full:1:f32[3]"});
  EXPECT_EQ(shapes.code, 1);
  EXPECT_NE(shapes.err.find("[3]"), std::string::npos);
}

TEST(Run, PrintsASummary) {
  const auto result = run({runTool, "add(mul(@0,@1),@2)", "arange:f32[2,2]",
                           "full:2:f32", "full:1:f32[2]"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "f32[2,2]\n  min    1\n  max    7\n  mean   4\n"
                        "  first  1 3 5 7\n");
}

TEST(Run, CountsNaNs) {
  const auto result = run({runTool, "sqrt(sub(@0,1))", "arange:f32[3]"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("nan    1 of 3"), std::string::npos);
  EXPECT_EQ(run({runTool, "@0", "full:1:f32[0]"}).out, "f32[0]\n");
}

TEST(Run, ReadsTheExpressionFromStdin) {
  const auto result = run({runTool, "-", "full:2:f32[1]"}, "mul(@0,@0)\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("first  4\n"), std::string::npos);
  EXPECT_EQ(run({runTool, "-"}, "").code, 1);
}

TEST(Run, EveryTierComputesTheSame) {
  const std::vector<std::string> command = {runTool, "sigmoid(@0)",
                                            "rand:3:f32[1000]"};
  const auto optimized = run(command);
  EXPECT_EQ(optimized.code, 0) << optimized.err;
  for (const char *option : {"--interpret", "--baseline", "--threads=1"}) {
    auto words = command;
    words.emplace_back(option);
    EXPECT_EQ(run(words).out, optimized.out) << option;
  }
}

TEST(Run, Reductions) {
  const auto sums = run({runTool, "sum(@0,-1)", "arange:f32[2,3]"});
  EXPECT_EQ(sums.code, 0) << sums.err;
  EXPECT_NE(sums.out.find("first  3 12\n"), std::string::npos) << sums.out;
  const auto rows =
      run({runTool, "sub(@0,mean(@0,-1,True))", "arange:f32[2,3]", "--stats"});
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_NE(rows.out.find("first  -1 0 1 -1 0 1\n"), std::string::npos)
      << rows.out;
  const auto wrong = run({runTool, "sum(@0,2)", "arange:f32[2,3]"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("axis 2 of a tensor of 2 axes"), std::string::npos);
}

TEST(Run, Stats) {
  const auto result =
      run({runTool, "@0", "full:1:f32[4]", "--stats", "--interpret"});
  EXPECT_EQ(result.code, 0);
  for (const char *word : {"tier     interpreter", "codegen", "run", "threads"})
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
}

TEST(Run, WritesWhatItReads) {
  const test::TemporaryDirectory directory;
  const std::string in = directory.path("in.npy");
  const std::string out = directory.path("out.npy");
  ASSERT_EQ(run({runTool, "@0", "rand:5:f32[3,5]", "-o", in}).code, 0);
  ASSERT_EQ(run({runTool, "neg(neg(@0))", in, "-o", out}).code, 0);
  EXPECT_FALSE(test::readFile(in).empty());
  EXPECT_EQ(test::readFile(in), test::readFile(out));
}

TEST(Run, ComputesAsExactlyAsItIsTold) {
  const test::TemporaryDirectory directory;
  std::vector<std::string> results;
  for (const char *precision : {"default", "accurate", "fast"})
    for (const char *mode : {"--threads=1", "--interpret"}) {
      const std::string out = directory.path("out.npy");
      ASSERT_EQ(run({runTool, "tanh(@0)", "rand:5:f32[500]", mode,
                     "--precision", precision, "-o", out})
                    .code,
                0);
      results.push_back(test::readFile(out));
    }
  for (std::size_t i = 0; i < results.size(); i += 2) {
    EXPECT_TRUE(results[i] == results[i + 1]) << i;
    EXPECT_FALSE(results[i] == results[(i + 2) % results.size()]) << i;
  }
}

TEST(Run, WritesEveryOutputOfAList) {
  const test::TemporaryDirectory directory;
  const std::string sum = directory.path("sum.npy");
  const std::string product = directory.path("product.npy");
  const std::vector<std::string> command = {runTool, "[add(@0,@1),mul(@0,@1)]",
                                            "full:3:f32[2]", "full:4:f32[2]"};
  auto words = command;
  words.insert(words.end(), {"-o", sum, "-o", product});
  const auto result = run(words);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(tools::readNpy(sum)->at(0), 7);
  EXPECT_EQ(tools::readNpy(product)->at(1), 12);
  words = command;
  words.insert(words.end(), {"-o", sum});
  EXPECT_EQ(run(words).code, 1);
}

TEST(Run, ComputesInfixText) {
  const std::vector<std::string> names = {"x=arange:f32[3]", "b=full:1:f32",
                                          "a=2.5"};
  std::vector<std::string> words = {runTool, "a*x + b"};
  words.insert(words.end(), names.begin(), names.end());
  const auto named = run(words);
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(named.out, "f32[3]\n  min    1\n  max    6\n  mean   3.5\n"
                       "  first  1 3.5 6\n");
  const auto inOrder = run(
      {runTool, "s = a+b; s/2, max(a, axis=0)", "arange:i32[2]", "full:1:i32"});
  EXPECT_EQ(inOrder.code, 0) << inOrder.err;
  EXPECT_NE(inOrder.out.find("first  0.5 1\n"), std::string::npos);
  const auto number = run({runTool, "--syntax=infix", "2**10 - 1/2"});
  EXPECT_EQ(number.out, "1023.5\n");
}

TEST(Run, InfixTextMayBeRefused) {
  const auto missing = run({runTool, "a + b", "arange:f32[3]"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("the operand 'b' was not given"),
            std::string::npos);
  EXPECT_EQ(run({runTool, "a", "full:1:f32", "full:1:f32"}).code, 1);
  const auto wrong = run({runTool, "max(a, 1)", "arange:f32[3]"});
  EXPECT_NE(wrong.err.find("maximum(a, 1) or amax(a, axis=1)"),
            std::string::npos);
  EXPECT_EQ(run({runTool, "--syntax=infix", "@0", "full:1:f32"}).code, 1);
  EXPECT_EQ(run({runTool, "--syntax=other", "a", "full:1:f32"}).code, 2);
}

TEST(Run, ColumnMajorFilesBroadcastLikeOthers) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("f.npy");
  std::string header = "{'descr': '<f4', 'fortran_order': True, "
                       "'shape': (2, 2), }\n";
  const float elements[] = {0, 2, 1, 3};
  test::writeFile(path,
                  std::string("\x93NUMPY\1\0", 8) +
                      static_cast<char>(header.size()) + '\0' + header +
                      std::string(reinterpret_cast<const char *>(elements),
                                  sizeof elements));
  const auto result = run({runTool, "mul(@0,@1)", path, "full:1:f32[2]"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("first  0 1 2 3\n"), std::string::npos)
      << result.out;
}

TEST(Run, BrokenFilesAndPlacesAreErrors) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("broken.npy");
  for (const std::string &bytes :
       {std::string(), std::string("nonsense"), std::string("\x93NUMPY\1\0", 8),
        std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)}) {
    test::writeFile(path, bytes);
    const auto result = run({runTool, "@0", path});
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find("error: cannot read"), std::string::npos);
  }
  const auto result = run(
      {runTool, "@0", "full:1:f32", "-o", directory.path("no/such/dir.npy")});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("error: cannot write"), std::string::npos);
}
