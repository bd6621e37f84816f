//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Simplify.h"

#include "Syntax/ExpressionData.h"
#include "Syntax/Parser.h"

#include <algorithm>
#include <cassert>

using namespace kexpr;
using namespace kexpr::semantics;

ValueId Simplifier::materialize(const Term &term) {
  return term.literal ? graph.constant(*term.literal, type) : term.value;
}

Term Simplifier::call(ops::OpId op, std::span<const Term> args) {
  auto isLiteral = [](const Term &arg) { return arg.literal.has_value(); };
  const ops::OpEntry &entry = ops::table()[op];
  if (std::all_of(args.begin(), args.end(), isLiteral)) {
    std::array<double, ops::MaxArity> numbers{};
    std::transform(args.begin(), args.end(), numbers.begin(),
                   [](const Term &arg) { return *arg.literal; });
    return {.literal = entry.reference(numbers.data())};
  }
  if (auto simpler = withLiteral(op, args))
    return *simpler;

  std::array<ValueId, ops::MaxArity> values{};
  std::transform(args.begin(), args.end(), values.begin(),
                 [this](const Term &arg) { return materialize(arg); });
  return {.value = graph.call(op, type, {values.data(), args.size()})};
}

std::optional<Term> Simplifier::withLiteral(ops::OpId op,
                                            std::span<const Term> args) {
  if (args.size() != 2)
    return std::nullopt;
  const int position = args[0].literal ? 0 : 1;
  if (!args[position].literal)
    return std::nullopt;
  // The form must hold for the number the operand meets, not for the one the
  // text names: 1 + 2^-40 is 1 in f32.
  const double literal = *args[position].literal;
  const double met = type == DType::F32 ? static_cast<float>(literal) : literal;
  ops::LiteralForm form = ops::table()[op].withLiteral(position, met);
  if (form.expansion.empty())
    return std::nullopt;
  const Term forms[] = {args[1 - position], {.literal = form.value}};
  return expand(form.expansion, forms);
}

Term Simplifier::expand(std::string_view expansion,
                        std::span<const Term> args) {
  auto parsed = syntax::parse(expansion, {}, ops::arityOfName);
  assert(parsed && "the operator table holds a malformed expansion");
  const auto &nodes = (*parsed)->nodes;
  std::vector<Term> terms(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == NodeKind::Operand) {
      terms[i] = args[nodes[i].index];
      continue;
    }
    if (nodes[i].kind != NodeKind::Call) {
      terms[i] = {.literal = nodes[i].number};
      continue;
    }
    std::array<Term, ops::MaxArity> callArgs;
    for (std::size_t k = 0; k < nodes[i].children.size(); ++k)
      callArgs[k] = terms[nodes[i].children[k]];
    terms[i] = call(*ops::find(nodes[i].name),
                    {callArgs.data(), nodes[i].children.size()});
  }
  return terms.back();
}
