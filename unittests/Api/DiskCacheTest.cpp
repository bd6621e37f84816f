//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"

#include <cmath>

using namespace kexpr;
using namespace kexpr::test;

static const char *const Texts[] = {
    "add(mul(@0,@1),@2)", "sin(mul(@0,@1))",         "mul(@0,sigmoid(@1))",
    "div(@0,3)",          "sqrt(add(pow(@0,2),@1))", "floor(mul(@0,7.5))"};

TEST_F(CachedEngine, ASecondOneFindsWhatTheFirstMade) {
  for (Mode mode : {Mode::Baseline, Mode::Optimized}) {
    const Engine first(cachedIn(path)), second(cachedIn(path));
    EXPECT_TRUE(first.cacheStatus());
    const CompileOptions options{.mode = mode};
    for (const char *text : Texts)
      EXPECT_TRUE(compilesRight(first, text, options)) << text;
    EXPECT_EQ(outcomeOf(first), (Outcome{0, 6, 6, 6}));
    for (const char *text : Texts) {
      const auto kernel = second.compile(text, options);
      ASSERT_TRUE(kernel);
      EXPECT_TRUE(isRight(*kernel, second, text)) << text;
      EXPECT_EQ(kernel->tier(), first.compile(text, options)->tier());
      EXPECT_EQ(kernel->codeSize(), first.compile(text, options)->codeSize());
      EXPECT_EQ(kernel->compileTimes().codegen.count(), 0);
    }
    EXPECT_EQ(outcomeOf(second), (Outcome{6, 0, 0, 0}));
    EXPECT_EQ(second.stats().diskFailed, 0u);
  }
  EXPECT_EQ(entriesIn(path).size(), 12u);
}

TEST_F(CachedEngine, TiersAreKeptApart) {
  EXPECT_EQ(compile("tanh(@0)", Baseline), Made);
  const Engine engine(cachedIn(path));
  EXPECT_EQ(engine.compile("tanh(@0)")->tier(), Tier::Optimized);
  EXPECT_EQ(outcomeOf(engine), Made);
  EXPECT_EQ(compile("tanh(@0)", Baseline), Found);
  EXPECT_EQ(compile("tanh(@0)", {.mode = Mode::Optimized}), Found);
}

TEST_F(CachedEngine, TieredTakesTheBestThereIs) {
  const CompileOptions tiered{.mode = Mode::Tiered};
  EXPECT_EQ(compile("exp(@0)", {.mode = Mode::Optimized}), Made);
  const Engine engine(cachedIn(path));
  const auto kernel = engine.compile("exp(@0)", tiered);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->tier(), Tier::Optimized);
  EXPECT_TRUE(isRight(*kernel, engine, "exp(@0)"));
  engine.settle();
  EXPECT_EQ(outcomeOf(engine), Found);

  // Where only baseline code is found, the other is made and kept.
  EXPECT_EQ(compile("erf(@0)", Baseline), Made);
  const Engine other(cachedIn(path));
  const auto better = other.compile("erf(@0)", tiered);
  ASSERT_TRUE(better);
  other.settle();
  EXPECT_EQ(better->tier(), Tier::Optimized);
  EXPECT_TRUE(isRight(*better, other, "erf(@0)"));
  EXPECT_EQ(other.stats().diskHits, 1u);
  EXPECT_EQ(other.stats().optimized.loops, 1u);
  EXPECT_EQ(other.stats().baseline.loops, 0u);
  EXPECT_EQ(compile("erf(@0)", {.mode = Mode::Optimized}), Found);
}

TEST_F(CachedEngine, TheInterpreterNeverTouchesIt) {
  EXPECT_EQ(compile("exp(@0)", Baseline), Made);
  const auto names = namesIn(path);
  const Engine engine(cachedIn(path));
  for (const char *text : {"exp(@0)", "log(@0)"})
    EXPECT_TRUE(compilesRight(engine, text, {.mode = Mode::Interpret}));
  EXPECT_EQ(outcomeOf(engine), (Outcome{0, 0, 0, 0}));
  EXPECT_EQ(namesIn(path), names);
}

TEST_F(CachedEngine, PrecisionsAndTypesDoNotMix) {
  CompileOptions accurate = Baseline, fast = Baseline, reals = Baseline,
                 integers = Baseline;
  accurate.precision = Precision::Accurate;
  fast.precision = Precision::Fast;
  reals.operandTypes = {DType::F64};
  integers.operandTypes = {DType::I32};
  const auto compileOnly = [this](const CompileOptions &options) {
    const Engine engine(cachedIn(path));
    EXPECT_TRUE(engine.compile("exp(@0)", options));
    return outcomeOf(engine);
  };
  for (const CompileOptions &options :
       {Baseline, accurate, fast, reals, integers})
    EXPECT_EQ(compileOnly(options), Made);
  for (const CompileOptions &options :
       {Baseline, accurate, fast, reals, integers})
    EXPECT_EQ(compileOnly(options), Found);
  EXPECT_EQ(compile("exp(@0)", accurate), Found);
}

TEST_F(CachedEngine, TargetsDoNotMix) {
  std::vector<EngineOptions> targets(1, cachedIn(path));
  const auto add = [&](auto change) {
    EngineOptions options = cachedIn(path);
    change(options);
    if (Engine(options).vectorBits() != 0)
      targets.push_back(options);
  };
  add([](EngineOptions &options) { options.vectorBits = 128; });
  add([](EngineOptions &options) { options.vectorBits = 256; });
  add([](EngineOptions &options) { options.cpu = "x86-64-v3"; });
  add([](EngineOptions &options) { options.features = "-sse4a"; });
  add([](EngineOptions &options) { options.features = "-sse4a,-avx512f"; });
  for (const EngineOptions &options : targets)
    EXPECT_EQ(compile("log(@0)", Baseline, options), Made);
  for (const EngineOptions &options : targets)
    EXPECT_EQ(compile("log(@0)", Baseline, options), Found);
  EXPECT_EQ(entriesIn(path).size(), targets.size());
}

TEST_F(CachedEngine, OptionsThatDescribeNoMachineAreStillRefused) {
  EXPECT_EQ(compile("log(@0)", Baseline), Made);
  EngineOptions options = cachedIn(path);
  for (const char *cpu : {"no-such-cpu", "\n", "x86-64-v3\n"}) {
    options.cpu = cpu;
    EXPECT_FALSE(Engine(options).compile("log(@0)", Baseline)) << cpu;
  }
  EXPECT_EQ(entriesIn(path).size(), 1u);
}

TEST_F(CachedEngine, EveryAccessPatternIsKept) {
  // One row for all: another loop than the contiguous one.
  const auto sum = [this](float scalar) {
    const Engine engine(cachedIn(path));
    const auto kernel = engine.compile("add(@0,@1)", Baseline);
    std::vector<float> x(5000, 2), out(5000);
    EXPECT_TRUE(
        kernel->run({TensorView(x.data(), {5000}), TensorView(&scalar, {1})},
                    TensorView(out.data(), {5000})));
    EXPECT_EQ(out, std::vector<float>(5000, 2 + scalar));
    return outcomeOf(engine);
  };
  EXPECT_EQ(sum(3), (Outcome{0, 2, 2, 2}));
  EXPECT_EQ(sum(4), (Outcome{2, 0, 0, 0}));
}

TEST_F(CachedEngine, LiteralsShareAnEntry) {
  EXPECT_EQ(compile("mul(@0,2.5)"), Made);
  EXPECT_EQ(compile("mul(@0,3.5)"), Found);
  EXPECT_EQ(compile("mul(@1,0.7)"), Found);
}

TEST_F(CachedEngine, SpoiltEntriesAreReplaced) {
  const std::string text = numbered(1), other = numbered(2);
  EXPECT_EQ(compile(other), Made);
  const std::string foreign = readFile(path + "/" + *entriesIn(path).begin());
  std::filesystem::remove_all(path);
  EXPECT_EQ(compile(text), Made);
  const std::string file = path + "/" + *entriesIn(path).begin();
  const std::string good = readFile(file);
  std::vector<std::string> bad = {"", foreign, good + good, good.substr(1),
                                  std::string(good.size(), '\0')};
  for (std::size_t i = 0; i < good.size(); i += good.size() / 9) {
    bad.push_back(good.substr(0, i));
    bad.push_back(good);
    bad.back()[i] ^= 0x10;
  }
  for (const std::string &contents : bad) {
    writeFile(file, contents);
    EXPECT_EQ(compile(text), Made);
    EXPECT_EQ(readFile(file), good);
  }
  EXPECT_EQ(compile(text), Found);
  // Nor is a file used that others may have written.
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  EXPECT_EQ(compile(text), Made);
  EXPECT_EQ(modeOf(file), 0600u);
}

TEST_F(CachedEngine, DirectoriesThatAreNotTrustedAreNotUsed) {
  std::filesystem::create_directory(root.path("open"));
  ASSERT_EQ(chmod(root.path("open").c_str(), 0777), 0);
  writeFile(root.path("file"), "x");
  for (const char *name : {"open", "file", "file/below"}) {
    const Engine engine(cachedIn(root.path(name)));
    const Status status = engine.cacheStatus();
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code(), ErrorCode::Io);
    EXPECT_NE(status.error().message().find(root.path(name)),
              std::string::npos);
    EXPECT_TRUE(compilesRight(engine, numbered(3), Baseline));
    EXPECT_EQ(outcomeOf(engine), (Outcome{0, 0, 1, 0}));
    EXPECT_EQ(engine.stats().diskFailed, 0u);
  }
  EXPECT_TRUE(namesIn(root.path("open")).empty());
  EXPECT_TRUE(Engine().cacheStatus());
}

TEST_F(CachedEngine, ADirectoryThatIsRemovedFailsNoCompilation) {
  const Engine engine(cachedIn(path));
  EXPECT_TRUE(compilesRight(engine, numbered(1), Baseline));
  std::filesystem::remove_all(path);
  EXPECT_TRUE(compilesRight(engine, numbered(2), Baseline));
  EXPECT_TRUE(compilesRight(engine, numbered(3), {.mode = Mode::Tiered}));
  engine.settle();
  EXPECT_EQ(engine.stats().diskStored, 1u);
  EXPECT_EQ(engine.stats().diskFailed, 3u);
  EXPECT_EQ(engine.stats().failed, 0u);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CachedEngine, TheEnvironmentNamesADirectory) {
  const std::string given = root.path("given");
  ASSERT_EQ(setenv("KEXPR_CACHE_DIR", given.c_str(), 1), 0);
  EXPECT_EQ(compile(numbered(1), Baseline, {}), Made);
  EXPECT_EQ(compile(numbered(1), Baseline, {}), Found);
  EXPECT_EQ(entriesIn(given).size(), 1u);
  // An option has the last word.
  EXPECT_EQ(compile(numbered(1)), Made);
  EXPECT_EQ(entriesIn(path).size(), 1u);
  ASSERT_EQ(setenv("KEXPR_CACHE_DIR", "", 1), 0);
  EXPECT_EQ(compile(numbered(1), Baseline, {}), (Outcome{0, 0, 1, 0}));
  unsetenv("KEXPR_CACHE_DIR");
  EXPECT_EQ(compile(numbered(1), Baseline, {}), (Outcome{0, 0, 1, 0}));
}
