//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Number.h"

#include "Semantics/Promotion.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kexpr;
using namespace kexpr::semantics;

using Kind = Number::Kind;

DType Number::type() const {
  return kind == Kind::Bool       ? DType::Bool
         : kind == Kind::Int      ? DType::I64
         : kind == Kind::Unsigned ? DType::U64
                                  : DType::F32;
}

/// Converts one element.
static void convert(DType from, DType to, const void *element, void *result) {
  if (from == to)
    std::memcpy(result, element, sizeOf(to));
  else
    ops::conversion(from, to)(1, &element, result);
}

std::uint64_t Number::bitsAs(DType to) const {
  std::uint64_t bits = 0;
  if (kind == Kind::Real)
    convert(DType::F64, to, &real, &bits);
  else
    convert(kind == Kind::Unsigned ? DType::U64 : DType::I64, to, &integer,
            &bits);
  return bits;
}

std::string Number::str() const {
  return kind == Kind::Real  ? syntax::printFloat(real)
         : kind == Kind::Int ? std::to_string(integer)
         : kind == Kind::Unsigned
             ? std::to_string(static_cast<std::uint64_t>(integer))
         : integer ? "True"
                   : "False";
}

Number semantics::numberOf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Bool:
    return {.kind = Kind::Bool, .integer = node.integer};
  case NodeKind::Integer:
    return {.kind = Kind::Int, .integer = node.integer};
  case NodeKind::Unsigned:
    return {.kind = Kind::Unsigned, .integer = node.integer};
  default:
    return {.kind = Kind::Real, .real = node.number};
  }
}

Number semantics::numberFrom(std::uint64_t bits, DType type) {
  Number result;
  if (isFloatingPoint(type)) {
    result.kind = Kind::Real;
    convert(type, DType::F64, &bits, &result.real);
  } else {
    result.kind = type == DType::Bool ? Kind::Bool : Kind::Int;
    convert(type, DType::I64, &bits, &result.integer);
    if (type == DType::U64 && result.integer < 0)
      result.kind = Kind::Unsigned;
  }
  return result;
}

Number semantics::castNumber(const Number &number, DType type) {
  return numberFrom(number.bitsAs(type), type);
}

Expected<Number> semantics::limitAs(DType type, const Number &number,
                                    bool isLeast) {
  if (isFloatingPoint(type) || type == DType::Bool || !number.isWhole())
    return number;
  const Number cast = castNumber(number, type);
  if (cast.kind == number.kind && cast.integer == number.integer)
    return number;
  const bool isBelow = number.kind == Kind::Int && number.integer < 0;
  if (isBelow != isLeast)
    return Error(ErrorCode::InvalidArgument,
                 concat("the ", isLeast ? "least" : "largest", " result ",
                        number.str(), " is outside of ", nameOf(type)));
  const bool isSigned = !isUnsigned(type);
  const auto largest =
      ~std::uint64_t{0} >> (64 - 8 * sizeOf(type) + std::size_t{isSigned});
  const std::uint64_t least = isSigned ? ~largest : 0;
  return numberFrom(isLeast ? least : largest, type);
}

Expected<Number> semantics::callCast(DType type, const Number &number) {
  const bool isWhole = !isFloatingPoint(type) && type != DType::Bool;
  const double end = type == DType::U64 ? 0x1p64 : 0x1p63;
  if (number.kind == Kind::Real && isWhole &&
      !(number.real >= -0x1p63 && number.real < end))
    return Error(ErrorCode::InvalidArgument,
                 concat(number.str(), " is no 64-bit integer"));
  if (type == DType::U64 && number.asReal() <= -1)
    return Error(ErrorCode::InvalidArgument,
                 concat("the number ", number.str(), " is no u64"));
  return castNumber(number, type);
}

/// The largest finite number of a type.
static double largestOf(DType type) {
  switch (type) {
  case DType::F16:
    return 65504;
  case DType::BF16:
    return 0x1.fep127;
  case DType::F32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

Number semantics::defaultArgument(const ops::OpEntry &entry, std::size_t place,
                                  DType type) {
  const ops::Defaults &defaults = entry.info.defaults;
  double value = defaults.values[place + defaults.count - entry.arity];
  const bool isLargest = std::abs(value) == ops::Largest;
  if (isFloatingPoint(type))
    return {.kind = Kind::Real,
            .real = isLargest ? std::copysign(largestOf(type), value) : value};
  // Integers have no infinities that one would stand for.
  return {.kind = type == DType::Bool ? Kind::Bool : Kind::Int,
          .integer = isLargest ? 0 : static_cast<std::int64_t>(value)};
}

static bool isAll(std::span<const Number> args, Kind kind) {
  return std::all_of(args.begin(), args.end(),
                     [kind](const Number &n) { return n.kind == kind; });
}

static bool hasReal(std::span<const Number> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const Number &n) { return n.kind == Kind::Real; });
}

static bool hasUnsigned(std::span<const Number> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const Number &n) { return n.kind == Kind::Unsigned; });
}

static bool isBitwise(const ops::OpInfo &info) {
  return !ops::worksIn(info.types, ops::Arithmetic::F32);
}

static bool isTruth(const ops::OpInfo &info) {
  return info.types == ops::TypeRule::Truth;
}

/// Whether `ofFloats` is what a call is.
static bool isOfFloats(const ops::OpInfo &info, std::span<const Number> args) {
  return info.types == ops::TypeRule::Composed ||
         (!info.ofFloats.empty() && hasReal(args));
}

Kind semantics::callKind(ops::OpId op, std::span<const Number> args) {
  const ops::OpInfo &info = ops::table()[op].info;
  if (info.result == ops::ResultRule::Bool || isTruth(info))
    return Kind::Bool;
  if (info.takesCondition && isAll(args, Kind::Bool))
    return Kind::Bool;
  if (isOfFloats(info, args))
    return Kind::Real;
  if (isBitwise(info))
    return isAll(args, Kind::Bool) ? Kind::Bool : Kind::Int;
  const bool isReal = !ops::worksIn(info.types, ops::Arithmetic::I64);
  return isReal || hasReal(args) ? Kind::Real : Kind::Int;
}

/// The reference over numbers read as doubles.
static double referenceOf(const ops::OpEntry &entry,
                          std::span<const Number> args) {
  std::array<double, ops::MaxArity> reals{};
  std::transform(args.begin(), args.end(), reals.begin(),
                 [](const Number &number) { return number.asReal(); });
  return entry.reference(reals.data());
}

/// The formula over elements of `type`, which wraps; a truth value is 0 or 1.
static std::int64_t wrapped(ops::OpId op, std::span<const Number> args,
                            DType type = DType::I64) {
  std::uint64_t elements[ops::MaxArity];
  const void *places[ops::MaxArity];
  for (std::size_t i = 0; i < args.size(); ++i) {
    elements[i] = args[i].bitsAs(type);
    places[i] = &elements[i];
  }
  std::int64_t result = 0;
  const auto arithmetic = ops::arithmeticOf(type, Precision::Default);
  ops::blocks(arithmetic)[op](1, places, &result);
  return result;
}

/// The result of a formula that wraps; an error if it did wrap. `reference` is
/// that of the arguments as doubles.
static Expected<Number> whole(const ops::OpInfo &info, std::int64_t result,
                              double reference) {
  if (std::abs(reference) < 0x1p53 && reference != std::trunc(reference))
    return Number{.kind = Kind::Real, .real = reference};
  // Rounded arguments move a rest by at most its divisor, which is below 2^63,
  // and other results that fit by far less. Wrapping moves one by a multiple of
  // 2^64, and references err by a small part of what they are.
  const double distance = std::abs(reference - static_cast<double>(result));
  if (!(distance < 0x1.8p63))
    return Error(
        ErrorCode::InvalidArgument,
        concat("'", info.name, "' of these integers has no 64-bit result"));
  return Number{.integer = result};
}

/// An integer from 2^63 on is written to meet an element of u64; before that
/// only its sign may change, as in the least number of i64.
static Expected<Number> callUnsigned(const ops::OpInfo &info,
                                     std::span<const Number> args) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  if (info.name == "neg" && args[0].integer == least)
    return Number{.integer = least};
  return Error(ErrorCode::InvalidArgument,
               concat("'", info.name,
                      "' takes no number from 2^63 on beside "
                      "other integers that are known"));
}

/// An expansion; numbers are real ones where an operator takes no integers.
static Expected<Number> expand(const ops::Expansion &expansion,
                               std::span<const Number> args, Kind kind) {
  std::array<Number, ops::MaxArity> numbers;
  std::transform(
      args.begin(), args.end(), numbers.begin(), [kind](const Number &number) {
        return kind == Kind::Real ? realNumber(number.asReal()) : number;
      });
  return ops::expand(expansion,
                     std::span<const Number>(numbers.data(), args.size()),
                     callNumber, realNumber);
}

Expected<Number> semantics::callNumber(ops::OpId op,
                                       std::span<const Number> args) {
  const ops::OpEntry &entry = ops::table()[op];
  const Kind kind = callKind(op, args);
  if (args.size() == entry.info.overload.arity)
    return expand(entry.info.overload.expansion, args, kind);
  if (hasUnsigned(args) && kind != Kind::Real && !hasReal(args))
    return callUnsigned(entry.info, args);
  if (isTruth(entry.info))
    return Number{.kind = kind, .integer = wrapped(op, args, DType::Bool)};
  if (entry.info.takesCondition && args[0].kind != Kind::Bool)
    return Error(ErrorCode::TypeMismatch,
                 concat("operator '", entry.info.name, "' takes a bool first"));
  if (isOfFloats(entry.info, args))
    return expand(entry.info.ofFloats, args, kind);
  if (isBitwise(entry.info)) {
    if (hasReal(args))
      return Error(ErrorCode::TypeMismatch,
                   concat("operator '", entry.info.name, "' takes ",
                          ops::infoOf(entry.info.types).takes,
                          ", not real numbers"));
    const std::int64_t bits = wrapped(op, args);
    return Number{.kind = kind, .integer = bits};
  }
  if (kind == Kind::Bool && !hasReal(args))
    return Number{.kind = kind, .integer = wrapped(op, args)};
  const double exact = referenceOf(entry, args);
  if (kind == Kind::Bool)
    return Number{.kind = kind, .integer = exact != 0};
  if (kind == Kind::Real)
    return Number{.kind = kind, .real = exact};
  return whole(entry.info, wrapped(op, args), exact);
}

Expected<Number> semantics::sizeNumber(const Shapes &shapes,
                                       std::uint32_t operand,
                                       const Number &axis) {
  if (axis.kind != Kind::Int)
    return Error(ErrorCode::TypeMismatch, "an axis is an integer");
  if (operand >= shapes.count)
    return Error(ErrorCode::MissingOperand,
                 concat("the expression needs the shape of operand @", operand,
                        ", but only ", shapes.count, " were given"));
  const Shape &shape = shapes[operand];
  const auto rank = static_cast<std::int64_t>(shape.rank());
  if (axis.integer < -rank || axis.integer >= rank)
    return Error(ErrorCode::ShapeMismatch,
                 concat("operand @", operand, " of shape ", shape.str(),
                        " has no axis ", axis.integer));
  const std::int64_t place = axis.integer + (axis.integer < 0 ? rank : 0);
  return Number{.integer = shape[static_cast<std::size_t>(place)]};
}

Expected<Number> semantics::callAs(DType type, ops::OpId op,
                                   std::span<const Number> args) {
  const ops::OpEntry &entry = ops::table()[op];
  const DType held = heldType(type);
  std::array<Number, ops::MaxArity> rounded;
  std::transform(args.begin(), args.end(), rounded.begin(),
                 [type](const Number &n) { return castNumber(n, type); });
  if (held != type && !entry.info.ofF16.empty())
    return Error(
        ErrorCode::Unsupported,
        concat("'", entry.info.name, "' of numbers that are ", nameOf(type)));
  const auto arithmetic = ops::arithmeticOf(held, Precision::Default);
  const ops::BlockFn block = ops::blocks(arithmetic)[op];
  if (!block || args.size() != entry.arity) {
    auto result = callNumber(op, std::span(rounded).first(args.size()));
    return result && result->kind != Kind::Bool ? castNumber(*result, type)
                                                : result;
  }
  std::uint64_t elements[ops::MaxArity];
  const void *places[ops::MaxArity];
  for (std::size_t i = 0; i < args.size(); ++i) {
    elements[i] = rounded[i].bitsAs(held);
    places[i] = &elements[i];
  }
  std::uint64_t bits = 0;
  block(1, places, &bits);
  const bool isBool = entry.info.result == ops::ResultRule::Bool;
  const Number result = numberFrom(bits, isBool ? DType::Bool : held);
  return isBool ? result : castNumber(result, type);
}
