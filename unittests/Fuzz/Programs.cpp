//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Programs.h"

#include "Ops/Table.h"
#include "TestUtil/Floats.h"

#include <bit>
#include <utility>

using namespace kexpr;
using namespace kexpr::fuzz;

static constexpr std::uint32_t MaxOperands = 5;
static constexpr unsigned MaxDepth = 4;

/// The operators that take f32 to f32.
static const std::vector<const ops::OpEntry *> &floatOperators() {
  static const auto result = [] {
    std::vector<const ops::OpEntry *> entries;
    for (std::size_t id = 0; id < ops::table().size(); ++id)
      if (ops::table()[id].isFloatToFloat())
        entries.push_back(&ops::table()[id]);
    return entries;
  }();
  return result;
}

static std::string leaf(Choices &choices) {
  static constexpr const char *literals[] = {
      "0",   "1",  "2",   "-1",          "3",   "0.5",  "-0.0", "0.1",
      "8.0", "10", "1e9", "1.000000e-6", "inf", "-inf", "nan"};
  if (choices.below(4) == 0)
    return choices.oneOf(literals);
  return "@" + std::to_string(choices.below(MaxOperands));
}

static std::string call(Choices &choices, unsigned depth) {
  if (depth == 0 || choices.below(6) == 0)
    return leaf(choices);
  const ops::OpEntry &op = *choices.oneOf(floatOperators());
  const unsigned overload = op.info.overload.arity;
  const unsigned arity =
      overload && choices.below(4) == 0 ? overload : op.arity;
  std::string text = std::string(op.info.name) + '(';
  for (unsigned i = 0; i < arity; ++i)
    text += (i ? "," : "") + call(choices, depth - 1);
  return text + ')';
}

/// A shape that broadcasts to `full`: some outer axes gone, some extents 1.
static Shape narrowed(const Shape &full, Choices &choices) {
  const std::size_t gone =
      choices.below(3) == 0 ? choices.below(full.rank() + 1) : 0;
  Shape shape(full.begin() + gone, full.rank() - gone);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (choices.below(4) == 0)
      shape[axis] = 1;
  return shape;
}

static float number(Choices &choices) {
  static const std::vector<float> special = test::specialFloats();
  switch (choices.below(4)) {
  case 0:
    return choices.oneOf(special);
  case 1:
    return std::bit_cast<float>(choices.word());
  default:
    return (static_cast<float>(choices.below(65536)) - 32768) / 2048;
  }
}

/// Memory for a shape: row-major, or with gaps, or with two axes exchanged.
static Operand makeOperand(const Shape &shape, Choices &choices) {
  Operand operand{shape, contiguousStrides(shape), {}};
  std::int64_t gap = 1;
  if (choices.below(4) == 0)
    gap = 2 + choices.below(2);
  if (shape.rank() >= 2 && choices.below(4) == 0) {
    const std::size_t axis = choices.below(shape.rank() - 1);
    Shape exchanged = shape;
    std::swap(exchanged[axis], exchanged[axis + 1]);
    operand.strides = contiguousStrides(exchanged);
    std::swap(operand.strides[axis], operand.strides[axis + 1]);
  }
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    operand.strides[axis] *= gap;
  // A few numbers, repeated: bytes are scarce.
  float numbers[16];
  for (float &x : numbers)
    x = number(choices);
  operand.memory.resize(shape.elementCount() * gap);
  for (std::size_t i = 0; i < operand.memory.size(); ++i)
    operand.memory[i] = numbers[(i + i / 16) % 16];
  return operand;
}

Program fuzz::makeProgram(Choices &choices) {
  Program program;
  program.text = call(choices, 1 + choices.below(MaxDepth));
  Shape full;
  const std::size_t rank = choices.below(5);
  static constexpr std::int64_t extents[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 33};
  std::int64_t list[4] = {};
  for (std::size_t axis = 0; axis < rank; ++axis)
    list[axis] = choices.oneOf(extents);
  full = Shape(list, rank);
  for (std::uint32_t i = 0; i < MaxOperands; ++i)
    program.operands.push_back(makeOperand(narrowed(full, choices), choices));
  return program;
}

static constexpr const char *fragments[] = {
    "(",    ")",   ",",     "@",    "@0",   "@65536", "[",      "]",
    "add(", "mul", "1e999", "-",    "inf",  "nan.0",  "True",   "None",
    "1+2j", " ",   "\n",    "pow,", "\xff", "'",      "torch.", "1.000000e+00"};

static void mutate(std::string &text, Choices &choices) {
  const auto length = static_cast<std::uint32_t>(text.size());
  const std::size_t at = choices.below(length + 1);
  const std::size_t some = choices.below(8);
  switch (choices.below(5)) {
  case 0:
    text.erase(at, some);
    break;
  case 1:
    text.insert(at, choices.oneOf(fragments));
    break;
  case 2:
    text.insert(at, text.substr(choices.below(length + 1), 4 * some));
    break;
  case 3:
    text.insert(at, 1, static_cast<char>(choices.byte()));
    break;
  default:
    text.resize(at);
  }
}

std::string fuzz::makeText(Choices &choices) {
  std::string text = call(choices, 1 + choices.below(MaxDepth));
  for (std::uint32_t count = choices.below(5); count > 0; --count)
    mutate(text, choices);
  return text;
}
