//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::test;

static kexpr_compile_options infixOptions() {
  kexpr_compile_options options = {};
  options.size = sizeof options;
  options.mode = KEXPR_MODE_INTERPRET;
  options.syntax = KEXPR_SYNTAX_INFIX;
  return options;
}

TEST(CApiInfix, CompilesATextWithNames) {
  const CEngine engine = makeEngine();
  const char *const names[] = {"b", "a"};
  kexpr_compile_options options = infixOptions();
  options.operand_names = names;
  options.operand_name_count = 2;
  const CKernel kernel = compile(engine, "a - 2*b", &options);
  ASSERT_TRUE(kernel);
  float a[] = {10, 20}, b[] = {1, 2}, out[2];
  const std::int64_t shape[] = {2};
  const kexpr_tensor inputs[] = {tensorOf(b, shape), tensorOf(a, shape)};
  const kexpr_tensor output = tensorOf(out, shape);
  ASSERT_EQ(
      kexpr_kernel_run(kernel.get(), inputs, 2, &output, 1, nullptr, nullptr),
      KEXPR_OK);
  EXPECT_EQ(out[0], 8);
  EXPECT_EQ(out[1], 16);
}

TEST(CApiInfix, OptionsSayWhatOperandsAre) {
  const CEngine engine = makeEngine();
  const kexpr_dtype types[] = {KEXPR_F32, KEXPR_F64};
  const std::uint32_t numbers[] = {1};
  kexpr_compile_options options = infixOptions();
  options.operand_types = types;
  options.operand_type_count = 2;
  options.number_operands = numbers;
  options.number_operand_count = 1;
  const CKernel weak = compile(engine, "a*b", &options);
  ASSERT_TRUE(weak);
  EXPECT_EQ(kexpr_kernel_output_type(weak.get(), 0), KEXPR_F32);
  options.number_operand_count = 0;
  const CKernel strong = compile(engine, "a*b", &options);
  ASSERT_TRUE(strong);
  EXPECT_EQ(kexpr_kernel_output_type(strong.get(), 0), KEXPR_F64);
}

TEST(CApiInfix, SaysWhichIntegersANumberMayBe) {
  kexpr_infix *program = nullptr;
  ASSERT_EQ(kexpr_infix_parse("x*n + where(y > m, y, n)", nullptr, nullptr, 0,
                              &program, nullptr),
            KEXPR_OK);
  const kexpr_infix_operand operands[] = {{KEXPR_I16, KEXPR_OPERAND_TENSOR},
                                          {KEXPR_I64, KEXPR_OPERAND_NUMBER},
                                          {KEXPR_U8, KEXPR_OPERAND_TENSOR},
                                          {KEXPR_I64, KEXPR_OPERAND_NUMBER}};
  std::int64_t least[4], greatest[4];
  ASSERT_EQ(kexpr_infix_number_ranges(program, operands, 4,
                                      KEXPR_SEMANTICS_NUMPY, least, greatest,
                                      nullptr),
            KEXPR_OK);
  // n meets i16 and u8, m is compared.
  EXPECT_EQ(least[1], 0);
  EXPECT_EQ(greatest[1], 255);
  EXPECT_EQ(least[3], INT64_MIN);
  EXPECT_EQ(greatest[3], INT64_MAX);
  ASSERT_EQ(kexpr_infix_number_ranges(program, operands, 4,
                                      KEXPR_SEMANTICS_TORCH, least, greatest,
                                      nullptr),
            KEXPR_OK);
  EXPECT_EQ(least[1], INT64_MIN);
  EXPECT_EQ(kexpr_infix_number_ranges(program, operands, 4, 0, nullptr,
                                      greatest, nullptr),
            KEXPR_INVALID_ARGUMENT);
  kexpr_infix_free(program);
}

TEST(CApiInfix, BadOptionsAreErrors) {
  const CEngine engine = makeEngine();
  const auto refused = [&](auto change) {
    kexpr_compile_options options = infixOptions();
    change(options);
    CKernel kernel;
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_engine_compile(engine.get(), "a", &options, Out(kernel),
                                  error);
    });
  };
  using Options = kexpr_compile_options;
  EXPECT_NE(refused([](Options &options) { options.syntax = 2; }), "");
  EXPECT_NE(refused([](Options &options) { options.semantics = -1; }), "");
  EXPECT_EQ(refused([](Options &options) { options.operand_name_count = 1; }),
            "kexpr_compile_options.operand_names is null");
  static const char *const names[] = {nullptr};
  EXPECT_EQ(refused([](Options &options) {
              options.operand_names = names;
              options.operand_name_count = 1;
            }),
            "the name of operand 0 is null");
  EXPECT_EQ(refused([](Options &options) { options.number_operand_count = 1; }),
            "kexpr_compile_options.number_operands is null");
}

TEST(CApiInfix, ReadsATextWithoutAnEngine) {
  CInfix program;
  ASSERT_EQ(
      kexpr_infix_parse("x/y, x", nullptr, nullptr, 0, Out(program), nullptr),
      KEXPR_OK);
  EXPECT_STREQ(kexpr_infix_text(program.get()), "x/y, x");
  EXPECT_EQ(kexpr_infix_operand_count(program.get()), 2u);
  EXPECT_STREQ(kexpr_infix_operand_name(program.get(), 1), "y");
  EXPECT_STREQ(kexpr_infix_operand_name(program.get(), 2), "");
  EXPECT_EQ(kexpr_infix_output_count(program.get()), 2u);
  EXPECT_TRUE(kexpr_infix_is_list(program.get()));
  const kexpr_infix_operand operands[] = {{KEXPR_I32, KEXPR_OPERAND_TENSOR},
                                          {KEXPR_I64, KEXPR_OPERAND_NUMBER}};
  CExpression expression;
  ASSERT_EQ(kexpr_infix_lower(program.get(), operands, 2,
                              KEXPR_SEMANTICS_DEFAULT, Out(expression),
                              nullptr),
            KEXPR_OK);
  EXPECT_STREQ(kexpr_expression_text(expression.get()),
               "[div(torch.double(@0),torch.double(@1)),@0]");
}

TEST(CApiInfix, ErrorsOfACallNameOperands) {
  CInfix program;
  CExpression expression;
  CEngine engine;
  CKernel kernel;
  CError error, placed;
  ASSERT_EQ(
      kexpr_infix_parse("a*x + b", nullptr, nullptr, 0, Out(program), nullptr),
      KEXPR_OK);
  ASSERT_EQ(
      kexpr_infix_lower(program.get(), nullptr, 0, 0, Out(expression), nullptr),
      KEXPR_OK);
  ASSERT_EQ(kexpr_engine_create(nullptr, Out(engine), nullptr), KEXPR_OK);
  ASSERT_EQ(kexpr_engine_compile_expression(engine.get(), expression.get(),
                                            nullptr, Out(kernel), nullptr),
            KEXPR_OK);
  float data[4] = {};
  const std::int64_t three = 3, four = 4;
  const kexpr_tensor inputs[] = {{data, KEXPR_F32, 1, &three, nullptr},
                                 {data, KEXPR_F32, 1, &four, nullptr},
                                 {data, KEXPR_F32, 1, &three, nullptr}};
  ASSERT_EQ(
      kexpr_kernel_run(kernel.get(), inputs, 3, inputs, 1, nullptr, Out(error)),
      KEXPR_SHAPE_MISMATCH);
  EXPECT_EQ(
      kexpr_infix_place(program.get(), error.get(), nullptr, 0, 0, Out(placed)),
      KEXPR_SHAPE_MISMATCH);
  EXPECT_NE(std::string(kexpr_error_message(placed.get())).find("'x'"),
            std::string::npos)
      << kexpr_error_message(placed.get());
  EXPECT_EQ(
      kexpr_infix_place(program.get(), nullptr, nullptr, 0, 0, Out(placed)),
      KEXPR_INVALID_ARGUMENT);
}

TEST(CApiInfix, ErrorsPointIntoTheText) {
  CError error;
  CInfix program;
  EXPECT_EQ(kexpr_infix_parse("a + (b", nullptr, nullptr, 0, Out(program),
                              Out(error)),
            KEXPR_INVALID_SYNTAX);
  EXPECT_STREQ(kexpr_error_render(error.get()),
               "error: a bracket that nothing closes\n"
               "  a + (b\n"
               "      ^");
  ASSERT_EQ(kexpr_infix_parse("a", nullptr, nullptr, 0, Out(program), nullptr),
            KEXPR_OK);
  const kexpr_infix_operand wrong[] = {{99, 0}, {KEXPR_F32, 3}};
  for (const kexpr_infix_operand &operand : wrong) {
    CExpression expression;
    EXPECT_EQ(kexpr_infix_lower(program.get(), &operand, 1, 0, Out(expression),
                                nullptr),
              KEXPR_INVALID_ARGUMENT);
  }
  CExpression expression;
  EXPECT_EQ(
      kexpr_infix_lower(program.get(), nullptr, 0, 3, Out(expression), nullptr),
      KEXPR_INVALID_ARGUMENT);
}
