//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Promotion.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

bool semantics::isFloatingPoint(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 ||
         type == DType::BF16;
}

/// Bool, then integers, then floating point.
static int categoryOf(DType type) {
  return type == DType::Bool ? 0 : isFloatingPoint(type) ? 2 : 1;
}

DType semantics::promote(DType a, DType b) {
  if (a == b)
    return a;
  if (categoryOf(a) != categoryOf(b))
    return categoryOf(a) > categoryOf(b) ? a : b;
  if (sizeOf(a) != sizeOf(b))
    return sizeOf(a) > sizeOf(b) ? a : b;
  // i8 with u8, f16 with bf16: neither holds the other.
  return isFloatingPoint(a) ? DType::F32 : DType::I16;
}

static std::optional<DType> promoteAll(std::span<const ArgumentType> arguments,
                                       Weight weight) {
  std::optional<DType> result;
  for (const ArgumentType &argument : arguments)
    if (argument.weight == weight)
      result = result ? promote(*result, argument.type) : argument.type;
  return result;
}

/// The type of heavier and of lighter arguments together.
static std::optional<DType> combine(std::optional<DType> heavy,
                                    std::optional<DType> light) {
  if (!heavy || !light)
    return heavy ? heavy : light;
  return categoryOf(*light) > categoryOf(*heavy) ? promote(*heavy, *light)
                                                 : *heavy;
}

DType semantics::resultType(std::span<const ArgumentType> arguments) {
  const auto light = combine(promoteAll(arguments, Weight::ZeroDim),
                             promoteAll(arguments, Weight::Number));
  return combine(promoteAll(arguments, Weight::Tensor), light)
      .value_or(DType::F32);
}

std::optional<DType> semantics::computedType(ops::TypeRule rule,
                                             DType promoted) {
  using ops::TypeRule;
  const int category = categoryOf(promoted);
  switch (rule) {
  case TypeRule::Float:
    return category == 2 ? promoted : DType::F32;
  case TypeRule::Counting:
    return category == 0 ? DType::I64 : promoted;
  case TypeRule::Truth:
    return DType::Bool;
  default:
    break;
  }
  const bool accepted = rule == TypeRule::Floating ? category == 2
                        : rule == TypeRule::Single
                            ? category == 2 && promoted != DType::F64
                        : rule == TypeRule::Number   ? category != 0
                        : rule == TypeRule::Integral ? category != 2
                        : rule == TypeRule::Integer  ? category == 1
                                                     : true;
  return accepted ? std::optional(promoted) : std::nullopt;
}

std::string_view semantics::describe(ops::TypeRule rule) {
  switch (rule) {
  case ops::TypeRule::Floating:
    return "floating point";
  case ops::TypeRule::Single:
    return "f32, f16 and bf16";
  case ops::TypeRule::Number:
    return "integers and floating point";
  case ops::TypeRule::Integral:
    return "integers and bools";
  case ops::TypeRule::Integer:
    return "integers";
  default:
    return "any type";
  }
}

DType semantics::heldType(DType type) {
  return type == DType::F16 || type == DType::BF16 ? DType::F32 : type;
}

bool semantics::isExact(DType from, DType to) {
  if (from == to || from == DType::Bool)
    return true;
  if (categoryOf(from) != categoryOf(to) || to == DType::Bool)
    return false;
  const bool isWider = sizeOf(from) < sizeOf(to);
  return isWider && to != DType::U8;
}

namespace {
struct Cast {
  std::string_view name;
  DType type;
};
} // namespace

/// What PyTorch calls its types and their Python methods.
static constexpr Cast Casts[] = {
    {"int", DType::I64},           {"torch.float", DType::F32},
    {"torch.double", DType::F64},  {"torch.half", DType::F16},
    {"torch.long", DType::I64},    {"torch.int", DType::I32},
    {"torch.short", DType::I16},   {"torch.int8", DType::I8},
    {"torch.uint8", DType::U8},    {"torch.bool", DType::Bool},
    {"torch.float32", DType::F32}, {"torch.float64", DType::F64},
    {"torch.float16", DType::F16}, {"torch.bfloat16", DType::BF16},
    {"torch.int64", DType::I64},   {"torch.int32", DType::I32},
    {"torch.int16", DType::I16},
};

std::optional<DType> semantics::castType(std::string_view name) {
  for (const Cast &cast : Casts)
    if (cast.name == name)
      return cast.type;
  return std::nullopt;
}

std::string_view semantics::castName(DType type) {
  for (const Cast &cast : Casts)
    if (cast.type == type && cast.name.starts_with("torch."))
      return cast.name;
  return {};
}
