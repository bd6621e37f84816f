//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Programs.h"

#include "Ops/Table.h"
#include "Semantics/RowFunctions.h"
#include "TestUtil/Floats.h"

#include <bit>
#include <cstring>
#include <utility>

using namespace kexpr;
using namespace kexpr::fuzz;

static constexpr std::uint32_t MaxOperands = 5;
static constexpr unsigned MaxDepth = 4;

namespace {
/// What a program is made of: so chosen that most programs are right.
struct Family {
  std::vector<std::string_view> types;
  std::vector<std::string_view> literals;
  std::vector<std::string_view> casts;
  std::vector<const ops::OpEntry *> operators;
  bool reduces = false;
};
} // namespace

static std::vector<const ops::OpEntry *>
operatorsWhere(bool (*take)(const ops::OpEntry &)) {
  std::vector<const ops::OpEntry *> entries;
  for (const ops::OpEntry &entry : ops::table())
    if (take(entry))
      entries.push_back(&entry);
  return entries;
}

/// A type of integers that promotes with no other.
static Family unsignedFamily(std::string_view type, std::string_view cast,
                             const Family &integers) {
  return {{type}, integers.literals, {cast}, integers.operators};
}

constexpr std::uint32_t FamilyCount = 7;

static const Family &family(std::uint32_t which) {
  static const std::vector<std::string_view> reals = {
      "0",   "1",  "2",   "-1",          "3",   "0.5",  "-0.0", "0.1",
      "8.0", "10", "1e9", "1.000000e-6", "inf", "-inf", "nan"};
  static const std::vector<std::string_view> integers = {
      "0", "1", "2", "3", "-1", "-7", "31", "100", "1000", "True"};
  static const Family families[] = {
      {{"f32"}, reals, {}, operatorsWhere([](const ops::OpEntry &entry) {
         return entry.isFloatToFloat() || entry.info.takesCondition ||
                entry.info.types == ops::TypeRule::Composed;
       })},
      {{"f32", "f64", "f16", "bf16", "f32", "i64", "u8", "bool"},
       reals,
       {"torch.float", "torch.half", "torch.double", "torch.bfloat16"},
       operatorsWhere([](const ops::OpEntry &entry) {
         return entry.info.types == ops::TypeRule::Truth ||
                (entry.works(ops::Arithmetic::F32) &&
                 entry.info.types != ops::TypeRule::Floating);
       })},
      {{"i8", "u8", "i16", "i32", "i64", "i64"},
       integers,
       {"int", "torch.int", "torch.short", "torch.int8", "torch.uint8"},
       operatorsWhere([](const ops::OpEntry &entry) {
         return entry.works(ops::Arithmetic::I64) &&
                entry.info.result == ops::ResultRule::Same;
       })},
      {{"f32", "f32", "f64", "f16", "i32"},
       reals,
       {"torch.float", "torch.double"},
       operatorsWhere([](const ops::OpEntry &entry) {
         return entry.isFloatToFloat() &&
                entry.info.types != ops::TypeRule::Floating;
       }),
       true},
      unsignedFamily("u16", "torch.uint16", families[2]),
      unsignedFamily("u32", "torch.uint32", families[2]),
      unsignedFamily("u64", "torch.uint64", families[2])};
  static_assert(std::size(families) == FamilyCount);
  return families[which % FamilyCount];
}

static std::string leaf(Choices &choices, const Family &family) {
  if (choices.below(4) == 0)
    return std::string(choices.oneOf(family.literals));
  return "@" + std::to_string(choices.below(MaxOperands));
}

static std::string call(Choices &choices, unsigned depth, const Family &family);

/// An argument that says how a function goes over axes.
static std::string setting(Choices &choices, semantics::RowArgument kind) {
  using enum semantics::RowArgument;
  static constexpr std::string_view axes[] = {"-1",   "-1",    "0",     "None",
                                              "[-1]", "[0,1]", "[-1,0]"};
  static constexpr std::string_view numbers[] = {"2", "1", "0.5", "1e-05",
                                                 "inf"};
  switch (kind) {
  case Axis:
    return choices.below(3) == 0 ? "0" : "-1";
  case Axes:
    return std::string(choices.oneOf(axes));
  case Stay:
    return choices.below(4) == 0 ? "False" : "True";
  case Whole:
    return std::to_string(choices.below(3));
  default:
    return std::string(choices.oneOf(numbers));
  }
}

/// A function over axes, with as many arguments as it needs or more.
static std::string rowCall(Choices &choices, unsigned depth,
                           const Family &family) {
  const semantics::RowFunction &function =
      choices.oneOf(semantics::rowFunctions());
  const auto arguments = function.arguments();
  const auto most = static_cast<std::uint32_t>(arguments.size());
  const std::uint32_t count =
      function.least + choices.below(most - function.least + 1);
  std::string text = std::string(function.name) + '(';
  for (std::uint32_t i = 0; i < count; ++i) {
    text += i ? "," : "";
    if (function.isSetting(i))
      text += setting(choices, arguments[i]);
    else if (arguments[i] == semantics::RowArgument::Classes)
      text += "argmax(" + call(choices, depth - 1, family) + ",1)";
    else if (i > 0 && arguments[i] == semantics::RowArgument::Maybe &&
             choices.below(2) == 0)
      text += "None";
    else
      text += call(choices, depth - 1, family);
  }
  return text + ')';
}

static std::string call(Choices &choices, unsigned depth,
                        const Family &family) {
  if (depth == 0 || choices.below(6) == 0)
    return leaf(choices, family);
  if (!family.casts.empty() && choices.below(8) == 0)
    return std::string(choices.oneOf(family.casts)) + '(' +
           call(choices, depth - 1, family) + ')';
  if (family.reduces && choices.below(3) == 0)
    return rowCall(choices, depth, family);
  const ops::OpEntry &op = *choices.oneOf(family.operators);
  const unsigned overload = op.info.overload.arity;
  const unsigned arity =
      overload && choices.below(4) == 0 ? overload
      : op.info.defaults.count > 0
          ? op.arity - choices.below(op.info.defaults.count + 1)
          : op.arity;
  std::string text = std::string(op.info.name) + '(';
  for (unsigned i = 0; i < arity; ++i) {
    const std::string argument = call(choices, depth - 1, family);
    const bool isCondition = op.info.takesCondition && i == 0;
    text += isCondition ? "torch.bool(" + argument + ')'
                        : (i ? "," : "") + argument;
  }
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

/// The bits of an element: a number rounded to the type, or any pattern.
static std::uint64_t element(DType type, Choices &choices) {
  const float x = number(choices);
  const void *args[] = {&x};
  std::uint64_t bits = std::bit_cast<std::uint32_t>(x);
  if (type != DType::F32 && choices.below(4) != 0)
    ops::conversion(DType::F32, type)(1, args, &bits);
  return bits;
}

/// Memory for a shape: row-major, or with gaps, or with two axes exchanged, or
/// turned around.
static Operand makeOperand(const Shape &shape, DType type, Choices &choices) {
  Operand operand{shape, contiguousStrides(shape), type, {}};
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
  const bool isTurned = choices.below(8) == 0;
  const auto size = static_cast<std::int64_t>(sizeOf(type));
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    operand.strides[axis] *= gap;
    if (!isTurned || choices.below(2) || shape.elementCount() == 0)
      continue;
    operand.first += (shape[axis] - 1) * operand.strides[axis] * size;
    operand.strides[axis] *= -1;
  }
  // A few elements, repeated: bytes are scarce.
  std::uint64_t elements[16];
  for (std::uint64_t &bits : elements)
    bits = element(type, choices);
  operand.memory.resize(shape.elementCount() * gap * size);
  for (std::size_t i = 0; i < operand.memory.size() / sizeOf(type); ++i)
    std::memcpy(operand.memory.data() + i * size, &elements[(i + i / 16) % 16],
                size);
  return operand;
}

Program fuzz::makeProgram(Choices &choices) {
  Program program;
  const Family &kind = family(choices.below(FamilyCount));
  program.text = call(choices, 1 + choices.below(MaxDepth), kind);
  Shape full;
  const std::size_t rank = choices.below(5);
  static constexpr std::int64_t extents[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 33};
  std::int64_t list[4] = {};
  for (std::size_t axis = 0; axis < rank; ++axis)
    list[axis] = choices.oneOf(extents);
  full = Shape(list, rank);
  for (std::uint32_t i = 0; i < MaxOperands; ++i) {
    const DType type = *parseDType(choices.oneOf(kind.types));
    program.operands.push_back(
        makeOperand(narrowed(full, choices), type, choices));
  }
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
  std::string text = call(choices, 1 + choices.below(MaxDepth),
                          family(choices.below(FamilyCount)));
  for (std::uint32_t count = choices.below(5); count > 0; --count)
    mutate(text, choices);
  return text;
}
