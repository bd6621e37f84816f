//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Infix.h"
#include "kexpr/Engine.h"
#include "kexpr/Operators.h"

#include <gtest/gtest.h>

using namespace kexpr;

/// The one kernel of a text for operands that are all f32.
static Expected<Kernel> compiled(const Engine &engine, std::string_view text,
                                 CompileOptions options = {}) {
  options.mode = Mode::Interpret;
  options.syntax = Syntax::Infix;
  return engine.compile(text, options);
}

TEST(InfixEngine, ComputesWhatATextSays) {
  const Engine engine;
  for (const Mode mode : {Mode::Interpret, Mode::Optimized}) {
    const auto kernel =
        engine.compile("a*x + b", {.mode = mode, .syntax = Syntax::Infix});
    ASSERT_TRUE(kernel) << kernel.error().render();
    float a[] = {1, 2, 3}, x[] = {4, 5, 6}, b[] = {7, 8, 9}, out[3];
    const Shape shape{3};
    ASSERT_TRUE(kernel->run(
        {TensorView(a, shape), TensorView(x, shape), TensorView(b, shape)},
        TensorView(out, shape)));
    EXPECT_EQ(out[0], 11);
    EXPECT_EQ(out[2], 27);
  }
}

TEST(InfixEngine, OperandsAreInTheGivenOrder) {
  const Engine engine;
  const auto kernel = compiled(engine, "a - b", {.operandNames = {"b", "a"}});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->expression().text(), "sub(@1,@0)");
}

TEST(InfixEngine, SharesKernelsWithTextsOfPnnx) {
  const Engine engine;
  ASSERT_TRUE(engine.compile("add(@0,@1)", {.mode = Mode::Interpret}));
  ASSERT_TRUE(compiled(engine, "a + b"));
  ASSERT_TRUE(compiled(engine, "(x) + y"));
  EXPECT_EQ(engine.stats().kernels, 1u);
  EXPECT_EQ(engine.stats().misses, 1u);
}

/// Everything that a text means by is told apart.
TEST(InfixEngine, TheCacheTellsOptionsApart) {
  const Engine engine;
  const auto textOf = [&](const CompileOptions &options) {
    const auto kernel = compiled(engine, "a / b", options);
    return kernel ? std::string(kernel->expression().text())
                  : kernel.error().message();
  };
  const std::vector<DType> types = {DType::I32, DType::I64};
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(textOf({}), "div(@0,@1)");
    EXPECT_EQ(textOf({.operandTypes = types}),
              "div(torch.double(@0),torch.double(@1))");
    EXPECT_EQ(textOf({.operandTypes = types, .semantics = Semantics::Torch}),
              "div(@0,@1)");
    EXPECT_EQ(textOf({.operandNames = {"b", "a"}}), "div(@1,@0)");
    EXPECT_EQ(textOf({.operandTypes = {DType::F32, DType::F64}}),
              "div(torch.double(@0),@1)");
    EXPECT_EQ(textOf({.operandTypes = {DType::F32, DType::F64},
                      .numberOperands = {1}}),
              "div(@0,torch.float(@1))");
    EXPECT_EQ(textOf({.limits = {.maxNodes = 2}}),
              "more than the limit of 2 nodes");
  }
  // A text that means something in both syntaxes.
  const auto pnnx = engine.compile("exp(1)", {.mode = Mode::Interpret});
  const auto infix = compiled(engine, "exp(1)");
  ASSERT_TRUE(pnnx && infix);
  EXPECT_EQ(pnnx->expression().text(), "exp(1)");
  EXPECT_EQ(infix->expression().text(), "torch.double(2.718281828459045)");
}

TEST(InfixEngine, AHitTakesNoCompilation) {
  const Engine engine;
  ASSERT_TRUE(compiled(engine, "a*x + b"));
  ASSERT_TRUE(compiled(engine, "a*x + b"));
  EXPECT_EQ(engine.stats().hits, 1u);
  EXPECT_EQ(engine.stats().misses, 1u);
}

TEST(InfixEngine, ErrorsOfLaterStagesPointIntoTheText) {
  const Engine engine;
  const auto refused = compiled(engine, "t = a - b; c + exp(t - t)",
                                {.operandTypes = {DType::Bool, DType::Bool},
                                 .semantics = Semantics::Torch});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().render(),
            "error: operator 'sub' takes integers and floating point, but "
            "operand 'a' is bool\n"
            "  t = a - b; c + exp(t - t)\n"
            "      ^~~~~");
  const auto axis = compiled(engine, "x + sum(y, axis=17)");
  ASSERT_FALSE(axis);
  EXPECT_EQ(axis.error().source(), "x + sum(y, axis=17)");
  EXPECT_EQ(axis.error().range(), (SourceRange{16, 18}));
  const auto delta = compiled(engine, "huber_loss(x, y, delta=-1) + x");
  ASSERT_FALSE(delta);
  EXPECT_EQ(delta.error().range(), (SourceRange{23, 25}));
}

TEST(InfixEngine, PnnxTextHasOneSemantics) {
  const Engine engine;
  ASSERT_TRUE(engine.compile("add(@0,@1)", {.mode = Mode::Interpret}));
  const auto refused = engine.compile(
      "add(@0,@1)", {.mode = Mode::Interpret, .semantics = Semantics::Numpy});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
}

TEST(InfixEngine, ANumberNeedsAType) {
  const Engine engine;
  const auto refused = compiled(engine, "a + b", {.numberOperands = {1}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
}

/// Whatever the table gets, infix text has.
TEST(InfixEngine, HasEveryOperatorAndFunction) {
  const auto arguments = [](unsigned count) {
    std::string text = "(a";
    for (unsigned i = 1; i < count; ++i)
      text += std::string(", ") + static_cast<char>('a' + i);
    return text + ")";
  };
  for (const OperatorInfo &info : kexpr::operators()) {
    const std::string_view name = info.name;
    if (name == "and" || name == "or") // Python's words.
      continue;
    const InfixOperand type =
        info.types == "integral" || info.types == "integer"
            ? InfixOperand{DType::I32}
            : InfixOperand{};
    const std::string text = std::string(name) + arguments(info.arity);
    const auto program = InfixProgram::parse(text);
    ASSERT_TRUE(program) << text;
    const InfixOperand types[] = {
        name == "where" ? InfixOperand{DType::Bool} : type,
        name == "ldexp" ? InfixOperand{DType::I32} : type, type};
    const auto lowered = program->lower(types);
    EXPECT_TRUE(lowered) << text << ": " << lowered.error().render();
  }
  for (const RowFunctionInfo &info : kexpr::rowFunctions()) {
    const std::string_view name = info.name;
    const bool hasClasses =
        info.signature.find("classes") != info.signature.npos;
    const bool isLoss = name.find("_loss") != name.npos || hasClasses;
    const std::string text =
        std::string(name) + (isLoss                        ? "(a, b)"
                             : name == "cosine_similarity" ? "(a, b, axis=0)"
                             : name == "group_norm"        ? "(a, 2)"
                             : name == "instance_norm"     ? "(a)"
                                                           : "(a, axis=0)");
    const auto program = InfixProgram::parse(text);
    ASSERT_TRUE(program) << text;
    const InfixOperand types[] = {{}, {hasClasses ? DType::I32 : DType::F32}};
    const auto lowered = program->lower(types);
    EXPECT_TRUE(lowered) << text << ": " << lowered.error().render();
  }
}

TEST(Infix, PlacesErrorsOfTheExpressionInTheText) {
  Engine engine;
  const auto program = InfixProgram::parse("x + mean(y, axis=1)");
  ASSERT_TRUE(program);
  const InfixOperand types[] = {{DType::F32}, {DType::F64}};
  CompileOptions options;
  options.operandTypes = {DType::F32, DType::F64};
  const auto lowered = program->lower(types);
  ASSERT_TRUE(lowered);
  const auto kernel = engine.compile(*lowered, options);
  ASSERT_TRUE(kernel) << kernel.error().render();
  float x[3] = {};
  double y[4] = {};
  const TensorView narrow[] = {TensorView(x, {3}),
                               TensorView(y, DType::F64, {4})};
  const auto shape = kernel->outputShape(narrow);
  ASSERT_FALSE(shape);
  const Error placed = program->placed(shape.error(), types);
  EXPECT_EQ(placed.code(), shape.error().code());
  EXPECT_EQ(placed.source(), program->text());
  EXPECT_EQ(placed.range(), (SourceRange{4, 19}));
  // Without a range it has names.
  const Error plain(ErrorCode::ShapeMismatch, "operand @1 is long");
  EXPECT_EQ(program->placed(plain, types).message(), "operand 'y' is long");
  // What is not about this expression stays as it is.
  const Error other(ErrorCode::InvalidSyntax, "about @1", "text", {0, 1});
  EXPECT_EQ(program->placed(other, types).message(), "about @1");
  EXPECT_EQ(program->placed(other, types).source(), "text");
}
