//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"

#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

using namespace kexpr;
using namespace kexpr::test;

TEST(CApiExpressions, SayWhatTheyAre) {
  CExpression expression;
  ASSERT_EQ(kexpr_expression_parse(" add( @3, mul(@0,2.50) )", nullptr,
                                   Out(expression), nullptr),
            KEXPR_OK);
  EXPECT_STREQ(kexpr_expression_text(expression.get()),
               " add( @3, mul(@0,2.50) )");
  EXPECT_STREQ(kexpr_expression_canonical(expression.get()),
               "add(@3,mul(@0,2.5))");
  EXPECT_EQ(kexpr_expression_operand_count(expression.get()), 4u);
  std::size_t count = 0;
  const std::uint32_t *used =
      kexpr_expression_used_operands(expression.get(), &count);
  EXPECT_EQ(std::vector(used, used + count),
            (std::vector<std::uint32_t>{0, 3}));
  EXPECT_FALSE(kexpr_expression_is_scalar(expression.get()));
}

TEST(CApiExpressions, AreCompiledAndAskedOfKernels) {
  const CEngine engine = makeEngine();
  CExpression expression;
  kexpr_expression_parse("neg( @0 )", nullptr, Out(expression), nullptr);
  CKernel kernel;
  ASSERT_EQ(kexpr_engine_compile_expression(engine.get(), expression.get(),
                                            nullptr, Out(kernel), nullptr),
            KEXPR_OK);
  expression.reset();
  EXPECT_STREQ(
      kexpr_expression_canonical(kexpr_kernel_expression(kernel.get())),
      "neg(@0)");
}

TEST(CApiExpressions, AreHeldToLimits) {
  kexpr_parse_limits limits = {};
  limits.size = sizeof limits;
  limits.max_nodes = 2;
  CExpression expression;
  auto parse = [&](kexpr_error **error) {
    return kexpr_expression_parse("add(@0,@1)", &limits, Out(expression),
                                  error);
  };
  EXPECT_NE(refusalOf(KEXPR_LIMIT_EXCEEDED, parse), "");
  limits.max_nodes = 3;
  EXPECT_EQ(refusalOf(KEXPR_OK, parse), "");
  const CEngine engine = makeEngine();
  kexpr_compile_options options = {};
  options.size = sizeof options;
  limits.max_operands = 1;
  options.limits = &limits;
  CKernel kernel;
  EXPECT_NE(refusalOf(KEXPR_LIMIT_EXCEEDED,
                      [&](kexpr_error **error) {
                        return kexpr_engine_compile(engine.get(), "add(@0,@1)",
                                                    &options, Out(kernel),
                                                    error);
                      }),
            "");
}

/// The value of a text whose `@0` has shape [4,6].
static CScalar evaluated(const char *text, kexpr_error **error = nullptr) {
  CExpression expression;
  kexpr_expression_parse(text, nullptr, Out(expression), nullptr);
  const std::int64_t shape[] = {4, 6};
  const kexpr_tensor operand = {nullptr, KEXPR_F32, 2, shape, nullptr};
  CScalar scalar;
  kexpr_expression_evaluate(expression.get(), &operand, 1, Out(scalar), error);
  return scalar;
}

static std::string textOf(const kexpr_scalar *scalar) {
  std::string text(kexpr_scalar_write(scalar, nullptr, 0), ' ');
  kexpr_scalar_write(scalar, text.data(), text.size() + 1);
  return text;
}

TEST(CApiExpressions, WithoutElementsAreEvaluated) {
  const CScalar list = evaluated("[size(@0,1),-1,[0.5,True],None]");
  ASSERT_TRUE(list);
  EXPECT_EQ(kexpr_scalar_kind(list.get()), KEXPR_SCALAR_LIST);
  EXPECT_EQ(textOf(list.get()), "[6,-1,[0.5,True],None]");
  ASSERT_EQ(kexpr_scalar_count(list.get()), 4u);
  const kexpr_scalar *size = kexpr_scalar_at(list.get(), 0);
  EXPECT_EQ(kexpr_scalar_kind(size), KEXPR_SCALAR_INT);
  EXPECT_EQ(kexpr_scalar_int(size), 6);
  const kexpr_scalar *inner = kexpr_scalar_at(list.get(), 2);
  EXPECT_EQ(kexpr_scalar_kind(kexpr_scalar_at(inner, 0)), KEXPR_SCALAR_FLOAT);
  EXPECT_EQ(kexpr_scalar_float(kexpr_scalar_at(inner, 0)), 0.5);
  EXPECT_EQ(kexpr_scalar_kind(kexpr_scalar_at(inner, 1)), KEXPR_SCALAR_BOOL);
  EXPECT_EQ(kexpr_scalar_int(kexpr_scalar_at(inner, 1)), 1);
  EXPECT_EQ(kexpr_scalar_kind(kexpr_scalar_at(list.get(), 3)),
            KEXPR_SCALAR_NONE);
  EXPECT_EQ(kexpr_scalar_at(list.get(), 4), nullptr);
  const CScalar complex = evaluated("1.000000e+00+2.000000e+00j");
  EXPECT_EQ(kexpr_scalar_kind(complex.get()), KEXPR_SCALAR_COMPLEX);
  EXPECT_EQ(kexpr_scalar_float(complex.get()), 1);
  EXPECT_EQ(kexpr_scalar_imaginary(complex.get()), 2);
}

TEST(CApiExpressions, ATextIsCutToItsRoom) {
  const CScalar list = evaluated("[1,2,3]");
  char text[] = "xxxxx";
  EXPECT_EQ(kexpr_scalar_write(list.get(), text, 4), 7u);
  EXPECT_STREQ(text, "[1,");
  EXPECT_EQ(text[4], 'x');
  EXPECT_EQ(kexpr_scalar_write(list.get(), text, 0), 7u);
  EXPECT_STREQ(text, "[1,");
}

TEST(CApiExpressions, WithElementsAreNotEvaluated) {
  CError error;
  EXPECT_FALSE(evaluated("add(@0,1)", Out(error)));
  EXPECT_TRUE(error);
}

TEST(CApiInspection, KernelsSayWhatTheyAreMadeOf) {
  const CEngine engine = makeEngine();
  kexpr_compile_options options = {};
  options.size = sizeof options;
  options.mode = KEXPR_MODE_TIERED;
  options.precision = KEXPR_PRECISION_ACCURATE;
  const CKernel kernel = compile(engine, "add(mul(@0,@1),@2)", &options);
  kexpr_engine_settle(engine.get());
  const bool compiles = kexpr_engine_vector_bits(engine.get()) > 0;
  EXPECT_EQ(kexpr_kernel_tier(kernel.get()),
            compiles ? KEXPR_TIER_OPTIMIZED : KEXPR_TIER_INTERPRETER);
  EXPECT_EQ(kexpr_kernel_precision(kernel.get()), KEXPR_PRECISION_ACCURATE);
  EXPECT_EQ(kexpr_kernel_code_address(kernel.get()) != nullptr, compiles);
  EXPECT_EQ(kexpr_kernel_vector_bits(kernel.get()),
            kexpr_engine_vector_bits(engine.get()));
  EXPECT_EQ(kexpr_kernel_code_size(kernel.get()) > 0, compiles);
  EXPECT_EQ(kexpr_kernel_operations_per_element(kernel.get()), 2u);
  EXPECT_STREQ(kexpr_tier_name(KEXPR_TIER_BASELINE), "baseline");
  EXPECT_STREQ(kexpr_tier_name(3), "?");
  EXPECT_STREQ(kexpr_tier_name(-1), "?");
  kexpr_compile_times times = {};
  times.size = sizeof times;
  ASSERT_EQ(kexpr_kernel_get_compile_times(kernel.get(), &times, nullptr),
            KEXPR_OK);
  EXPECT_GT(times.plan_ns, 0u);
}

TEST(CApiInspection, EnginesSayWhatTheyDid) {
  kexpr_engine_options options = {};
  options.size = sizeof options;
  options.max_kernels = 1;
  options.vector_bits = 128;
  const CEngine engine = makeEngine(&options);
  ASSERT_TRUE(engine);
  kexpr_compile_options interpret = {};
  interpret.size = sizeof interpret;
  interpret.mode = KEXPR_MODE_INTERPRET;
  for (const char *text : {"neg(@0)", "neg(@0)", "abs(@0)"})
    EXPECT_TRUE(compile(engine, text, &interpret));
  kexpr_stats stats = {};
  stats.size = sizeof stats;
  ASSERT_EQ(kexpr_engine_get_stats(engine.get(), &stats, nullptr), KEXPR_OK);
  EXPECT_EQ(stats.size, sizeof stats);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.evictions, 1u);
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_STRNE(kexpr_engine_target_cpu(engine.get()), "");
  const std::uint32_t bits = kexpr_engine_vector_bits(engine.get());
  EXPECT_TRUE(bits == 128 || bits == 0);
}

TEST(CApiInspection, ACacheDirectoryThatCannotBeUsedIsSaid) {
  kexpr_engine_options options = {};
  options.size = sizeof options;
  options.cache_directory = "/dev/null/kexpr";
  const CEngine engine = makeEngine(&options);
  EXPECT_NE(refusalOf(KEXPR_IO,
                      [&](kexpr_error **error) {
                        return kexpr_engine_cache_status(engine.get(), error);
                      })
                .find("/dev/null/kexpr"),
            std::string::npos);
}

TEST(CApiInspection, TheTableIsThatOfCpp) {
  const auto expected = operators();
  ASSERT_EQ(kexpr_operator_count(), expected.size());
  EXPECT_EQ(kexpr_operator_at(expected.size()), nullptr);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const kexpr_operator *found = kexpr_operator_at(i);
    EXPECT_EQ(found->name, expected[i].name);
    EXPECT_EQ(found->aliases, expected[i].aliases);
    EXPECT_EQ(found->doc, expected[i].doc);
    EXPECT_EQ(found->types, expected[i].types);
    EXPECT_EQ(found->arity, expected[i].arity);
    EXPECT_EQ(found->overload_arity, expected[i].overloadArity);
    EXPECT_EQ(found->max_ulp, expected[i].maxUlp);
    EXPECT_EQ(found->max_ulp_accurate, expected[i].maxUlpAccurate);
    EXPECT_EQ(found->max_ulp_fast, expected[i].maxUlpFast);
    EXPECT_EQ(found->max_ulp_f64, expected[i].maxUlpF64);
    EXPECT_EQ(found->operations, expected[i].operations);
    EXPECT_EQ(found->pnnx, expected[i].pnnx);
    EXPECT_EQ(found->defaults, expected[i].defaults);
  }
}
