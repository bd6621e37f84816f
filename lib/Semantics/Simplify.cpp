//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Simplify.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::semantics;

static bool isNumber(const TypedValue &value) {
  return value.number.has_value();
}

ArgumentType Simplifier::typeOf(const TypedValue &value) const {
  if (value.number)
    return {graph.numbers()[*value.number].number.type(), Weight::Number};
  return {value.type, value.weight};
}

Expected<TypedValue> Simplifier::number(const NumberNode &node) {
  auto added = graph.numbers().add(node);
  if (!added)
    return added.error();
  return TypedValue{.number = *added,
                    .type = graph.numbers()[*added].number.type()};
}

/// An element of `type`; `bake` makes literals constants of the code.
ValueId Simplifier::valueAs(DType type, const TypedValue &value, bool bake) {
  if (!value.number)
    return graph.convert(value.value, type);
  return bake ? graph.constant(*value.number, type)
              : graph.parameter(*value.number, type);
}

/// The argument of a call in `type` that is the least or largest result.
Expected<TypedValue> Simplifier::limit(DType type, const TypedValue &value,
                                       bool isLeast) {
  if (!isLiteral(value))
    return value;
  auto literal = limitAs(type, graph.numbers()[*value.number].number, isLeast);
  return literal ? number({.number = *literal}) : literal.error();
}

ValueId Simplifier::stored(const TypedValue &value) {
  return valueAs(value.type, value, false);
}

Expected<TypedValue> Simplifier::cast(DType type, const TypedValue &value) {
  if (!value.number)
    return TypedValue{.value = graph.convert(value.value, type),
                      .type = type,
                      .weight = value.weight};
  auto result = number({.kind = NumberNode::Kind::Cast,
                        .type = type,
                        .args = {*value.number},
                        .arity = 1});
  if (result)
    result->type = type;
  return result;
}

Expected<TypedValue> Simplifier::numberCall(ops::OpId op,
                                            std::span<const TypedValue> args) {
  NumberNode node{.kind = NumberNode::Kind::Call,
                  .op = op,
                  .arity = static_cast<unsigned>(args.size())};
  std::transform(args.begin(), args.end(), node.args.begin(),
                 [](const TypedValue &arg) { return *arg.number; });
  return number(node);
}

/// The type that a reduction computes in; none if it refuses the type.
static std::optional<DType> formOf(const ops::ReductionInfo &info, DType type) {
  using ops::ReductionTypes;
  if (info.types == ReductionTypes::Truth)
    return DType::U8;
  if (isFloatingPoint(type))
    return heldType(type);
  if (info.types == ReductionTypes::Sums)
    return DType::I64;
  if (info.types == ReductionTypes::Any)
    return type == DType::Bool ? DType::U8 : type;
  return info.types == ReductionTypes::Number && type != DType::Bool
             ? std::optional(type)
             : std::nullopt;
}

/// The type of a reduction's result.
static DType typeReducedTo(const ops::ReductionInfo &info, DType type) {
  using ops::ReductionTypes;
  const bool isInteger = !isFloatingPoint(type);
  if (info.result == ops::ReductionResult::Index ||
      (info.types == ReductionTypes::Sums && isInteger))
    return DType::I64;
  return info.types == ReductionTypes::Truth && type != DType::U8 ? DType::Bool
                                                                  : type;
}

/// The result of a reduction of `value`.
TypedValue Simplifier::reduced(ValueId result, const AxisSet &axes,
                               const TypedValue &value) const {
  const Weight weight = typeOf(value).weight;
  // One of all axes is a number, to types.
  const bool isNumber = axes.axes.empty() && !axes.stay;
  return {.value = result,
          .type = graph[result].type,
          .weight =
              isNumber || weight == Weight::Number ? Weight::ZeroDim : weight};
}

TypedValue Simplifier::reduceWide(ops::ReductionId reduction,
                                  const AxisSet &axes, const TypedValue &value,
                                  DType like, std::uint32_t uncounted) {
  const DType element = ops::loopsOf(reduction, like).element;
  return reduced(
      graph.reduce({.reduction = reduction,
                    .form = like,
                    .elements = graph.convert(stored(value), element),
                    .uncounted = uncounted},
                   axes),
      axes, value);
}

Expected<TypedValue> Simplifier::reduce(ops::ReductionId reduction,
                                        const AxisSet &axes,
                                        const TypedValue &value) {
  const ops::ReductionInfo &info = ops::allReductions()[reduction].info;
  const DType type = typeOf(value).type;
  const auto form = formOf(info, type);
  if (!form)
    return Error(ErrorCode::TypeMismatch, "");
  if (precision == Precision::Accurate && isFloatingPoint(type) &&
      info.ofSum != ops::ReductionOfSum::No)
    return cast(type, reduced(graph.reduce({.reduction = reduction,
                                            .form = type,
                                            .elements = graph.convert(
                                                stored(value), heldType(type)),
                                            .isExact = true},
                                           axes),
                              axes, value));
  TypedValue elements = value;
  if (info.types == ops::ReductionTypes::Truth)
    elements = {.value = graph.convert(stored(value), DType::Bool),
                .type = DType::Bool,
                .weight = typeOf(value).weight};
  return rounded(typeReducedTo(info, type),
                 reduceWide(reduction, axes, elements, *form));
}

Expected<TypedValue> Simplifier::scan(ops::ReductionId reduction,
                                      const AxisSet &axes,
                                      const TypedValue &value) {
  const ops::ReductionInfo &info = ops::allReductions()[reduction].info;
  const auto [type, weight] = typeOf(value);
  const auto form = formOf(info, type);
  if (!form)
    return Error(ErrorCode::TypeMismatch, "");
  const DType element = ops::loopsOf(reduction, *form).element;
  const ValueId result =
      graph.reduce({.reduction = reduction,
                    .form = *form,
                    .elements = graph.convert(stored(value), element),
                    .isScan = true},
                   axes);
  return rounded(
      typeReducedTo(info, type),
      {.value = result,
       .type = element,
       .weight = weight == Weight::Number ? Weight::ZeroDim : weight});
}

TypedValue Simplifier::view(ViewKind kind, const TypedValue &value,
                            const TypedValue &beside, std::uint64_t groups) {
  return {.value = graph.view(kind, stored(value), stored(beside), groups),
          .type = typeOf(value).type,
          .weight = Weight::Tensor};
}

TypedValue Simplifier::atClasses(ViewKind kind, const TypedValue &value,
                                 const TypedValue &beside,
                                 const TypedValue &classes) {
  const bool isTruth = kind == ViewKind::IsClass;
  return {.value = graph.atClasses(kind, stored(value), stored(beside),
                                   stored(classes)),
          .type = isTruth ? DType::Bool : typeOf(value).type,
          .weight = Weight::Tensor};
}

TypedValue Simplifier::elementsAt(const TypedValue &classes,
                                  const TypedValue &value) {
  return {.value = graph.elementsAt(stored(classes), stored(value)),
          .type = typeOf(value).type,
          .weight = Weight::Tensor};
}

Expected<TypedValue> Simplifier::rounded(DType type, const TypedValue &value) {
  const bool isHalf = type == DType::F16 || type == DType::BF16;
  if (!isHalf || value.type != DType::F64)
    return cast(type, value);
  // The conversion goes by way of f32.
  auto odd = call(*ops::findAny("round_to_odd"), {&value, 1});
  if (!odd)
    return odd;
  return cast(type, *odd);
}

/// The type that arguments promote to, if there is one.
std::optional<DType>
Simplifier::promotedType(std::span<const TypedValue> args) {
  std::array<ArgumentType, ops::MaxArity> types{};
  std::transform(args.begin(), args.end(), types.begin(),
                 [this](const TypedValue &arg) { return typeOf(arg); });
  for (std::size_t i = 0; i < args.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!args[i].number && !args[k].number && types[i].type != types[k].type)
        graph.noteMixedTypes();
  return resultType({types.data(), args.size()});
}

Expected<TypedValue> Simplifier::overload(ops::OpId op,
                                          std::span<const TypedValue> args) {
  const ops::OpInfo &info = ops::table()[op].info;
  if (std::all_of(args.begin(), args.end(), isNumber))
    return expand(info.overload.expansion, args);
  const auto promoted = promotedType(args.first(args.size() - 1));
  const auto type =
      promoted ? computedType(info.types, *promoted) : std::nullopt;
  if (!type)
    return Error(ErrorCode::TypeMismatch, "");
  if (!isFloatingPoint(*type) && isFloatingPoint(typeOf(args.back()).type))
    return Error(ErrorCode::InvalidArgument,
                 concat("the factor of '", info.name, "' of ", nameOf(*type),
                        " is an integer, not floating point"));
  return expandAs(*type, info.overload.expansion, args);
}

/// An expansion of arguments that are converted to one type first.
Expected<TypedValue> Simplifier::expandAs(DType type,
                                          const ops::Expansion &expansion,
                                          std::span<const TypedValue> args) {
  const DType held = heldType(type);
  std::array<TypedValue, ops::MaxArity> converted;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].number) {
      converted[i] = {.value = graph.convert(args[i].value, held),
                      .type = type,
                      .weight = args[i].weight};
      continue;
    }
    const auto kind = graph.numbers()[*args[i].number].number.kind;
    const bool isReal = kind == Number::Kind::Real && isFloatingPoint(type);
    auto number = isReal ? cast(held, args[i]) : args[i];
    if (!number)
      return number;
    converted[i] = *number;
  }
  return expand(expansion, {converted.data(), args.size()});
}

/// The type that a call with some argument not a number computes in; none if
/// the operator refuses the types.
std::optional<DType> Simplifier::callType(const ops::OpInfo &info,
                                          std::span<const TypedValue> args) {
  if (info.types == ops::TypeRule::Truth)
    return DType::Bool;
  if (info.takesCondition && typeOf(args[0]).type != DType::Bool)
    return std::nullopt;
  const auto promoted = promotedType(args.subspan(info.takesCondition));
  return promoted ? computedType(info.types, *promoted) : std::nullopt;
}

Expected<TypedValue> Simplifier::call(ops::OpId op,
                                      std::span<const TypedValue> args) {
  if (std::all_of(args.begin(), args.end(), isNumber))
    return numberCall(op, args);
  const ops::OpInfo &info = ops::allOperators()[op].info;
  if (!info.ofFloats.empty())
    if (const auto promoted = promotedType(args);
        promoted && isFloatingPoint(*promoted))
      return expandAs(*promoted, info.ofFloats, args);
  const auto type = callType(info, args);
  if (!type)
    return Error(ErrorCode::TypeMismatch, "");
  if (!info.ofF16.empty() && (*type == DType::F16 || *type == DType::BF16))
    return halfCall(info, *type, args);
  if (auto simpler = withLiteral(op, *type, args))
    return *simpler;

  const DType held = heldType(*type);
  const bool bake = info.bakesLiterals && !isFloatingPoint(held);
  TypedValue result{.type = *type, .weight = Weight::ZeroDim};
  std::array<ValueId, ops::MaxArity> values{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool isCondition = info.takesCondition && i == 0;
    auto arg = info.takesLimits && i > 0 ? limit(held, args[i], i == 1)
                                         : Expected<TypedValue>(args[i]);
    if (!arg)
      return arg;
    values[i] = valueAs(isCondition ? DType::Bool : held, *arg, bake);
    result.weight = std::max(result.weight, typeOf(args[i]).weight);
  }
  result.value = graph.call(op, {values.data(), args.size()});
  if (info.result == ops::ResultRule::Bool)
    result.type = DType::Bool;
  return result;
}

/// The call of an operator that has a form for each half type.
Expected<TypedValue> Simplifier::halfCall(const ops::OpInfo &info, DType type,
                                          std::span<const TypedValue> args) {
  std::array<TypedValue, ops::MaxArity> converted;
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto value = cast(type, args[i]);
    if (!value)
      return value;
    converted[i] = *value;
  }
  return expand(type == DType::F16 ? info.ofF16 : info.ofBF16,
                {converted.data(), args.size()});
}

bool Simplifier::isLiteral(const TypedValue &value) const {
  return value.number && graph.numbers().isLiteral(*value.number);
}

/// The call in the form that its literal allows, if any. `type` is what the
/// operator computes in.
std::optional<TypedValue>
Simplifier::withLiteral(ops::OpId op, DType type,
                        std::span<const TypedValue> args) {
  if (args.size() != 2)
    return std::nullopt;
  const int place = isNumber(args[0]) ? 0 : 1;
  const TypedValue &literal = args[place];
  if (!isLiteral(literal))
    return std::nullopt;
  // The form must hold for the literal as rounded to the operand's type:
  // 1 + 2^-40 is 1 in f32.
  TypedValue other = args[1 - place];
  other.value = valueAs(heldType(type), other, false);
  other.type = type;
  const Number met =
      castNumber(graph.numbers()[*literal.number].number, heldType(type));
  const ops::LiteralForm form =
      ops::allOperators()[op].withLiteral(place, met.asReal());
  if (form.expansion.empty())
    return std::nullopt;
  std::array<TypedValue, 1 + std::tuple_size_v<decltype(form.values)>> forms{
      other};
  for (std::size_t i = 0; i < form.values.size(); ++i) {
    forms[i + 1] = *number({.number = realNumber(form.values[i])});
  }
  auto simpler = expand(form.expansion, forms);
  // Forms are those of real numbers: an integer 1 / x has another type.
  if (!simpler || simpler->type != type)
    return std::nullopt;
  return *simpler;
}

Expected<TypedValue> Simplifier::expand(const ops::Expansion &expansion,
                                        std::span<const TypedValue> args) {
  return ops::expand(
      expansion, args,
      [this](ops::OpId op, std::span<const TypedValue> values) {
        // Both choices are of the same arguments, which one has to read.
        if (ops::allOperators()[op].info.takesCondition && isLiteral(values[0]))
          return Expected<TypedValue>(
              values[graph.numbers()[*values[0].number].number.integer ? 1
                                                                       : 2]);
        return call(op, values);
      },
      [this](double literal) {
        return *number({.number = realNumber(literal)});
      });
}
