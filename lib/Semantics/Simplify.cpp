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

static bool isNumber(const Term &term) { return term.number.has_value(); }

ArgumentType Simplifier::typeOf(const Term &term) const {
  if (term.number)
    return {graph.numbers()[*term.number].number.type(), Weight::Number};
  return {term.type, term.weight};
}

Expected<Term> Simplifier::number(const NumberNode &node) {
  auto added = graph.numbers().add(node);
  if (!added)
    return added.error();
  return Term{.number = *added};
}

/// An element of `type` for a term; `bake` leaves literals to the code.
ValueId Simplifier::valueAs(DType type, const Term &term, bool bake) {
  if (!term.number)
    return graph.convert(term.value, type);
  return bake ? graph.constant(*term.number, type)
              : graph.parameter(*term.number, type);
}

ValueId Simplifier::stored(const Term &term) {
  return valueAs(typeOf(term).type, term, false);
}

Expected<Term> Simplifier::cast(DType type, const Term &term) {
  if (!term.number)
    return Term{.value = graph.convert(term.value, type),
                .type = type,
                .weight = term.weight};
  return number({.kind = NumberNode::Kind::Cast,
                 .type = type,
                 .args = {*term.number},
                 .arity = 1});
}

Expected<Term> Simplifier::numberCall(ops::OpId op,
                                      std::span<const Term> args) {
  NumberNode node{.kind = NumberNode::Kind::Call,
                  .op = op,
                  .arity = static_cast<unsigned>(args.size())};
  std::transform(args.begin(), args.end(), node.args.begin(),
                 [](const Term &arg) { return *arg.number; });
  return number(node);
}

/// The type that arguments promote to.
DType Simplifier::promotedType(std::span<const Term> args) {
  std::array<ArgumentType, ops::MaxArity> types{};
  std::transform(args.begin(), args.end(), types.begin(),
                 [this](const Term &arg) { return typeOf(arg); });
  for (std::size_t i = 0; i < args.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!args[i].number && !args[k].number && types[i].type != types[k].type)
        graph.noteMixedTypes();
  return resultType({types.data(), args.size()});
}

Expected<Term> Simplifier::overload(ops::OpId op, std::span<const Term> args) {
  const ops::OpInfo &info = ops::table()[op].info;
  if (std::all_of(args.begin(), args.end(), isNumber))
    return expand(info.overload.expansion, args);
  const DType promoted = promotedType(args.first(args.size() - 1));
  const auto type = computedType(info.types, promoted);
  if (!type)
    return Error(ErrorCode::TypeMismatch, "");
  if (!isFloatingPoint(*type) && isFloatingPoint(typeOf(args.back()).type))
    return Error(ErrorCode::InvalidArgument,
                 concat("the factor of '", info.name, "' of ", nameOf(*type),
                        " is an integer, not floating point"));
  std::array<Term, ops::MaxArity> converted;
  std::copy(args.begin(), args.end(), converted.begin());
  for (Term &term : std::span(converted).first(args.size()))
    if (!term.number)
      term = {.value = graph.convert(term.value, heldType(*type)),
              .type = *type,
              .weight = term.weight};
  return expand(info.overload.expansion, {converted.data(), args.size()});
}

/// The type that a call with some argument not a number computes in.
Expected<DType> Simplifier::callType(const ops::OpInfo &info,
                                     std::span<const Term> args) {
  if (info.types == ops::TypeRule::Truth)
    return DType::Bool;
  if (info.takesCondition && typeOf(args[0]).type != DType::Bool)
    return Error(ErrorCode::TypeMismatch,
                 concat("operator '", info.name, "' takes a bool first, not ",
                        nameOf(typeOf(args[0]).type)));
  const DType promoted = promotedType(args.subspan(info.takesCondition));
  if (const auto type = computedType(info.types, promoted))
    return *type;
  return Error(ErrorCode::TypeMismatch,
               concat("operator '", info.name, "' takes ", describe(info.types),
                      ", not ", nameOf(promoted)));
}

Expected<Term> Simplifier::call(ops::OpId op, std::span<const Term> args) {
  if (std::all_of(args.begin(), args.end(), isNumber))
    return numberCall(op, args);
  const ops::OpInfo &info = ops::allOperators()[op].info;
  const auto type = callType(info, args);
  if (!type)
    return type.error();
  if (auto simpler = withLiteral(op, *type, args))
    return *simpler;

  const DType held = heldType(*type);
  const bool bake = info.bakesLiterals && !isFloatingPoint(held);
  Term result{.type = *type, .weight = Weight::ZeroDim};
  std::array<ValueId, ops::MaxArity> values{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool isCondition = info.takesCondition && i == 0;
    values[i] = valueAs(isCondition ? DType::Bool : held, args[i], bake);
    result.weight = std::max(result.weight, typeOf(args[i]).weight);
  }
  result.value = graph.call(op, {values.data(), args.size()});
  if (info.result == ops::ResultRule::Bool)
    result.type = DType::Bool;
  return result;
}

/// The call in the form that its literal allows, if any. `type` is what the
/// operator computes in.
std::optional<Term> Simplifier::withLiteral(ops::OpId op, DType type,
                                            std::span<const Term> args) {
  if (args.size() != 2)
    return std::nullopt;
  const int place = isNumber(args[0]) ? 0 : 1;
  const Term &literal = args[place];
  if (!isNumber(literal) || !graph.numbers().isLiteral(*literal.number))
    return std::nullopt;
  // The form must hold for the number the operand meets, not for the one the
  // text names: 1 + 2^-40 is 1 in f32.
  Term other = args[1 - place];
  other.value = valueAs(heldType(type), other, false);
  other.type = type;
  const Number met =
      castNumber(graph.numbers()[*literal.number].number, heldType(type));
  const ops::LiteralForm form =
      ops::allOperators()[op].withLiteral(place, met.asReal());
  if (form.expansion.empty())
    return std::nullopt;
  std::array<Term, 1 + std::tuple_size_v<decltype(form.values)>> forms{other};
  for (std::size_t i = 0; i < form.values.size(); ++i) {
    const Number value{.kind = Number::Kind::Real, .real = form.values[i]};
    forms[i + 1] = *number({.number = value});
  }
  auto simpler = expand(form.expansion, forms);
  // Forms are made for real numbers: 1 / x of an integer is none.
  if (!simpler || simpler->type != type)
    return std::nullopt;
  return *simpler;
}

Expected<Term> Simplifier::expand(const ops::Expansion &expansion,
                                  std::span<const Term> args) {
  return ops::expand(expansion, args,
                     [this](ops::OpId op, std::span<const Term> values) {
                       return call(op, values);
                     });
}
