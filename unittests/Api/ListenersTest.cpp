//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines that tell profilers and debuggers of their kernels.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "Api/CachedEngine.h"
#include "Code/JitDumpFile.h"

#include <algorithm>
#include <thread>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class Listened : public CachedEngine {
protected:
  // Nobody profiles this process.
  static void TearDownTestSuite() { std::filesystem::remove(mapPath()); }
  static std::string mapPath() {
    return "/tmp/perf-" + std::to_string(getpid()) + ".map";
  }
  ListenerOptions all() const {
    return {.perfMap = true,
            .jitDump = true,
            .debugger = true,
            .vtune = true,
            .directory = root.path("profile")};
  }
  Engine told(const std::string &cache = {}) const {
    EngineOptions options;
    options.listeners = all();
    options.cacheDirectory = cache;
    return Engine(options);
  }
  std::vector<JitDumpFile::Function> dumped() const {
    return JitDumpFile(
               root.path("profile/jit-" + std::to_string(getpid()) + ".dump"))
        .functions;
  }
  std::vector<std::string> dumpedNames() const {
    std::vector<std::string> names;
    for (const auto &function : dumped())
      names.push_back(function.name);
    return names;
  }
};
} // namespace

TEST_F(Listened, CodeAndResultsAreTheSame) {
  const Engine quiet, engine = told();
  for (Mode mode : {Mode::Baseline, Mode::Optimized})
    for (const char *text :
         {"add(@0,@1)", "mul(@0,sigmoid(@0))", "[sin(@0),exp(neg(@1))]",
          "sqrt(div(add(mul(@0,2),@1),12))"}) {
      const auto kernel = engine.compile(text, {.mode = mode});
      const auto peer = quiet.compile(text, {.mode = mode});
      ASSERT_TRUE(kernel && peer);
      EXPECT_EQ(kernel->codeSize(), peer->codeSize());
      const auto function = dumped().back();
      EXPECT_EQ(function.address,
                reinterpret_cast<std::uint64_t>(kernel->codeAddress()));
      EXPECT_EQ(function.code,
                std::string(static_cast<const char *>(peer->codeAddress()),
                            function.code.size()))
          << text;
      if (kernel->outputCount() == 1) {
        EXPECT_EQ(resultsOf(*kernel), resultsOf(*peer)) << text;
      }
    }
  EXPECT_TRUE(engine.listenerStatus())
      << engine.listenerStatus().error().message();
}

TEST_F(Listened, EveryKernelHasItsName) {
  const Engine engine = told();
  const auto first = engine.compile("add(@0,mul(@1,2))", Baseline);
  // Code for another literal is the same, but not its name.
  const auto second = engine.compile("add(@0,mul(@1,3))", Baseline);
  const auto third = engine.compile("add(@0,mul(@1,3))");
  ASSERT_TRUE(first && second && third);
  EXPECT_NE(first->codeAddress(), second->codeAddress());
  EXPECT_EQ(dumpedNames(),
            (std::vector<std::string>{"add(@0,mul(@1,2)) [baseline]",
                                      "add(@0,mul(@1,3)) [baseline]",
                                      "add(@0,mul(@1,3))"}));
  EXPECT_EQ(engine.stats().shared, 0u);
  const std::string map = readFile(mapPath());
  EXPECT_NE(map.find(" add(@0,mul(@1,3)) [baseline]\n"), map.npos) << map;
}

TEST_F(Listened, LinesAreThoseOfAFile) {
  const auto kernel = told().compile("add(mul(@0,@1),exp(@2))");
  ASSERT_TRUE(kernel);
  const auto lines = dumped().back().lines;
  ASSERT_FALSE(lines.empty());
  const std::string listing = readFile(lines[0].path);
  const auto last = std::count(listing.begin(), listing.end(), '\n');
  std::set<std::uint32_t> seen;
  for (const auto &line : lines) {
    EXPECT_EQ(line.path, lines[0].path);
    EXPECT_LE(line.line, last);
    seen.insert(line.line);
  }
  EXPECT_GE(seen.size(), 3u) << listing;
}

TEST_F(Listened, LoopsForOtherWalksHaveOtherNames) {
  const auto kernel = told().compile("add(@0,@1)");
  float row[64] = {}, one[1] = {}, out[64];
  ASSERT_TRUE(kernel->run({TensorView(row, {64}), TensorView(one, {1})},
                          TensorView(out, {64})));
  EXPECT_EQ(dumpedNames(), (std::vector<std::string>{
                               "add(@0,@1)", "add(@0,@1) [@1 constant]"}));
}

TEST_F(Listened, TheCacheOnDiskKeepsNames) {
  const std::string text = "add(mul(@0,@1),@2)";
  {
    const Engine engine = told(path);
    EXPECT_TRUE(compilesRight(engine, text, Baseline));
    EXPECT_EQ(outcomeOf(engine), Made);
  }
  const auto made = dumped().back();
  EXPECT_EQ(compile(text), Made); // without names it is another entry
  const Engine engine = told(path);
  EXPECT_TRUE(compilesRight(engine, text, Baseline));
  EXPECT_EQ(outcomeOf(engine), Found);
  const auto found = dumped();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, made.name);
  EXPECT_EQ(found[1].code, made.code);
  EXPECT_EQ(found[1].lines.size(), made.lines.size());
}

TEST_F(Listened, TiersComeOneAfterTheOther) {
  const Engine engine = told();
  const auto kernel = engine.compile("neg(@0)", {.mode = Mode::Tiered});
  engine.settle();
  EXPECT_EQ(dumpedNames(),
            (std::vector<std::string>{"neg(@0) [baseline]", "neg(@0)"}));
}

TEST_F(Listened, ThreadsCompileAndDropKernels) {
  EngineOptions options;
  options.listeners = all();
  options.maxKernels = 2;
  const Engine engine(options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 6; ++i)
        wrong += !compilesRight(engine, numbered(t + 3 * i), Baseline);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(dumped().size(), 15u);
}

TEST_F(Listened, WhatFailsIsSaidAndHindersNobody) {
  writeFile(root.path("profile"), "in the way");
  const Engine engine = told();
  EXPECT_FALSE(engine.listenerStatus());
  EXPECT_TRUE(compilesRight(engine, "add(@0,@1)", Baseline));
}

TEST_F(Listened, CHasThemToo) {
  const std::string directory = root.path("profile");
  kexpr_engine_options options = {};
  options.size = sizeof options;
  options.listeners = KEXPR_LISTENER_JITDUMP | KEXPR_LISTENER_GDB;
  options.profile_directory = directory.c_str();
  CEngine engine;
  ASSERT_EQ(kexpr_engine_create(&options, Out(engine), nullptr), KEXPR_OK);
  EXPECT_EQ(kexpr_engine_listener_status(engine.get(), nullptr), KEXPR_OK);
  CKernel kernel;
  ASSERT_EQ(kexpr_engine_compile(engine.get(), "neg(@0)", nullptr, Out(kernel),
                                 nullptr),
            KEXPR_OK);
  EXPECT_EQ(dumpedNames(), std::vector<std::string>{"neg(@0)"});
  options.listeners = 16;
  CEngine refused;
  EXPECT_EQ(kexpr_engine_create(&options, Out(refused), nullptr),
            KEXPR_INVALID_ARGUMENT);
}
