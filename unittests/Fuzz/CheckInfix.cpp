//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Infix.h"

#include "kexpr/Infix.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace kexpr;
using namespace kexpr::fuzz;

static constexpr std::string_view InfixNames[] = {"a", "b",      "x", "y_1",
                                                  "t", "\u03b1", "e", "pi"};
static constexpr std::string_view InfixLiterals[] = {
    "0", "1", "2", "3", "-1", "0.5", "1e30", "300", "True", "inf", "0x10", "7"};
static constexpr std::string_view InfixCalls[] = {
    "exp(",  "sqrt(", "where(",  "maximum(", "float32(", "int8(",   "arctan2(",
    "clip(", "sign(", "abs(",    "isnan(",   "floor(",   "sum(",    "mean(",
    "var(",  "max(",  "argmax(", "softmax(", "any(",     "silu(",   "power(",
    "norm(", "bool(", "round(",  "nosuch(",  "invert(",  "square(", "degrees("};
static constexpr std::string_view InfixBetween[] = {
    " + ", "-",       "*",       "/",          "//",   "%",    "**",
    "<",   "<=",      " > ",     "==",         "!=",   "&",    "|",
    "^",   "<<",      ">>",      " and ",      " or ", " if ", " else ",
    ", ",  ";\nt = ", ", axis=", ", keepdims="};

std::string fuzz::makeInfixText(Choices &choices) {
  std::string text;
  std::size_t open = 0;
  for (std::uint32_t left = 1 + choices.below(24); left > 0; --left) {
    const std::uint32_t kind = choices.below(16);
    if (kind == 0 || kind == 1) {
      text += kind ? "(" : "[";
      text += choices.oneOf(InfixNames);
      text += kind ? ")" : "]";
    } else if (kind < 5) {
      text += choices.oneOf(InfixCalls);
      ++open;
      continue;
    } else if (kind == 5) {
      text += choices.below(2) ? "-" : "not ";
      continue;
    } else if (kind < 8) {
      text += choices.oneOf(InfixLiterals);
    } else {
      text += choices.oneOf(InfixNames);
    }
    while (open > 0 && choices.below(3) == 0) {
      text += ')';
      --open;
    }
    if (left > 1)
      text += choices.oneOf(InfixBetween);
  }
  text.append(open, ')');
  if (choices.below(8) == 0 && !text.empty())
    text[choices.below(static_cast<std::uint32_t>(text.size()))] =
        static_cast<char>(choices.byte());
  return text;
}

static std::string problemOf(const Error &error, const std::string &text) {
  if (error.message().empty() || error.render().empty())
    return "an error without a message";
  if (!error.hasRange())
    return {};
  if (error.source() != text)
    return "an error in another text: " + error.render();
  return error.range().begin <= error.range().end &&
                 error.range().end <= text.size()
             ? std::string()
             : "an error outside the text: " + error.message();
}

static constexpr DType InfixTypes[] = {
    DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8,
    DType::U8,  DType::I16, DType::I32, DType::I64,  DType::Bool,
    DType::U16, DType::U32, DType::U64};

/// The type of an operand, which may be a Python number.
static InfixOperand makeInfixOperand(Choices &choices) {
  const std::uint32_t choice = choices.below(19);
  constexpr DType numbers[] = {DType::F64, DType::I64, DType::Bool};
  constexpr auto arrays = std::size(InfixTypes);
  if (choice < arrays)
    return {InfixTypes[choice]};
  return choice < arrays + std::size(numbers)
             ? InfixOperand{numbers[choice - arrays], OperandKind::Number}
             : InfixOperand{DType::F32, OperandKind::ZeroDim};
}

/// What is wrong with a run of the kernel over a few elements.
static std::string run(const Kernel &kernel, const std::string &text,
                       const std::vector<InfixOperand> &operands) {
  std::vector<std::array<char, 64>> memory(operands.size());
  std::vector<TensorView> inputs, outputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t byte = 0; byte < memory[i].size(); ++byte)
      memory[i][byte] = static_cast<char>(byte % 3);
    const bool isTensor = operands[i].kind == OperandKind::Tensor;
    inputs.emplace_back(static_cast<void *>(memory[i].data()), operands[i].type,
                        isTensor ? Shape{2, 3} : Shape{});
  }
  std::vector<std::vector<char>> results;
  for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
    const auto shape = kernel.outputShape(inputs, i);
    if (!shape)
      return shape.error().render().empty() ? "an error without a message" : "";
    const std::size_t size =
        shape->elementCount() * sizeOf(kernel.outputType(i));
    results.emplace_back(std::max<std::size_t>(size, 1));
    outputs.emplace_back(static_cast<void *>(results.back().data()),
                         kernel.outputType(i), *shape);
  }
  const Status status = kernel.run(inputs, outputs);
  return status || !status.error().render().empty()
             ? std::string()
             : "a failure without a message: " + text;
}

Verdict fuzz::checkInfix(const Engine &engine, const std::string &text,
                         Choices &choices) {
  const auto program = InfixProgram::parse(text);
  if (!program)
    return {false, problemOf(program.error(), text)};
  CompileOptions options{.mode = Mode::Interpret,
                         .syntax = Syntax::Infix,
                         .semantics = choices.below(4) == 3 ? Semantics::Torch
                                                            : Semantics::Numpy};
  std::vector<InfixOperand> operands;
  for (const std::string &name : program->operands()) {
    options.operandNames.push_back(name);
    operands.push_back(makeInfixOperand(choices));
    const auto index = static_cast<std::uint32_t>(options.operandTypes.size());
    if (operands.back().kind == OperandKind::Number)
      options.numberOperands.push_back(index);
    else if (operands.back().kind == OperandKind::ZeroDim)
      options.zeroDimOperands.push_back(index);
    options.operandTypes.push_back(operands.back().type);
  }
  const auto lowered = program->lower(operands, options.semantics);
  if (!lowered)
    return {false, problemOf(lowered.error(), text)};
  const auto again = Expression::parse(lowered->canonical());
  if (!again || again->canonical() != lowered->canonical())
    return {false,
            "lowered to what is read otherwise: " + lowered->canonical()};
  const auto kernel = engine.compile(text, options);
  if (!kernel && options.semantics == Semantics::Numpy &&
      kernel.error().code() == ErrorCode::TypeMismatch)
    return {false, "types that were left: " + kernel.error().render() + '\n' +
                       lowered->canonical()};
  if (!kernel)
    return {false, problemOf(kernel.error(), text)};
  return {true, run(*kernel, text, operands)};
}
