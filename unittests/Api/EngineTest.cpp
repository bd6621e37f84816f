//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace kexpr;

TEST(Engine, BlanksAndSpellingsShareOneKernel) {
  Engine engine;
  auto first = engine.compile("add(mul(@0,0.125),@1)");
  ASSERT_TRUE(first) << first.error().render();
  for (const char *spelling :
       {"add(mul(@0,0.125),@1)", " add( mul(@0, 0.125) , @1 ) ",
        "add(mul(@0,1.250000e-01),@1)", "add(mul(@0,0.125000),@1)"}) {
    const auto before = engine.stats();
    auto again = engine.compile(spelling);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->codeAddress(), first->codeAddress()) << spelling;
    EXPECT_EQ(engine.stats().hits, before.hits + 1) << spelling;
    EXPECT_EQ(engine.stats().compiled, before.compiled) << spelling;
  }
  EXPECT_EQ(engine.stats().misses, 1u);
}

TEST(Engine, ModesAreDifferentKernels) {
  Engine engine;
  auto optimized = engine.compile("neg(@0)");
  auto baseline = engine.compile("neg(@0)", {Mode::Baseline, {}});
  auto interpreted = engine.compile("neg(@0)", {Mode::Interpret, {}});
  ASSERT_TRUE(optimized && baseline && interpreted);
  EXPECT_EQ(interpreted->tier(), Tier::Interpreter);
  EXPECT_EQ(interpreted->codeAddress(), nullptr);
  EXPECT_EQ(interpreted->vectorBits(), 0u);
  if (engine.vectorBits() == 0)
    return;
  EXPECT_EQ(optimized->tier(), Tier::Optimized);
  EXPECT_EQ(optimized->vectorBits(), engine.vectorBits());
  EXPECT_EQ(baseline->tier(), Tier::Baseline);
  EXPECT_NE(optimized->codeAddress(), baseline->codeAddress());
  // That of the first loop: on Zen 4 those that convert are narrower.
  const auto sum = engine.compile("sum(@0,-1)", {Mode::Optimized, {}});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->vectorBits(),
            engine.targetCpu() == "znver4" ? 256u : engine.vectorBits());
}

TEST(Engine, ManyThreadsCompileOnce) {
  Engine engine;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&engine] {
      for (int k = 0; k < 5; ++k) {
        auto kernel =
            engine.compile("mul(add(@0,@1)," + std::to_string(k + 2) + ")");
        ASSERT_TRUE(kernel);
        float a = 1, b = 2, out = 0;
        ASSERT_TRUE(kernel->run({TensorView(&a, {1}), TensorView(&b, {1})},
                                TensorView(&out, {1})));
        EXPECT_EQ(out, 3 * (k + 2));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(engine.stats().misses, 5u);
  EXPECT_EQ(engine.stats().hits, 16u * 5 - 5);
  EXPECT_LE(engine.stats().compiled, 5u);
}

TEST(Engine, KernelsOutliveTheirEngine) {
  auto engine = std::make_unique<Engine>();
  Kernel kernel = *engine->compile("add(@0,1)");
  engine.reset();
  float a = 1, out = 0;
  ASSERT_TRUE(kernel.run(TensorView(&a, {1}), TensorView(&out, {1})));
  EXPECT_EQ(out, 2);
  // An access pattern that is new still compiles.
  std::vector<float> many(6, 1), result(3);
  ASSERT_TRUE(kernel.run(
      TensorView(static_cast<const void *>(many.data()), DType::F32, {3}, {2}),
      TensorView(result.data(), {3})));
  EXPECT_EQ(result[2], 2);
}

TEST(Engine, EvictedKernelsLiveOnWithTheirHolders) {
  Engine engine(EngineOptions{{}, {}, 0, 2});
  Kernel kernel = *engine.compile("add(@0,1)");
  for (int k = 2; k < 8; ++k)
    ASSERT_TRUE(engine.compile("add(@0," + std::to_string(k) + ")"));
  EXPECT_EQ(engine.stats().kernels, 2u);
  EXPECT_EQ(engine.stats().evictions, 5u);
  float a = 1, out = 0;
  ASSERT_TRUE(kernel.run(TensorView(&a, {1}), TensorView(&out, {1})));
  EXPECT_EQ(out, 2);
}

TEST(Engine, ErrorsAreRenderedWithTheirOwnSpelling) {
  Engine engine;
  for (const char *text : {"axc(@0,@1)", "  axc( @0,@1)"}) {
    auto kernel = engine.compile(text);
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().code(), ErrorCode::UnknownOperator);
    EXPECT_EQ(kernel.error().source(), text);
  }
  EXPECT_EQ(engine.stats().kernels, 0u);
}

TEST(Engine, AnUnknownCpuIsAnErrorOfCompile) {
  Engine engine(EngineOptions{"pentium-9000", {}, 0, 16});
  auto kernel = engine.compile("neg(@0)");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().message().find("pentium-9000"), std::string::npos);
  EXPECT_TRUE(engine.compile("neg(@0)", {Mode::Interpret, {}}));
}
