//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels show of themselves; from C too.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "TestUtil/Skips.h"

#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <optional>

using namespace kexpr;
using namespace kexpr::test;

static constexpr Stage CodeStages[] = {Stage::Llvm, Stage::LlvmOpt,
                                       Stage::Mir,  Stage::Asm,
                                       Stage::Obj,  Stage::Explain};

/// What a kernel whose engine is gone shows.
static Expected<std::string> dumpOf(const char *text, Stage stage,
                                    const CompileOptions &options = {}) {
  std::optional<Engine> engine(std::in_place);
  const auto kernel = engine->compile(text, options);
  engine.reset();
  return kernel ? kernel->dump(stage) : kernel.error();
}

TEST(KernelDump, ShowsEveryStage) {
  EXPECT_EQ(*dumpOf("neg( @0 )", Stage::Rpn),
            "@0                   stack 1\nneg/1                stack 1\n");
  EXPECT_NE(dumpOf("neg(@0)", Stage::Tokens)->find("operand"),
            std::string::npos);
  EXPECT_NE(dumpOf("neg(@0)", Stage::Ast)->find("call neg"), std::string::npos);
  EXPECT_NE(dumpOf("neg(@0)", Stage::Graph)->find("neg f32 %0"),
            std::string::npos);
  EXPECT_EQ(dumpOf("neg(@0)", Stage::Dot)->rfind("digraph \"neg(@0)\"", 0), 0u);
  EXPECT_NE(dumpOf("neg(@0)", Stage::Plan)->find("output 0: f32, contiguous"),
            std::string::npos);
}

TEST(KernelDump, ShowsCode) {
  if (Engine().vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  for (Stage stage : CodeStages) {
    const auto text = dumpOf("exp(@0)", stage);
    ASSERT_TRUE(text) << nameOf(stage) << ": " << text.error().message();
    EXPECT_EQ(*text, *dumpOf("exp(@0)", stage)) << nameOf(stage);
    EXPECT_NE(*text, *dumpOf("exp(@0)", stage, {.mode = Mode::Baseline}))
        << nameOf(stage);
  }
  EXPECT_EQ(dumpOf("exp(@0)", Stage::Obj)->substr(0, 4), "\x7f"
                                                         "ELF");
  EXPECT_EQ(*dumpOf("exp(@0)", Stage::Asm),
            *dumpOf("exp(@0)", Stage::Asm, {.mode = Mode::Tiered}));
  EXPECT_NE(*dumpOf("exp(@0)", Stage::Asm),
            *dumpOf("exp(@0)", Stage::Asm, {.precision = Precision::Accurate}));
}

TEST(KernelDump, IsOfTheEnginesTarget) {
  EngineOptions options;
  options.vectorBits = 128;
  const Engine engine(options);
  if (engine.vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  const auto text = engine.compile("neg(@0)")->dump(Stage::Llvm);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_NE(text->find("<4 x float>"), std::string::npos);
  EXPECT_EQ(text->find("<8 x float>"), std::string::npos);
}

TEST(KernelDump, OfAnInterpretedKernelHasNoCode) {
  const CompileOptions options{.mode = Mode::Interpret};
  for (Stage stage : CodeStages) {
    const auto text = dumpOf("neg(@0)", stage, options);
    ASSERT_FALSE(text) << nameOf(stage);
    EXPECT_EQ(text.error().code(), ErrorCode::Unsupported);
  }
  EXPECT_TRUE(dumpOf("neg(@0)", Stage::Plan, options));
  EXPECT_EQ(dumpOf("neg(@0)", static_cast<Stage>(77)).error().code(),
            ErrorCode::InvalidArgument);
}

TEST(KernelDump, WorksFromC) {
  const CEngine engine = makeEngine();
  const CKernel kernel = compile(engine, "neg(@0)");
  kexpr_text *text = nullptr;
  ASSERT_EQ(kexpr_kernel_dump(kernel.get(), KEXPR_STAGE_RPN, &text, nullptr),
            KEXPR_OK);
  EXPECT_STREQ(kexpr_text_data(text), dumpOf("neg(@0)", Stage::Rpn)->c_str());
  EXPECT_EQ(kexpr_text_size(text), dumpOf("neg(@0)", Stage::Rpn)->size());
  kexpr_text_free(text);
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_kernel_dump(kernel.get(), 77, &text,
                                                 error);
                      }),
            "there is no stage 77");
  EXPECT_EQ(text, nullptr);
}

TEST(KernelDump, StagesOfCHaveTheNamesOfCpp) {
  for (std::size_t i = 0; i < StageCount; ++i) {
    const auto stage = static_cast<std::int32_t>(i);
    EXPECT_EQ(kexpr_stage_name(stage), nameOf(static_cast<Stage>(i)));
    std::int32_t parsed = -1;
    EXPECT_EQ(kexpr_stage_parse(kexpr_stage_name(stage), &parsed, nullptr),
              KEXPR_OK);
    EXPECT_EQ(parsed, stage);
  }
  EXPECT_STREQ(kexpr_stage_name(StageCount), "?");
  EXPECT_STREQ(kexpr_stage_name(-1), "?");
  EXPECT_STREQ(kexpr_stage_name(KEXPR_STAGE_LLVM_OPT), "llvm-opt");
  EXPECT_STREQ(kexpr_stage_name(KEXPR_STAGE_EXPLAIN), "explain");
}

TEST(KernelDump, NullsOfCAreRefused) {
  kexpr_text *text = nullptr;
  std::int32_t stage = 0;
  const auto isNull = [](auto call) {
    return refusalOf(KEXPR_INVALID_ARGUMENT, call).find(" is null") !=
           std::string::npos;
  };
  EXPECT_TRUE(isNull([&](kexpr_error **error) {
    return kexpr_kernel_dump(nullptr, KEXPR_STAGE_AST, &text, error);
  }));
  const CEngine engine = makeEngine();
  const CKernel kernel = compile(engine, "neg(@0)");
  EXPECT_TRUE(isNull([&](kexpr_error **error) {
    return kexpr_kernel_dump(kernel.get(), KEXPR_STAGE_AST, nullptr, error);
  }));
  EXPECT_TRUE(isNull([&](kexpr_error **error) {
    return kexpr_stage_parse(nullptr, &stage, error);
  }));
  EXPECT_TRUE(isNull([&](kexpr_error **error) {
    return kexpr_stage_parse("ast", nullptr, error);
  }));
  EXPECT_TRUE(isNull([](kexpr_error **error) {
    return kexpr_engine_dump_status(nullptr, error);
  }));
  EXPECT_TRUE(isNull([](kexpr_error **error) {
    return kexpr_engine_log_status(nullptr, error);
  }));
  EXPECT_STREQ(kexpr_text_data(nullptr), "");
  EXPECT_EQ(kexpr_text_size(nullptr), 0u);
  kexpr_text_free(nullptr);
}
