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

static const std::string benchTool = KEXPR_JIT_BENCH;
static const std::string shortest = "--benchmark_min_time=0.0001";

TEST(JitBench, HelpAndUsage) {
  EXPECT_EQ(run({benchTool, "--help"}).code, 0);
  EXPECT_EQ(run({benchTool, "--no-such-option"}).code, 2);
  EXPECT_EQ(run({benchTool, "--sizes=0"}).code, 2);
  EXPECT_EQ(run({benchTool, "--threads=0"}).code, 2);
  EXPECT_EQ(run({benchTool, "--expr=@0", "--expr-file=x"}).code, 2);
}

TEST(JitBench, MeasuresOneExpression) {
  const test::TemporaryDirectory directory;
  const std::string json = directory.path("out.json");
  const auto result =
      run({benchTool, "--expr", "add(@0,mul(2,3))", "--sizes=64,100",
           "--threads=1", "--json", json, shortest});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("vs op by op"), std::string::npos);
  EXPECT_NE(result.out.find(" x\n"), std::string::npos) << result.out;

  const auto parsed =
      nlohmann::json::parse(test::readFile(json), nullptr, false);
  ASSERT_TRUE(parsed.is_object());
  EXPECT_TRUE(parsed["context"].contains("vector_bits"));
  EXPECT_TRUE(parsed["context"].contains("llvm_version"));
  // Compile, four more ways to a kernel, call, and two sides at two sizes.
  EXPECT_EQ(parsed["benchmarks"].size(), 10u);
  for (const auto &entry : parsed["benchmarks"])
    EXPECT_FALSE(entry.contains("error_occurred"));
}

TEST(JitBench, CountsTheElementsThatAreReduced) {
  const test::TemporaryDirectory directory;
  const std::string json = directory.path("out.json");
  const auto result = run({benchTool, "--expr", "sum(@0,-1)", "--sizes=64",
                           "--threads=1", "--json", json, shortest});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto parsed =
      nlohmann::json::parse(test::readFile(json), nullptr, false);
  ASSERT_TRUE(parsed.is_object());
  std::size_t fused = 0;
  for (const auto &entry : parsed["benchmarks"])
    if (entry.contains("elements")) {
      EXPECT_EQ(entry["elements"], 64);
      ++fused;
    }
  EXPECT_GT(fused, 0u);
}

TEST(JitBench, PeersAreVerifiedAndReported) {
  const test::TemporaryDirectory directory;
  const std::string json = directory.path("out.json");
  const std::string page = directory.path("out.html");
  const auto result =
      run({benchTool, "--quick", "--expr", "mul(@0,sigmoid(@0))",
           "--sizes=100,200000", "--threads=1", "--json", json, "--report",
           page, shortest});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto parsed =
      nlohmann::json::parse(test::readFile(json), nullptr, false);
  ASSERT_TRUE(parsed.is_object());
  const auto &found = parsed["kexpr"];
  // At each size the kernel and one operator at a time at least.
  EXPECT_GE(found["runs"].size(), 4u);
  for (const auto &run : found["runs"])
    EXPECT_GT(run["of_limit"].get<double>(), 0) << run;
  for (const auto &entry : parsed["benchmarks"]) {
    EXPECT_FALSE(entry.contains("error_occurred")) << entry;
    if (entry["name"].get<std::string>().find("/cpp") != std::string::npos) {
      EXPECT_EQ(entry["verified"], 1) << entry;
    }
  }
  for (const auto &[peer, version] : found["peers"].items())
    EXPECT_NE(result.out.find(peer + ": "), std::string::npos) << version;
  EXPECT_GT(found["limits"][0]["fma_per_second"].get<double>(), 0);
  const std::string html = test::readFile(page);
  EXPECT_TRUE(html.ends_with("</html>\n"));
  EXPECT_NE(html.find("mul(@0,sigmoid(@0))"), std::string::npos);
}

TEST(JitBench, FilesAreTriedBeforeTimeIsSpent) {
  for (const char *option : {"--json", "--report", "--peers"}) {
    const auto result = run({benchTool, option, "no-such-folder/file"});
    EXPECT_EQ(result.code, 1) << option;
    EXPECT_NE(result.err.find("no-such-folder/file"), std::string::npos)
        << result.err;
  }
}

TEST(JitBench, RepetitionsAndFilters) {
  const auto result =
      run({benchTool, "--expr=@0", "--sizes=64", "--threads=1", shortest,
           "--benchmark_repetitions=3", "--benchmark_filter=fused"});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(JitBench, FaultsExitWith1) {
  const auto unknown = run({benchTool, "--expr=nonsense(@0)"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("error: unknown operator"), std::string::npos);
  EXPECT_EQ(run({benchTool, "--expr-file=no-such-file.tsv"}).code, 1);
}

TEST(JitBench, ReadsExpressionFiles) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("list.tsv");
  test::writeFile(path, "# comment\r\n\nse\tmul(@0,@1)\t2x3x4x4;2x3x1x1\r\n"
                        "two\t[@0,mul(@0,@0)]\t8;8\n"
                        "plain\tneg(@0)\n");
  const auto result = run(
      {benchTool, "--expr-file", path, "--sizes=32", "--threads=1", shortest});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char *text : {"2x3x4x4", "plain", "32"})
    EXPECT_NE(result.out.find(text), std::string::npos) << text;
}

TEST(JitBench, NamesTheBadLineOfAFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("list.tsv");
  for (const char *line :
       {"only-a-name", "a\t@0\t2xy", "a\tadd(@0,@1)\t2\tmore", "\t@0",
        "a\t@0\t99999999999999999999"}) {
    test::writeFile(path, "# first\n" + std::string(line) + "\n");
    const auto result = run({benchTool, "--expr-file", path});
    EXPECT_EQ(result.code, 1) << line;
    EXPECT_NE(result.err.find("list.tsv:2: "), std::string::npos) << result.err;
  }
}

TEST(JitBench, ListedExpressionsAllCompile) {
  for (const char *name : {"activations.tsv", "networks.tsv", "worksets.tsv"}) {
    const auto result = run({benchTool, "--expr-file",
                             std::string(KEXPR_BENCH_EXPRESSIONS "/") + name,
                             "--benchmark_filter=/call/", shortest});
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST(JitBench, ShapesThatDoNotFitAreReported) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("list.tsv");
  test::writeFile(path, "a\tadd(@0,@1)\t2;3\n");
  const auto result =
      run({benchTool, "--expr-file", path, "--threads=1", shortest});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("broadcast"), std::string::npos) << result.err;
}
