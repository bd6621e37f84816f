//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr-c/Expression.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <vector>

using namespace kexpr;
using Built = ExpressionBuilder::Value;

// Expressions that hosts build as graphs, compiled and run.

TEST(BuiltExpressions, ShareTheKernelOfATextThatMeansTheSame) {
  const Engine engine;
  ExpressionBuilder builder;
  const Built once =
      *builder.call("mul", {*builder.operand(0), *builder.operand(1)});
  const auto built = builder.finish(*builder.call("add", {once, once}));
  ASSERT_TRUE(built);
  const auto kernel = engine.compile(*built);
  ASSERT_TRUE(kernel) << kernel.error().render();
  const auto same = engine.compile("add(mul(@0, @1), mul(@0, @1))");
  ASSERT_TRUE(same);
  EXPECT_EQ(kernel->codeAddress(), same->codeAddress());
  EXPECT_EQ(engine.stats().misses, 1u);
  EXPECT_EQ(engine.stats().kernels, 1u);
  EXPECT_EQ(same->expression().text(), "%0=mul(@0,@1);add(%0,%0)");
}

TEST(BuiltExpressions, ComputeWhatIsSharedOnce) {
  // Newton's steps to 1 / a; as a text it would have 2^20 terms.
  ExpressionBuilder builder;
  const Built a = *builder.operand(0);
  Built x = *builder.operand(1);
  for (int i = 0; i < 20; ++i) {
    const Built rest = *builder.call(
        "sub", {*builder.integer(2), *builder.call("mul", {a, x})});
    x = *builder.call("mul", {x, rest});
  }
  const auto expression = builder.finish(x);
  ASSERT_TRUE(expression);
  const Engine engine;
  std::vector<float> divisor, start, expected;
  for (int i = 0; i < 37; ++i) {
    divisor.push_back(1 + 0.01f * static_cast<float>(i));
    start.push_back(0.5f);
    float value = 0.5f;
    for (int step = 0; step < 20; ++step)
      value = value * (2 - divisor.back() * value);
    expected.push_back(value);
  }
  for (Mode mode : {Mode::Interpret, Mode::Baseline, Mode::Optimized}) {
    CompileOptions options;
    options.mode = mode;
    const auto kernel = engine.compile(*expression, options);
    ASSERT_TRUE(kernel) << kernel.error().render();
    EXPECT_EQ(kernel->operationsPerElement(), 60u);
    std::vector<float> result(divisor.size());
    const std::int64_t count = 37;
    ASSERT_TRUE(kernel->run({TensorView(divisor.data(), {count}),
                             TensorView(start.data(), {count})},
                            TensorView(result.data(), {count})));
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_NEAR(result[i], expected[i], 1e-6f);
  }
}

TEST(BuiltExpressions, ErrorsShowThePlaceInTheListing) {
  ExpressionBuilder builder;
  const Built odd = *builder.call("moo", *builder.operand(0));
  const auto expression = builder.finish(*builder.call("add", {odd, odd}));
  ASSERT_TRUE(expression);
  const auto kernel = Engine().compile(*expression);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().source(), "%0=moo(@0);add(%0,%0)");
  EXPECT_EQ(kernel.error().range().begin, 3u);
  EXPECT_EQ(kernel.error().range().end, 6u);
}

TEST(BuiltExpressions, AreBuiltFromC) {
  kexpr_error *error = nullptr;
  kexpr_expression_builder *builder = nullptr;
  ASSERT_EQ(kexpr_expression_builder_create(nullptr, &builder, &error),
            KEXPR_OK);
  uint32_t a = 0, two = 0, half = 0, truth = 0;
  EXPECT_EQ(kexpr_expression_builder_operand(builder, 0, &a, &error), KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_integer(builder, 2, &two, &error),
            KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_real(builder, 0.5, &half, &error),
            KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_boolean(builder, true, &truth, &error),
            KEXPR_OK);
  const uint32_t factors[] = {a, two}, branches[] = {truth, a, half};
  uint32_t product = 0, choice = 0;
  EXPECT_EQ(kexpr_expression_builder_call(builder, "mul", factors, 2, &product,
                                          &error),
            KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_call(builder, "where", branches, 3,
                                          &choice, &error),
            KEXPR_OK);
  uint32_t last = two; // An argument and the result at once.
  EXPECT_EQ(
      kexpr_expression_builder_call(builder, "neg", &last, 1, &last, &error),
      KEXPR_OK);
  const uint32_t outputs[] = {product, choice, last};
  kexpr_expression *expression = nullptr;
  ASSERT_EQ(
      kexpr_expression_builder_finish(builder, outputs, 3, &expression, &error),
      KEXPR_OK);
  EXPECT_STREQ(kexpr_expression_text(expression),
               "[mul(@0,2),where(True,@0,0.5),neg(2)]");
  kexpr_expression_free(expression);

  uint32_t settings[] = {a, 0, 0};
  EXPECT_EQ(
      kexpr_expression_builder_list(builder, &two, 1, &settings[1], &error),
      KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_none(builder, &settings[2], &error),
            KEXPR_OK);
  EXPECT_EQ(kexpr_expression_builder_call(builder, "layer_norm", settings, 3,
                                          &last, &error),
            KEXPR_OK);
  ASSERT_EQ(
      kexpr_expression_builder_finish(builder, &last, 1, &expression, &error),
      KEXPR_OK);
  EXPECT_STREQ(kexpr_expression_text(expression), "layer_norm(@0,[2],None)");
  kexpr_expression_free(expression);
  EXPECT_EQ(kexpr_expression_builder_list(builder, nullptr, 1, &last, nullptr),
            KEXPR_INVALID_ARGUMENT);

  EXPECT_EQ(kexpr_expression_builder_call(builder, "a b", factors, 2, &product,
                                          &error),
            KEXPR_INVALID_SYNTAX);
  EXPECT_EQ(product, 0u);
  kexpr_error_free(error);
  EXPECT_EQ(kexpr_expression_builder_finish(builder, nullptr, 1, &expression,
                                            nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(kexpr_expression_builder_operand(nullptr, 0, &a, nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(kexpr_expression_builder_operand(builder, 0, nullptr, nullptr),
            KEXPR_INVALID_ARGUMENT);
  kexpr_expression_builder_free(builder);
  kexpr_expression_builder_free(nullptr);
}
