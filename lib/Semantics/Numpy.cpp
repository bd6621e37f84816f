//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Numpy.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

/// Of signed and unsigned integers the signed ones that hold both, and f64 of
/// u64.
static DType promoteIntegers(DType a, DType b) {
  if (isUnsigned(a) == isUnsigned(b))
    return sizeOf(a) > sizeOf(b) ? a : b;
  const DType whole = isUnsigned(a) ? b : a;
  const std::size_t least = 2 * sizeOf(isUnsigned(a) ? a : b);
  if (sizeOf(whole) >= least)
    return whole;
  return least == 2   ? DType::I16
         : least == 4 ? DType::I32
         : least == 8 ? DType::I64
                      : DType::F64;
}

DType numpy::promote(DType a, DType b) {
  if (a == DType::Bool || b == DType::Bool)
    return a == DType::Bool ? b : a;
  if (isFloatingPoint(a) && isFloatingPoint(b))
    return *semantics::promote(a, b);
  if (!isFloatingPoint(a) && !isFloatingPoint(b))
    return promoteIntegers(a, b);
  const DType real = isFloatingPoint(a) ? a : b;
  const DType whole = isFloatingPoint(a) ? b : a;
  switch (sizeOf(whole)) {
  case 1:
    return real;
  case 2:
    return *semantics::promote(real, DType::F32);
  default:
    return DType::F64;
  }
}

ArgumentType numpy::resultType(std::span<const ArgumentType> arguments) {
  std::optional<DType> array, number;
  for (const ArgumentType &argument : arguments) {
    // A Python bool has a type, as an array has.
    const bool isNumber =
        argument.weight == Weight::Number && argument.type != DType::Bool;
    auto &type = isNumber ? number : array;
    type = type ? promote(*type, argument.type) : argument.type;
  }
  const bool isWeak =
      std::all_of(arguments.begin(), arguments.end(), [](const auto &each) {
        return each.weight == Weight::Number;
      });
  const Weight weight = isWeak ? Weight::Number : Weight::Tensor;
  if (!array || !number)
    return {array ? *array : number.value_or(DType::F64), weight};
  const bool isHeld =
      *number == DType::F64 ? isFloatingPoint(*array) : *array != DType::Bool;
  return {isHeld ? *array : *number, weight};
}

/// The least floating point type that a loop of NumPy has for one of `type`.
static DType loopType(DType type) {
  return isFloatingPoint(type)                      ? type
         : type == DType::Bool || sizeOf(type) == 1 ? DType::F16
         : sizeOf(type) == 2                        ? DType::F32
                                                    : DType::F64;
}

DType numpy::floatType(std::span<const ArgumentType> arguments) {
  const ArgumentType common = numpy::resultType(arguments);
  if (isFloatingPoint(common.type))
    return common.type;
  if (common.weight == Weight::Number)
    return DType::F64;
  // Loops are looked for by each argument: f16 holds both i8 and u8.
  std::optional<DType> type;
  for (const ArgumentType &argument : arguments) {
    if (argument.weight == Weight::Number)
      continue;
    const DType loop = loopType(argument.type);
    type = type ? *semantics::promote(*type, loop) : loop;
  }
  // An integer beside bools alone.
  return common.type == DType::I64 ? DType::F64 : type.value_or(DType::F64);
}
