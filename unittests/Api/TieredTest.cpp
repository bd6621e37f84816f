//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

using namespace kexpr;

namespace {

const CompileOptions Tiered{.mode = Mode::Tiered};
constexpr std::int64_t Count = 5000;

std::vector<float> values(float first) {
  std::vector<float> result(Count);
  for (std::int64_t i = 0; i < Count; ++i)
    result[i] = first + static_cast<float>(i) * 0.001f;
  return result;
}

std::vector<float> expected(const char *text, const std::vector<float> &x) {
  std::vector<float> out(Count);
  auto kernel = Engine().compile(text, {.mode = Mode::Interpret});
  EXPECT_TRUE(kernel && kernel->run(TensorView(x.data(), {Count}),
                                    TensorView(out.data(), {Count})));
  return out;
}

TEST(Tiered, EndsAtTheBestTier) {
  const Engine engine;
  auto kernel = engine.compile("tanh(@0)", Tiered);
  ASSERT_TRUE(kernel);
  engine.settle();
  EXPECT_EQ(kernel->tier(), Tier::Optimized);
  EXPECT_NE(kernel->codeAddress(), nullptr);
  EXPECT_EQ(engine.stats().compiled, 2u);
  // An optimised kernel of the same plan is taken as it is.
  auto plain = engine.compile("tanh(@1)");
  auto again = engine.compile("tanh(@2)", Tiered);
  ASSERT_TRUE(plain && again);
  EXPECT_EQ(engine.stats().compiled, 3u);
  EXPECT_EQ(again->tier(), Tier::Optimized);
}

TEST(Tiered, HasTheSameBitsWhileItChanges) {
  const char *text = "mul(sin(@0),add(exp(neg(mul(@0,@0))),tanh(@0)))";
  const auto x = values(-2);
  const auto wanted = expected(text, x);
  const Engine engine;
  auto kernel = engine.compile(text, Tiered);
  ASSERT_TRUE(kernel);
  std::atomic<int> wrong = 0;
  std::atomic<bool> isOver = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> out(Count);
      const TensorView in(x.data(), {Count}), result(out.data(), {Count});
      auto bound = kernel->bind(in, result, {.maxThreads = 1});
      // At least once more when there is nothing left to change.
      for (bool last = false; !last;) {
        last = isOver;
        if (t == 0)
          wrong += !bound->run();
        else if (!kernel->run(in, result, {.maxThreads = unsigned(t % 2)}))
          ++wrong;
        wrong += std::memcmp(out.data(), wanted.data(), 4 * Count) != 0;
      }
    });
  engine.settle();
  isOver = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kernel->tier(), Tier::Optimized);
}

TEST(Tiered, OtherWalksAreBuiltInTheBackgroundToo) {
  const Engine engine;
  auto kernel = engine.compile("add(@0,@1)", Tiered);
  ASSERT_TRUE(kernel);
  engine.settle();
  const auto x = values(0);
  const float one = 1;
  std::vector<float> out(Count);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(
        kernel->run({TensorView(x.data(), {Count}), TensorView(&one, {1})},
                    TensorView(out.data(), {Count})));
    EXPECT_EQ(out[Count - 1], x[Count - 1] + 1);
    engine.settle();
  }
  EXPECT_EQ(engine.stats().compiled, 4u);
}

TEST(Tiered, KernelsOutliveTheirEngine) {
  std::optional<Kernel> kernel;
  {
    const Engine engine;
    kernel = *engine.compile("mul(@0,@0)", Tiered);
    for (int i = 0; i < 200; ++i) // most of them for nothing
      ASSERT_TRUE(
          engine.compile("pow(@0," + std::to_string(i + 5) + ")", Tiered));
  }
  const float three = 3;
  float out = 0;
  ASSERT_TRUE(kernel->run(TensorView(&three, {1}), TensorView(&out, {1})));
  EXPECT_EQ(out, 9);
}

TEST(Tiered, RefusesWhatOthersRefuse) {
  const Engine engine;
  EXPECT_FALSE(engine.compile("ad(@0,@1)", Tiered));
  EngineOptions options;
  options.cpu = "no-such-cpu";
  const Engine other(options);
  EXPECT_FALSE(other.compile("add(@0,@1)", Tiered));
}

} // namespace
