//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Files.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"
#include "Tools/Command.h"

#include <algorithm>
#include <filesystem>

using namespace kexpr;
using test::run;
using test::TemporaryDirectory;

static const std::string aotTool = KEXPR_AOT;
static const std::string networks = KEXPR_TEST_DATA "/pnnx/";

TEST(Aot, BadUsageExitsWith2) {
  EXPECT_EQ(run({aotTool, "--help"}).code, 0);
  EXPECT_EQ(run({aotTool}).code, 2);
  EXPECT_EQ(run({aotTool, "@0"}).code, 2);
  EXPECT_EQ(run({aotTool, "-o", "x"}).code, 2);
  EXPECT_EQ(run({aotTool, "@0", "-o", "x", "--vector-bits=100"}).code, 2);
}

TEST(Aot, FaultsExitWith1) {
  const TemporaryDirectory folder;
  const std::string to = folder.path("cache");
  EXPECT_EQ(run({aotTool, "ad(@0)", "-o", to}).code, 1);
  EXPECT_EQ(run({aotTool, "exp(@0)", "-o", "/dev/null/x"}).code, 1);
  EXPECT_EQ(run({aotTool, "exp(@0)", "-o", to, "--types=f33[n]"}).code, 1);
  EXPECT_EQ(run({aotTool, "--list", "no-such-file", "-o", to}).code, 1);
  EXPECT_EQ(run({aotTool, "--pnnx", "no-such-file", "-o", to}).code, 1);
  const auto cpu = run({aotTool, "exp(@0)", "-o", to, "--mcpu=z80"});
  EXPECT_EQ(cpu.code, 1);
  EXPECT_NE(cpu.err.find("unknown CPU 'z80'"), std::string::npos);
}

TEST(Aot, AFullDiskIsCalledWhatTheSystemCallsIt) {
  if (test::IsEmulated) // It keeps blocked signals for itself.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  const TemporaryDirectory folder;
  const std::string to = folder.path("cache");
  // Blocks of 512 bytes: the list of targets fits, code does not.
  const auto made = run({"/bin/sh", "-c", "ulimit -f 1; exec \"$@\"", "sh",
                         aotTool, "exp(@0)", "-o", to});
  EXPECT_EQ(made.code, 1);
  EXPECT_NE(made.err.find("in '" + to + "' 'ahead-"), std::string::npos)
      << made.err;
  EXPECT_NE(made.err.find("' cannot be written: File too large"),
            std::string::npos)
      << made.err;
}

TEST(Aot, SaysWhatWasMadeAndWhatWasNot) {
  const TemporaryDirectory folder;
  const auto made = run({aotTool, "mul(@0,@1)", "sum(@0,-1)", "-o",
                         folder.path("cache"), "--types=f32[n],f64"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("mul(@0,@1): 9 loops\n  left out: strided outputs"),
            std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("sum(@0,-1): "), std::string::npos);
}

TEST(Aot, TheSameInputGivesTheSameBytes) {
  const TemporaryDirectory folder;
  std::vector<std::string> contents[2];
  for (int i : {0, 1}) {
    const std::string to = folder.path(std::to_string(i));
    ASSERT_EQ(run({aotTool, "tanh(@0)", "softmax(@0,-1)", "--mcpu=cortex-a76",
                   "-o", to})
                  .code,
              0);
    std::vector<std::string> names;
    for (const auto &file : std::filesystem::directory_iterator(to))
      names.push_back(file.path().filename());
    std::ranges::sort(names);
    EXPECT_GT(names.size(), 8u);
    for (const std::string &name : names) {
      contents[i].push_back(name);
      contents[i].push_back(*tools::readFile(to + "/" + name));
    }
  }
  EXPECT_EQ(contents[0], contents[1]);
}

TEST(Aot, AllWalksThatAreSaidToBeThereAre) {
  const TemporaryDirectory folder;
  const std::string text = "fma(add(@0,@1),add(@2,@3),@4)";
  ASSERT_EQ(run({aotTool, text, "-o", folder.path("cache")}).code, 0);
  for (unsigned constants = 0; constants < 1u << 5; ++constants) {
    std::vector<std::string> words = {"/usr/bin/env",
                                      "KEXPR_CACHE_DIR=" + folder.path("cache"),
                                      KEXPR_RUN, text, "--stats"};
    for (unsigned operand = 0; operand < 5; ++operand)
      words.push_back(constants >> operand & 1 ? "full:1:f32[1]"
                                               : "full:1:f32[4096]");
    const auto result = run(words);
    EXPECT_NE(result.out.find(" hits, 0 misses, 0 stored"), std::string::npos)
        << constants << result.out;
  }
}

TEST(Aot, ListsAndNetworksRunWithoutLlvm) {
  const TemporaryDirectory folder;
  const std::string cache = folder.path("cache");
  ASSERT_TRUE(tools::writeFile(folder.path("list"),
                               "gate\tmul(@0,sigmoid(@1))\t4x100;100\n"));
  const std::string net = networks + "squeeze_excite.pnnx.param";
  const auto made =
      run({aotTool, "--list", folder.path("list"), "--pnnx", net, "--pnnx",
           networks + "residual_tail.pnnx.param", "-o", cache});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto runHere = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "KEXPR_BACKEND=/nonexistent",
                                 "KEXPR_CACHE_DIR=" + cache, KEXPR_RUN});
    return run(words);
  };
  const auto gate = runHere({"mul(@0,sigmoid(@1))", "rand:1:f32[4,100]",
                             "rand:2:f32[100]", "--stats"});
  EXPECT_EQ(gate.code, 0) << gate.err;
  EXPECT_NE(gate.out.find("tier     optimized"), std::string::npos) << gate.out;
  const auto network =
      runHere({"--pnnx", net, networks + "squeeze_excite.in0.npy",
               networks + "squeeze_excite.in1.npy"});
  EXPECT_EQ(network.code, 0) << network.err;
}

TEST(Aot, ObjectsAreFunctionsOfC) {
  if (test::IsEmulated)
    GTEST_SKIP() << kexpr::test::skips::Emulated; // It has no compiler.
  const TemporaryDirectory folder;
  const std::string to = folder.path("c");
  const auto made =
      run({aotTool, "--c", "mul(@0,sigmoid(@0))", "add(mul(@0,@1),2.5)",
           "--types=f32[n],f32", "-o", to});
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_TRUE(tools::writeFile(folder.path("main.c"), R"(#include "kernels.h"
int main(void) {
  float x[10], y[10], s = 3;
  for (int i = 0; i < 10; ++i)
    x[i] = (float)i;
  kexpr_kernel0(10, y, x);
  kexpr_kernel1(10, x, y, &s);
  return y[0] == 0 && y[9] > 8.998f && y[9] < 9 && x[9] > 29.49f ? 0 : 1;
}
)"));
  const auto built =
      run({KEXPR_CC, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror",
           "-I" + to, folder.path("main.c"), to + "/kernel0.o",
           to + "/kernel1.o", "-o", folder.path("main")});
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(run({folder.path("main")}).code, 0);
  for (const char *text : {"sum(@0,-1)", "mul(@0,size(@0,0))"})
    EXPECT_EQ(run({aotTool, "--c", text, "-o", to}).code, 1) << text;
  EXPECT_EQ(run({aotTool, "--c", "@0", "--types=f32[n:s]", "-o", to}).code, 1);
}
