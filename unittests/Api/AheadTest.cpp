//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that one engine makes ahead of time, and another one runs.
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Files.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace kexpr;
using kexpr::test::TemporaryDirectory;

#if defined(__x86_64__)
static const std::string OtherCpu = "cortex-a76";
#else
static const std::string OtherCpu = "haswell";
#endif

static std::vector<float> squares(const Kernel &kernel, std::int64_t count,
                                  std::int64_t step = 1) {
  std::vector<float> x(static_cast<std::size_t>(count * step));
  std::vector<float> y(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 0.37f * static_cast<float>(i) - 20;
  EXPECT_TRUE(kernel.run({TensorView(x.data(), DType::F32, {count}, {step})},
                         TensorView(y.data(), {count})));
  return y;
}

TEST(Ahead, AnotherEngineRunsWhatOneMade) {
  const TemporaryDirectory folder;
  const Engine maker({.aheadDirectory = folder.path()});
  const Kernel made = *maker.compile("mul(@0,sigmoid(@0))");
  EXPECT_EQ(made.tier(), Tier::Interpreter);
  const auto expected = squares(made, 1000);
  EXPECT_EQ(squares(made, 1000, 3).size(), 1000u);
  EXPECT_GE(maker.stats().compiled, 2u);

  for (Mode mode : {Mode::Optimized, Mode::Baseline, Mode::Tiered}) {
    const Engine engine({.cacheDirectory = folder.path()});
    ASSERT_TRUE(engine.cacheStatus()) << engine.cacheStatus().error().message();
    const Kernel found = *engine.compile("mul(@0,sigmoid(@0))", {.mode = mode});
    EXPECT_EQ(found.tier(), Tier::Optimized);
    EXPECT_EQ(squares(found, 1000), expected);
    squares(found, 1000, 3);
    EXPECT_EQ(engine.stats().compiled, 0u);
    EXPECT_GE(engine.stats().diskHits, 2u);
  }
}

TEST(Ahead, CodeForAnotherMachineIsRefused) {
  const TemporaryDirectory folder;
  const Engine maker({.cpu = OtherCpu, .aheadDirectory = folder.path()});
  ASSERT_TRUE(maker.compile("exp(@0)"));
  const Engine engine({.cacheDirectory = folder.path()});
  const Status status = engine.cacheStatus();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
  // Code of its own is kept there all the same.
  ASSERT_TRUE(engine.compile("exp(@0)"));
  EXPECT_EQ(engine.stats().compiled, 1u);
  EXPECT_EQ(engine.stats().diskStored, 1u);
}

TEST(Ahead, TargetsThatOptionsNameGetTheirOwn) {
  const TemporaryDirectory folder;
  const Engine maker({.aheadDirectory = folder.path()});
  ASSERT_TRUE(maker.compile("exp(@0)", {.mode = Mode::Interpret}));
  const Engine narrow({.vectorBits = 128, .cacheDirectory = folder.path()});
  const auto kernel = narrow.compile("exp(@0)");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->vectorBits(), 128u);
  EXPECT_EQ(narrow.stats().compiled, 1u);
}

/// The README of each folder of dumps, which names the target.
static std::string readmesIn(const std::string &dumps) {
  std::string text;
  for (const auto &folder : std::filesystem::directory_iterator(dumps))
    text += test::readFile(folder.path() / "README");
  return text;
}

TEST(Ahead, DumpsAreOfTheCodeThatIsMadeOrRuns) {
  const TemporaryDirectory folder;
  const std::string code = folder.path("code");
  const Engine foreign({.cpu = OtherCpu,
                        .dumpDirectory = folder.path("foreign"),
                        .aheadDirectory = folder.path("other")});
  ASSERT_TRUE(foreign.compile("exp(@0)"));
  ASSERT_TRUE(foreign.dumpStatus()) << foreign.dumpStatus().error().message();
  EXPECT_NE(readmesIn(folder.path("foreign")).find("for " + OtherCpu + ","),
            std::string::npos);
  const Engine maker({.vectorBits = 128, .aheadDirectory = code});
  ASSERT_TRUE(maker.compile("exp(@0)"));
  // A dump shows what this machine's code would be, so that is what runs.
  const Engine dumper(
      {.cacheDirectory = code, .dumpDirectory = folder.path("own")});
  ASSERT_TRUE(dumper.compile("exp(@0)"));
  EXPECT_EQ(dumper.stats().compiled, 1u);
  EXPECT_NE(readmesIn(folder.path("own")), "");
}

TEST(Ahead, ErrorsAreThoseOfCompile) {
  const Engine unknown({.cpu = "no-such-cpu", .aheadDirectory = "/dev/null"});
  EXPECT_EQ(unknown.compile("exp(@0)").error().code(),
            ErrorCode::InvalidArgument);
  const Engine nowhere({.aheadDirectory = "/dev/null/kexpr"});
  EXPECT_EQ(nowhere.compile("exp(@0)").error().code(), ErrorCode::Io);
#if defined(__x86_64__)
  const TemporaryDirectory folder;
  const Engine old({.cpu = "x86-64", .aheadDirectory = folder.path()});
  EXPECT_EQ(old.compile("exp(@0)").error().code(), ErrorCode::Unsupported);
#endif
}

TEST(Ahead, ReductionsAndLongExpressionsToo) {
  const TemporaryDirectory folder;
  std::string sum = "@0";
  // Too long for optimised code.
  for (int i = 0; i < 100; ++i)
    sum = "add(" + sum + ",pow(@1," + std::to_string(i) + ".25))";
  const std::string texts[] = {"softmax(@0,-1)", sum};
  std::vector<float> x(3 * 40), expected(3 * 40);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 2 + std::sin(static_cast<float>(i));
  for (const std::string &text : texts) {
    const Engine maker({.aheadDirectory = folder.path()});
    const Kernel made = *maker.compile(text);
    const std::vector<TensorView> inputs(made.expression().operandCount(),
                                         TensorView(x.data(), {3, 40}));
    ASSERT_TRUE(made.run(inputs, TensorView(expected.data(), {3, 40})));
    const Engine engine({.cacheDirectory = folder.path()});
    std::vector<float> y(x.size());
    const Kernel found = *engine.compile(text);
    ASSERT_TRUE(found.run(inputs, TensorView(y.data(), {3, 40})));
    EXPECT_EQ(engine.stats().compiled, 0u);
    EXPECT_EQ(found.tier(), text == sum ? Tier::Baseline : Tier::Optimized);
    EXPECT_EQ(y, expected);
  }
}

TEST(Ahead, NetworksPrepareTheirCalls) {
  const TemporaryDirectory folder;
  constexpr const char *param = R"(7767517
4 3
pnnx.Input in0 0 1 x #x=(2,8,5)f32
pnnx.Input in1 0 1 y #y=(8,1)f32
pnnx.Expression e 2 1 x y z expr=mul(add(@0,@1),@0) #z=(2,8,5)f32
pnnx.Output out 1 0 z #z=(2,8,5)f32
)";
  const auto model = PnnxModel::parse(param);
  ASSERT_TRUE(model) << model.error().message();
  LayerRegistry registry;
  ASSERT_TRUE(registry.addElementwise());
  const Engine maker({.aheadDirectory = folder.path()});
  ASSERT_TRUE(PnnxGraph::create(maker, *model, registry, {.prepare = true}));
  const Engine engine({.cacheDirectory = folder.path()});
  auto graph = PnnxGraph::create(engine, *model, registry);
  ASSERT_TRUE(graph);
  std::vector<float> x(80, 1.5f), y(8, 2.f);
  const NamedTensor inputs[] = {{"in0", TensorView(x.data(), {2, 8, 5})},
                                {"in1", TensorView(y.data(), {8, 1})}};
  ASSERT_TRUE(graph->run(inputs));
  EXPECT_EQ(engine.stats().compiled, 0u);
}
