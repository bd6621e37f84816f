//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/InfixLowerer.h"
#include "Semantics/Numpy.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace kexpr;
using namespace kexpr::semantics;
using syntax::InfixNode;
using Built = InfixEmitter::Built;
using Arguments = InfixArguments;

Expected<Lowered> InfixLowerer::fold(const InfixNode &node,
                                     const InfixFunction &function,
                                     ops::OpId op, const Arguments &args) {
  std::vector<Number> numbers;
  bool hasType = false;
  for (const Lowered &value : args.values) {
    numbers.push_back(*value.literal);
    hasType = hasType || value.weight != Weight::Number;
  }
  const bool isTyped = isNumpy && hasType && function.typing != Typing::Truth;
  auto type = isTyped ? typeFor(node, function, args) : DType::F64;
  if (!type)
    return type.error();
  for (std::size_t i = 0; isTyped && i < numbers.size(); ++i)
    if (function.typing != Typing::Compare && numbers[i].isWhole() &&
        !fitsInteger(numbers[i], *type))
      return doesNotFit(numbers[i], *type, tree.nodes[args.nodes[i]].range);
  auto folded = isTyped ? callAs(*type, op, numbers) : callNumber(op, numbers);
  if (!folded)
    return fault(folded.error().code(), node.range, folded.error().message());
  Lowered result = numberValue(*folded);
  if (isTyped && folded->kind != Number::Kind::Bool) {
    result.type = *type;
    result.weight = Weight::Tensor;
  }
  return result;
}

/// PyTorch's promotion is the engine's; a number that is an operand gets the
/// type of the call.
Expected<Lowered> InfixLowerer::torchCall(const ops::OpEntry &entry,
                                          const InfixFunction &function,
                                          const Arguments &args) {
  std::vector<ArgumentType> types = args.types(entry.info.takesCondition);
  const bool isWeak =
      std::all_of(types.begin(), types.end(), [](const ArgumentType &type) {
        return type.weight == Weight::Number;
      });
  Weight weight = Weight::Number;
  for (ArgumentType &type : types) {
    weight = std::max(weight, type.weight);
    if (type.weight == Weight::Number && type.type == DType::F64)
      type.type = isWeak ? DType::F64 : DType::F32;
  }
  const bool isTruth = entry.info.types == ops::TypeRule::Truth;
  const auto promoted = isTruth ? DType::Bool : semantics::resultType(types);
  if (!promoted)
    return Error(ErrorCode::TypeMismatch,
                 concat(quote(function.name),
                        " takes arguments of one type, but ",
                        unpromoted(types)));
  const DType computed =
      computedType(entry.info.types, *promoted).value_or(*promoted);
  std::vector<Built> built;
  for (std::size_t i = 0; i < args.values.size(); ++i) {
    const Lowered &value = args.values[i];
    auto argument = emit(value, value.type, tree.nodes[args.nodes[i]].range);
    const bool isCast = !value.literal && value.weight == Weight::Number &&
                        value.type != computed && !isTruth &&
                        !(i == 0 && entry.info.takesCondition);
    if (argument && isCast)
      argument = emitter.call(castName(computed), {*argument});
    if (!argument)
      return argument.error();
    built.push_back(*argument);
  }
  const bool isBool = entry.info.result == ops::ResultRule::Bool;
  return made(function.op, isBool ? DType::Bool : computed, weight, built);
}

/// Comparisons take integers of any size.
Expected<DType> InfixLowerer::comparedType(const Arguments &args) {
  const DType common = numpy::resultType(args.types()).type;
  for (const Lowered &value : args.values)
    if (value.literal
            ? value.literal->isWhole() && !fitsInteger(*value.literal, common)
            : value.weight == Weight::Number && value.type == DType::I64 &&
                  !isFloatingPoint(common))
      return DType::I64;
  return common;
}

/// Which argument of two is of signed integers beside one of u64, or a number
/// from 2^63 on beside other integers; none if their number or types are
/// others, or the number is one of u64.
static std::optional<std::size_t> besideU64(const Arguments &args) {
  if (args.values.size() != 2)
    return std::nullopt;
  for (std::size_t i : {0, 1}) {
    const Lowered &one = args.values[i], &other = args.values[1 - i];
    const bool isSigned = !isFloatingPoint(one.type) &&
                          one.type != DType::Bool && !isUnsigned(one.type);
    const bool isLarge =
        one.literal && one.literal->kind == Number::Kind::Unsigned;
    const bool isU64 = other.type == DType::U64;
    if (isLarge
            ? !isU64 && !isFloatingPoint(other.type)
            : isSigned && isU64 && !(one.literal && one.literal->integer >= 0))
      return i;
  }
  return std::nullopt;
}

/// A comparison of signed integers with those of u64, which no type holds both
/// of: what is negative is less than any, the others are made u64. A number
/// outside of the other type is less than all of its elements, or larger.
Expected<Lowered> InfixLowerer::compareBesideU64(std::string_view op,
                                                 const Arguments &args,
                                                 std::size_t signedPlace) {
  const Lowered &whole = args.values[signedPlace];
  const std::size_t otherPlace = 1 - signedPlace;
  const Lowered &beside = args.values[otherPlace];
  const auto emitted = emit(beside, beside.literal ? DType::U64 : beside.type,
                            tree.nodes[args.nodes[otherPlace]].range);
  if (!emitted)
    return emitted.error();
  const Built other = *emitted;
  constexpr std::string_view sides[][2] = {
      {"lt", "gt"}, {"gt", "lt"}, {"le", "ge"}, {"ge", "le"}};
  if (signedPlace == 1)
    for (const auto &[from, to] : sides)
      if (op == from) {
        op = to;
        break;
      }
  const bool isLess = op == "lt" || op == "le";
  const Weight weight = numpy::resultType(args.types()).weight;
  if (whole.literal) {
    const bool isBelow = whole.literal->kind == Number::Kind::Int;
    const bool isTrue = op == "ne" || (op != "eq" && isLess == isBelow);
    return made(isTrue ? "eq" : "ne", DType::Bool, weight, {other, other});
  }
  const bool isTrue = isLess || op == "ne";
  auto zero = emitter.integer(0);
  if (!zero)
    return zero.error();
  auto cast = emitter.call(castName(DType::U64), {*whole.built});
  auto above = cast ? emitter.call(op, {*cast, other}) : cast;
  auto sign = emitter.call(isTrue ? "lt" : "ge", {*whole.built, *zero});
  if (!above || !sign)
    return above ? sign.error() : above.error();
  return made(isTrue ? "or" : "and", DType::Bool, weight, {*sign, *above});
}

Status InfixLowerer::checkPower(const InfixNode &node,
                                const Arguments &args) const {
  const auto &exponent = args.values[1].literal;
  if (exponent && exponent->kind == Number::Kind::Int &&
      exponent->integer < 0 &&
      !isFloatingPoint(numpy::resultType(args.types()).type))
    return fault(ErrorCode::InvalidArgument, node.range,
                 concat("integers have no negative powers; write ",
                        exponent->str(), ".0 for a float"));
  return {};
}

/// The type that a function computes in under NumPy's rules.
Expected<DType> InfixLowerer::typeFor(const InfixNode &node,
                                      const InfixFunction &function,
                                      const Arguments &args) {
  const auto types = args.types();
  const DType common = numpy::resultType(types).type;
  const bool isReal = isFloatingPoint(common);
  const auto refuse = [&](std::string_view what) {
    const bool isMixed =
        isReal &&
        std::none_of(types.begin(), types.end(), [](const ArgumentType &type) {
          return isFloatingPoint(type.type);
        });
    if (isMixed)
      return fault(ErrorCode::TypeMismatch, node.range,
                   concat(quote(function.name), " takes ", what, ", but ",
                          naming(args, 0), " and ", naming(args, 1),
                          ", which promote to f64"));
    std::size_t first = 0;
    while (first + 1 < types.size() &&
           isFloatingPoint(types[first].type) != isReal)
      ++first;
    return fault(ErrorCode::TypeMismatch, node.range,
                 concat(quote(function.name), " takes ", what, ", but ",
                        naming(args, first)));
  };
  switch (function.typing) {
  case Typing::NoBool:
    return common == DType::Bool
               ? Expected<DType>(refuse("integers and floating point"))
               : common;
  case Typing::Power:
    if (auto status = checkPower(node, args); !status)
      return status.error();
    [[fallthrough]];
  case Typing::Rest:
  case Typing::Whole:
    return common == DType::Bool ? DType::I8 : common;
  case Typing::Float:
    return numpy::floatType(types);
  case Typing::Divide:
    return isReal ? common : DType::F64;
  case Typing::Compare:
    return comparedType(args);
  case Typing::Bits:
    return isReal ? Expected<DType>(refuse("integers and bools")) : common;
  case Typing::Shift:
    return isReal                  ? Expected<DType>(refuse("integers"))
           : common == DType::Bool ? DType::I8
                                   : common;
  case Typing::Inverse:
    return isReal ? common
                  : Expected<DType>(refuse("floating point: write 1/x"));
  default:
    return common;
  }
}

Expected<Lowered> InfixLowerer::applyOperator(const InfixNode &node,
                                              const InfixFunction &function,
                                              const Arguments &args) {
  const ops::OpId op = *ops::find(function.op);
  const ops::OpEntry &entry = ops::table()[op];
  if (args.values.size() != entry.arity &&
      args.values.size() != longerArity(function, entry.info))
    return fault(ErrorCode::WrongArity, node.range,
                 concat(quote(function.name), " takes ",
                        counted(entry.arity, "argument"), ", not ",
                        args.values.size()));
  if (std::all_of(args.values.begin(), args.values.end(),
                  [](const Lowered &value) { return value.literal; }))
    return fold(node, function, op, args);
  if (!isNumpy)
    return torchCall(entry, function, args);
  if (function.typing == Typing::Compare)
    if (const auto place = besideU64(args))
      return compareBesideU64(function.op, args, *place);
  const bool isTruth = function.typing == Typing::Truth;
  auto type = isTruth ? DType::Bool : typeFor(node, function, args);
  if (!type)
    return type.error();
  // As NumPy has it, whose squares of bools are a function of their own.
  if (function.typing == Typing::Power && args.values[0].type == DType::Bool &&
      args.values[1].literal && args.values[1].literal->integer == 2 &&
      *type == DType::I64)
    type = DType::I8;
  std::vector<Built> built;
  for (std::size_t i = 0; i < args.values.size(); ++i) {
    const Lowered &value = args.values[i];
    auto argument = emit(value, isTruth ? value.type : *type,
                         tree.nodes[args.nodes[i]].range);
    if (!argument)
      return argument.error();
    built.push_back(*argument);
  }
  const bool isBool = isTruth || function.typing == Typing::Compare;
  return made(function.op, isBool ? DType::Bool : *type,
              numpy::resultType(args.types()).weight, built);
}

/// NaN has the sign NaN.
Expected<Lowered> InfixLowerer::sign(const Lowered &x) {
  auto of = emitter.call("sign", {*x.built});
  if (!of)
    return of.error();
  if (!isNumpy || !isFloatingPoint(x.type))
    return Lowered{.built = *of, .type = x.type, .weight = x.weight};
  auto isNan = emitter.call("ne", {*x.built, *x.built});
  if (!isNan)
    return isNan.error();
  return made("where", x.type, x.weight, {*isNan, *x.built, *of});
}

/// NumPy's and Python's rests of 0 have the sign of the divisor, as others do.
Expected<Lowered> InfixLowerer::rest(const InfixNode &node,
                                     const InfixFunction &function,
                                     const Arguments &args) {
  auto result = applyOperator(node, function, args);
  if (!result || !isNumpy)
    return result;
  if (result->literal) {
    Number &number = *result->literal;
    if (number.kind == Number::Kind::Real && number.real == 0)
      number.real =
          std::copysign(number.real, args.values[1].literal->asReal());
    return result;
  }
  if (!isFloatingPoint(result->type))
    return result;
  auto divisor =
      emit(args.values[1], result->type, tree.nodes[args.nodes[1]].range);
  if (!divisor)
    return divisor.error();
  return made("copysign", result->type, result->weight,
              {*result->built, *divisor});
}

/// x * 2^y in the type that x alone has in floating point; y need not fit it.
Expected<Lowered> InfixLowerer::scale(const InfixNode &node,
                                      const InfixFunction &function,
                                      const Arguments &args) {
  const Lowered &x = args.values[0], &y = args.values[1];
  if (!isNumpy || (x.literal && y.literal))
    return applyOperator(node, function, args);
  if (isFloatingPoint(y.type))
    return fault(ErrorCode::TypeMismatch, node.range,
                 concat(quote(function.name), " takes an integer second, but ",
                        naming(args, 1)));
  const ArgumentType argument{x.type, x.weight};
  const DType type = numpy::floatType({&argument, 1});
  const DType held = heldType(type);
  auto from = emit(x, held, tree.nodes[args.nodes[0]].range);
  auto power = emit(y, held, tree.nodes[args.nodes[1]].range);
  if (!from || !power)
    return from ? power.error() : from.error();
  const Weight weight = numpy::resultType(args.types()).weight;
  auto result = made(function.op, held, weight, {*from, *power});
  if (!result || held == type)
    return result;
  return made(castName(type), type, weight, {*result->built});
}

/// x * factor, in floating point.
Expected<Lowered> InfixLowerer::scaled(const Lowered &x, double factor) {
  const ArgumentType argument{x.type, x.weight};
  const DType type = isNumpy ? numpy::floatType({&argument, 1})
                     : isFloatingPoint(x.type) ? x.type
                                               : DType::F32;
  auto from = emit(x, type, {});
  auto by =
      emit(numberValue({.kind = Number::Kind::Real, .real = factor}), type, {});
  if (!from || !by)
    return from ? by.error() : from.error();
  return made("mul", type, x.weight, {*from, *by});
}

static constexpr double RadiansOfDegree = std::numbers::pi / 180;
static constexpr double DegreesOfRadian = 180 / std::numbers::pi;

Expected<Lowered> InfixLowerer::apply(const InfixNode &node,
                                      const InfixFunction &function,
                                      const Arguments &args) {
  const Lowered &x = args.values[0];
  const bool isBool = x.type == DType::Bool;
  const bool isWhole = !isFloatingPoint(x.type);
  switch (function.typing) {
  case Typing::Positive:
  case Typing::Sign:
    if (isBool && isNumpy && !x.literal)
      return fault(ErrorCode::TypeMismatch, node.range,
                   concat(quote(function.name),
                          " takes integers and floating point, but ",
                          naming(args, 0)));
    if (function.typing == Typing::Positive)
      return x;
    return x.literal ? applyOperator(node, function, args) : sign(x);
  case Typing::Absolute:
    return isBool && isNumpy && !x.literal
               ? Expected<Lowered>(x)
               : applyOperator(node, function, args);
  case Typing::Round:
  case Typing::Nearest:
    if (!isNumpy || x.literal || !isWhole)
      return applyOperator(node, function, args);
    if (!isBool || function.typing == Typing::Round)
      return x;
    return made(castName(DType::F16), DType::F16, x.weight, {*x.built});
  case Typing::Rest:
    return rest(node, function, args);
  case Typing::Scale:
    return scale(node, function, args);
  case Typing::Degrees:
  case Typing::Radians: {
    const double factor =
        function.typing == Typing::Degrees ? DegreesOfRadian : RadiansOfDegree;
    return x.literal ? numberValue({.kind = Number::Kind::Real,
                                    .real = x.literal->asReal() * factor})
                     : scaled(x, factor);
  }
  case Typing::Where:
    return where(node, args);
  default:
    return applyOperator(node, function, args);
  }
}
