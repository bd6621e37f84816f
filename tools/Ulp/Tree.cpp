//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Tree.h"

#include "Ulp/Order.h"

#include <algorithm>
#include <cassert>

using namespace kexpr;
using namespace kexpr::tools;

Tree::Tree(const Expression &expression, DType type) : type(type) {
  const auto nodes = expression.nodes();
  const Node &root = expression.root();
  std::vector<Term> terms;
  terms.reserve(nodes.size());
  for (const Node &node : nodes)
    if (node.kind != NodeKind::List)
      terms.push_back(termOf(node, terms));
  if (root.kind != NodeKind::List)
    roots.push_back(materialize(terms.back()));
  else
    for (std::uint32_t child : root.children)
      roots.push_back(materialize(terms[child]));
}

std::size_t Tree::add(const Step &step) {
  steps.push_back(step);
  return steps.size() - 1;
}

std::size_t Tree::materialize(const Term &term) {
  if (!term.literal)
    return term.step;
  Step constant;
  constant.constant = roundTo(type, *term.literal);
  return add(constant);
}

Tree::Term Tree::termOf(const Node &node, std::span<const Term> terms) {
  if (node.kind == NodeKind::Operand) {
    Step operand;
    operand.operand = node.index;
    return {.step = add(operand)};
  }
  if (node.kind == NodeKind::Bool)
    return {.literal = static_cast<double>(node.integer)};
  if (node.kind != NodeKind::Call)
    return {.literal = node.number};
  std::array<Term, ops::MaxArity> arguments;
  std::transform(node.children.begin(), node.children.end(), arguments.begin(),
                 [terms](std::uint32_t child) { return terms[child]; });
  const auto op = ops::find(node.name);
  assert(op && "an expression that the engine refuses");
  return call(*op, {arguments.data(), node.children.size()});
}

Tree::Term Tree::call(ops::OpId op, std::span<const Term> arguments) {
  const ops::OpEntry &entry = ops::table()[op];
  if (arguments.size() != entry.arity)
    return *ops::expand(entry.info.overload.expansion, arguments,
                        [this](ops::OpId inner, std::span<const Term> values) {
                          return Expected<Term>(call(inner, values));
                        });
  if (std::all_of(arguments.begin(), arguments.end(),
                  [](const Term &term) { return term.literal.has_value(); })) {
    std::array<double, ops::MaxArity> numbers{};
    std::transform(arguments.begin(), arguments.end(), numbers.begin(),
                   [](const Term &term) { return *term.literal; });
    return {.literal = entry.reference(numbers.data())};
  }
  Step step;
  step.exact = realReference(op);
  step.quick = entry.reference;
  step.arity = entry.arity;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    step.arguments[i] = materialize(arguments[i]);
  return {.step = add(step)};
}

template <class R>
void Tree::evaluateIn(std::span<const double> arguments,
                      std::span<R> results) const {
  std::vector<R> values;
  values.reserve(steps.size());
  for (const Step &step : steps) {
    if (step.operand) {
      values.push_back(arguments[*step.operand]);
    } else if (step.arity == 0) {
      values.push_back(step.constant);
    } else {
      std::array<R, ops::MaxArity> taken;
      for (unsigned i = 0; i < step.arity; ++i)
        taken[i] = values[step.arguments[i]];
      if constexpr (std::is_same_v<R, double>)
        values.push_back(step.quick(taken.data()));
      else
        values.push_back(step.exact(taken.data()));
    }
  }
  for (std::size_t i = 0; i < roots.size(); ++i)
    results[i] = values[roots[i]];
}

void Tree::evaluate(std::span<const double> arguments,
                    std::span<Real> results) const {
  evaluateIn(arguments, results);
}

void Tree::evaluate(std::span<const double> arguments,
                    std::span<double> results) const {
  evaluateIn(arguments, results);
}
