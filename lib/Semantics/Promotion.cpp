//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Promotion.h"

#include "Ops/Conversion.h"
#include "Ops/Table.h"
#include "Support/Text.h"

#include <utility>

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

bool semantics::isUnsigned(DType type) {
  return ops::isInteger(type) && ops::signedOf(type) != type;
}

std::optional<DType> semantics::promote(DType a, DType b) {
  if (a == b)
    return a;
  const bool isReal = isFloatingPoint(a) || isFloatingPoint(b);
  for (DType type : {a, b})
    if (isUnsigned(type) && type != DType::U8 && !isReal)
      return std::nullopt;
  if (categoryOf(a) != categoryOf(b))
    return categoryOf(a) > categoryOf(b) ? a : b;
  if (sizeOf(a) != sizeOf(b))
    return sizeOf(a) > sizeOf(b) ? a : b;
  // i8 with u8, f16 with bf16: neither holds the other.
  return isFloatingPoint(a) ? DType::F32 : DType::I16;
}

/// The same of two that count for nothing beside tensors, as numbers do: those
/// from 2^63 on have smaller ones beside them.
static std::optional<DType> promoteNumbers(DType a, DType b) {
  const bool isLarge = a == DType::U64 || b == DType::U64;
  const bool isOther = a == DType::I64 || b == DType::I64;
  return isLarge && isOther ? DType::U64 : promote(a, b);
}

std::optional<DType>
semantics::resultType(std::span<const ArgumentType> arguments) {
  std::optional<DType> result;
  for (Weight weight : {Weight::Tensor, Weight::ZeroDim, Weight::Number}) {
    std::optional<DType> type;
    for (const ArgumentType &argument : arguments)
      if (argument.weight == weight) {
        const auto join = weight == Weight::Number ? promoteNumbers : promote;
        type = type ? join(*type, argument.type) : argument.type;
        if (!type)
          return std::nullopt;
      }
    if (type && (!result || categoryOf(*type) > categoryOf(*result)))
      result = result ? promote(*result, *type) : type;
    if (type && !result)
      return std::nullopt;
  }
  return result.value_or(DType::F32);
}

std::string semantics::unpromoted(std::span<const ArgumentType> arguments) {
  // The first two that have no common type, whatever they weigh.
  for (const ArgumentType &b : arguments)
    for (const ArgumentType &a : arguments)
      if (&a < &b && b.weight != Weight::Number && a.weight != Weight::Number &&
          !promote(a.type, b.type))
        return concat("its arguments are ", nameOf(a.type), " and ",
                      nameOf(b.type),
                      ", which promote to no type; cast one of them");
  return "its arguments promote to no type; cast one of them";
}

std::optional<DType> semantics::computedType(ops::TypeRule rule,
                                             DType promoted) {
  const auto arithmetic = ops::arithmeticOf(promoted, Precision::Default);
  if (ops::worksIn(rule, arithmetic))
    return promoted;
  const auto otherwise = ops::infoOf(rule).otherwise;
  return otherwise ? std::optional(ops::typeOf(*otherwise)) : std::nullopt;
}

DType semantics::heldType(DType type) {
  return type == DType::F16 || type == DType::BF16 ? DType::F32 : type;
}

bool semantics::isExact(DType from, DType to) {
  if (from == to || from == DType::Bool)
    return true;
  if (categoryOf(from) != categoryOf(to) || to == DType::Bool)
    return false;
  const bool losesSign = isUnsigned(to) && !isUnsigned(from);
  return sizeOf(from) < sizeOf(to) && !losesSign;
}

/// Names of casts: PyTorch's types and Python's `int`.
static constexpr std::pair<std::string_view, DType> Casts[] = {
    {"int", DType::I64},           {"torch.float", DType::F32},
    {"torch.double", DType::F64},  {"torch.half", DType::F16},
    {"torch.long", DType::I64},    {"torch.int", DType::I32},
    {"torch.short", DType::I16},   {"torch.int8", DType::I8},
    {"torch.uint8", DType::U8},    {"torch.bool", DType::Bool},
    {"torch.float32", DType::F32}, {"torch.float64", DType::F64},
    {"torch.float16", DType::F16}, {"torch.bfloat16", DType::BF16},
    {"torch.int64", DType::I64},   {"torch.int32", DType::I32},
    {"torch.int16", DType::I16},   {"torch.uint16", DType::U16},
    {"torch.uint32", DType::U32},  {"torch.uint64", DType::U64},
};

std::optional<DType> semantics::castType(std::string_view name) {
  for (const auto &[spelling, type] : Casts)
    if (spelling == name)
      return type;
  return std::nullopt;
}

std::string_view semantics::castName(DType type) {
  for (const auto &[spelling, of] : Casts)
    if (of == type && spelling.starts_with("torch."))
      return spelling;
  return {};
}
