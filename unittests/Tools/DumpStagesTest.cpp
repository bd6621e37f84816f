//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Skips.h"
#include "Tools/Command.h"

using namespace kexpr;
using test::readFile;
using test::run;
using test::writeFile;

static const std::string stagesTool = KEXPR_DUMP;
static const std::string expression = "add(mul(@0,@1),2.0)";

static const std::set<std::string> allFiles = {
    "ast.txt",   "explain.txt", "graph.dot", "graph.txt",
    "kernel.ll", "kernel.mir",  "kernel.o",  "kernel.opt.ll",
    "kernel.s",  "plan.txt",    "rpn.txt",   "tokens.txt"};

static std::string output(std::vector<std::string> words) {
  words.insert(words.begin(), {stagesTool, expression});
  const auto result = run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

TEST(DumpStages, AreShownForAnyMachine) {
  for (const char *cpu : {"apple-m1", "neoverse-n1", "sapphirerapids"}) {
    const std::string mcpu = std::string("--mcpu=") + cpu;
    EXPECT_NE(output({"--emit=llvm-opt", mcpu}).find("define void @"),
              std::string::npos);
    EXPECT_NE(output({"--emit=mir", mcpu}).find("machineFunctionInfo:"),
              std::string::npos);
    EXPECT_EQ(output({"--emit=obj", mcpu}).substr(0, 4), "\x7f"
                                                         "ELF");
  }
  EXPECT_EQ(output({"--emit=dot"}).rfind("digraph ", 0), 0u);
}

TEST(DumpStages, PrintAfterPasses) {
  const std::string one = output({"--print-after=prologepilog"});
  EXPECT_NE(one.find(" (prologepilog) ***"), std::string::npos) << one;
  EXPECT_GT(output({"--print-after", "all", "--baseline"}).size(), one.size());
  const auto none = run({stagesTool, expression, "--print-after=nonsense"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("no pass 'nonsense'; there are all, "),
            std::string::npos);
}

TEST(DumpStages, AllHasAHeadingEach) {
  const std::string text = output({"--emit=all"});
  for (const char *stage : {"tokens", "ast", "rpn", "graph", "dot", "plan",
                            "llvm", "llvm-opt", "mir", "asm", "explain"})
    EXPECT_NE(text.find(std::string("=== ") + stage + " ===\n"),
              std::string::npos)
        << stage;
  EXPECT_EQ(text.find("=== obj ==="), std::string::npos);
  EXPECT_EQ(text.find("easured"), std::string::npos);
  EXPECT_EQ(output({"--emit=all"}), text);
}

TEST(DumpStages, AllCanBeFilesOfADirectory) {
  const test::TemporaryDirectory root;
  EXPECT_EQ(output({"--emit=all", "-o", root.path("new/dir")}), "");
  EXPECT_EQ(test::namesIn(root.path("new/dir")), allFiles);
  EXPECT_EQ(readFile(root.path("new/dir/kernel.s")), output({"--emit=asm"}));
  EXPECT_EQ(readFile(root.path("new/dir/kernel.o")), output({"--emit=obj"}));
  // Once more, over what is there, beside what is none of it.
  writeFile(root.path("new/dir/other"), "x");
  writeFile(root.path("new/dir/ast.txt"), "x");
  output({"--emit=all", "-o", root.path("new/dir"), "--baseline"});
  EXPECT_EQ(readFile(root.path("new/dir/ast.txt")), output({"--emit=ast"}));
  EXPECT_EQ(test::namesIn(root.path("new/dir")).size(), allFiles.size() + 1);
}

TEST(DumpStages, AFailureLeavesNothing) {
  const test::TemporaryDirectory root;
  const std::string path = root.path("new");
  EXPECT_EQ(run({stagesTool, "nonsense(@0)", "--emit=all", "-o", path}).code,
            1);
  EXPECT_EQ(run({stagesTool, "nonsense(@0)", "--emit=asm", "-o", path}).code,
            1);
  EXPECT_TRUE(test::namesIn(root.path()).empty());
  writeFile(path, "old");
  EXPECT_EQ(run({stagesTool, expression, "--emit=all", "-o", path}).code, 1);
  EXPECT_EQ(run({stagesTool, expression, "--emit=asm", "-o", path + "/x"}).code,
            1);
  EXPECT_EQ(run({stagesTool, expression, "--emit=asm", "-o", root.path()}).code,
            1);
  // A directory stands where the last file would go.
  std::filesystem::create_directories(root.path("dir/tokens.txt"));
  EXPECT_EQ(
      run({stagesTool, expression, "--emit=all", "-o", root.path("dir")}).code,
      1);
  EXPECT_EQ(test::namesIn(root.path("dir")).size(), 1u);
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(test::namesIn(root.path()).size(), 2u);
}

TEST(DumpStages, OneCanBeAFile) {
  const test::TemporaryDirectory root;
  EXPECT_EQ(output({"--emit=graph", "-o", root.path("graph")}), "");
  EXPECT_EQ(readFile(root.path("graph")), output({"--emit=graph"}));
  std::filesystem::create_symlink("graph", root.path("link"));
  EXPECT_EQ(output({"--emit=ast", "--output", root.path("link")}), "");
  EXPECT_TRUE(std::filesystem::is_symlink(root.path("link")));
  EXPECT_EQ(readFile(root.path("graph")), output({"--emit=ast"}));
  EXPECT_EQ(output({"--emit=ast", "-o", "/dev/null"}), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(output({"--emit=ast", "-o", "-"}), output({"--emit=ast"}));
}

TEST(DumpStages, AnObjectIsNotForTerminals) {
  const test::TemporaryDirectory root;
  // script runs a command on a terminal of its own.
  if (run({"/usr/bin/script", "--version"}).code != 0)
    GTEST_SKIP() << kexpr::test::skips::NoProgram;
  const auto result =
      run({"/usr/bin/script", "-qec", "'" + stagesTool + "' '@0' --emit=obj",
           root.path("typescript")});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("name a file with -o"), std::string::npos);
}

TEST(DumpStages, SignaturesCanBeAnyOfAKernels) {
  const std::string plan = output({"--emit=plan", "--types=f32[n],i64[n]",
                                   "--outputs=[n:s]", "--zero-dims=1"});
  EXPECT_NE(plan.find("output 0: f32, strided"), std::string::npos) << plan;
  EXPECT_NE(plan.find("input @1: i64, contiguous"), std::string::npos);
  EXPECT_NE(output({"--emit=plan", "--streamed"}).find("outputs are streamed"),
            std::string::npos);
  for (const char *bad : {"--outputs=[]", "--outputs=f32", "--outputs=[m]"})
    EXPECT_EQ(run({stagesTool, "@0", bad}).code, 1) << bad;
  EXPECT_EQ(run({stagesTool, "@0", "--streamed", "--outputs=[n:s]"}).code, 1);
}

TEST(DumpStages, MirCanBeReadAgain) {
  const std::string reader = KEXPR_LLVM_TOOLS "/llc";
  if (!std::filesystem::exists(reader))
    GTEST_SKIP() << kexpr::test::skips::NoProgram << ": " << reader;
  const test::TemporaryDirectory root;
  for (const char *cpu : {"apple-m1", "neoverse-n1", "znver4"})
    for (const char *more : {"--no-measure", "--baseline"}) {
      output({"--emit=mir", std::string("--mcpu=") + cpu, more, "-o",
              root.path("kernel.mir")});
      const auto result =
          run({reader, "-run-pass=none", root.path("kernel.mir"), "-o", "-"});
      EXPECT_EQ(result.code, 0) << cpu << more << result.err;
      EXPECT_NE(result.out.find("machineFunctionInfo:"), std::string::npos);
    }
}

TEST(DumpStages, OfAnExpressionThatReducesShowEachSweep) {
  const auto shown = [](const std::string &stage) {
    const auto result = run({stagesTool, "softmax(@0,-1)", "--emit=" + stage,
                             "--no-measure", "--mcpu=znver3"});
    EXPECT_EQ(result.code, 0) << stage << result.err;
    return result.out;
  };
  for (const char *stage :
       {"plan", "llvm", "llvm-opt", "mir", "asm", "explain", "json"})
    for (const char *heading :
         {"sweep 1 of 4: largest r1, over -1, which stay",
          "sweep 2 of 4: sum r4, kept r2, over -1", "sweep 4 of 4: output 0"})
      EXPECT_NE(shown(stage).find(heading), std::string::npos)
          << stage << ' ' << heading;
  EXPECT_EQ(shown("obj").rfind("!<arch>\nsweep1.o/", 0), 0u);
  for (const char *stage : {"plan", "explain"})
    EXPECT_NE(shown(stage).find("element r in lane r % 32 of block r / 2048, "
                                "each lane 1 of f64; lanes meet by halves"),
              std::string::npos)
        << stage;
}
