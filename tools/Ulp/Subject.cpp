//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Subject.h"

#include "Ops/Operators.h"
#include "Support/Text.h"

#include <algorithm>
#include <cassert>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

RealReference tools::realReference(ops::OpId op) {
  static const auto references = [] {
    std::array<RealReference, ops::Operators::size> all{};
    std::size_t id = 0;
    ops::Operators::forEach([&]<class Op>() {
      if constexpr (!ops::isIntegral<Op>)
        all[id] = [](const Real *arguments) {
          return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Real(Op::reference(arguments[I]...));
          }
          (std::make_index_sequence<ops::arityOf<Op>>{});
        };
      ++id;
    });
    return all;
  }();
  return references[op];
}

/// Whether a result at a lower precision says that `x` is right.
static bool agree(const Real &lower, const Real &x) {
  // A zero or NaN that rounding had a part in may be what cancelling left.
  if (isnan(x) || x.isZero())
    return mpfr_underflow_p() && lower == x;
  return lower == x || fabs(lower - x) <= fabs(x).scaled(-90);
}

void tools::settle(const std::function<void(std::span<Real>)> &evaluate,
                   std::span<Real> results) {
  std::vector<Real> lower;
  for (long bits : {128, 256, 1024, 4096}) {
    const Real::WithBits precision(bits);
    mpfr_clear_flags();
    evaluate(results);
    const bool isExact = !mpfr_inexflag_p();
    if (isExact || (!lower.empty() && std::equal(lower.begin(), lower.end(),
                                                 results.begin(), agree)))
      return;
    lower.assign(results.begin(), results.end());
  }
}

ReferenceProgram::ReferenceProgram(const Expression &expression, DType type)
    : type(type) {
  const Node &root = expression.root();
  std::vector<Operand> known;
  for (const Node &node : expression.nodes())
    if (node.kind != NodeKind::List)
      known.push_back(operandOf(node, known));
  if (root.kind != NodeKind::List)
    roots.push_back(materialize(known.back()));
  else
    for (std::uint32_t child : root.children)
      roots.push_back(materialize(known[child]));
}

std::size_t ReferenceProgram::add(const Step &step) {
  steps.push_back(step);
  return steps.size() - 1;
}

std::size_t ReferenceProgram::materialize(const Operand &operand) {
  return operand.literal ? add({.constant = roundTo(type, *operand.literal)})
                         : operand.step;
}

ReferenceProgram::Operand
ReferenceProgram::operandOf(const Node &node, std::span<const Operand> known) {
  if (node.kind == NodeKind::Operand)
    return {.step = add({.operand = node.index})};
  if (node.kind == NodeKind::Bool)
    return {.literal = static_cast<double>(node.integer)};
  if (node.kind != NodeKind::Call)
    return {.literal = node.number};
  std::vector<Operand> arguments;
  for (std::uint32_t child : node.children)
    arguments.push_back(known[child]);
  const auto op = ops::find(node.name);
  assert(op && "an expression that the engine refuses");
  return call(*op, arguments);
}

ReferenceProgram::Operand
ReferenceProgram::call(ops::OpId op, std::span<const Operand> arguments) {
  const ops::OpEntry &entry = ops::table()[op];
  const ops::Expansion &expansion = arguments.size() == entry.arity
                                        ? entry.info.ofFloats
                                        : entry.info.overload.expansion;
  if (!expansion.empty())
    return *ops::expand(
        expansion, arguments,
        [this](ops::OpId inner, std::span<const Operand> values) {
          return Expected<Operand>(call(inner, values));
        },
        [](double literal) { return Operand{.literal = literal}; });
  std::vector<double> literals;
  for (const Operand &argument : arguments)
    if (argument.literal)
      literals.push_back(*argument.literal);
  if (literals.size() == arguments.size())
    return {.literal = entry.reference(literals.data())};
  Step step{.exact = realReference(op),
            .quick = entry.reference,
            .arity = entry.arity};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    step.arguments[i] = materialize(arguments[i]);
  return {.step = add(step)};
}

template <class R>
void ReferenceProgram::evaluate(std::span<const double> arguments,
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
template void ReferenceProgram::evaluate(std::span<const double>,
                                         std::span<Real>) const;
template void ReferenceProgram::evaluate(std::span<const double>,
                                         std::span<double>) const;

Subject tools::operatorSubject(ops::OpId op, DType type) {
  const ops::OpEntry &entry = ops::table()[op];
  std::string call = concat(entry.info.name, "(@0");
  for (unsigned k = 1; k < entry.arity; ++k)
    call += concat(",@", k);
  const auto expression = Expression::parse(call + ')');
  assert(expression && "an operator that cannot be called by its name");
  Subject subject{
      *expression, type, 1,
      [reference = realReference(op)](std::span<const double> arguments,
                                      std::span<Real> results) {
        std::array<Real, ops::MaxArity> wide;
        std::copy(arguments.begin(), arguments.end(), wide.begin());
        results[0] = reference(wide.data());
      }};
  if (type == DType::F64) {
    subject.cancellation = entry.info.cancellation;
    return subject;
  }
  subject.quick = [reference =
                       entry.reference](std::span<const double> arguments,
                                        std::span<double> results) {
    results[0] = reference(arguments.data());
  };
  if (entry.arity == 1)
    subject.scanned = entry.reference;
  return subject;
}

Subject tools::expressionSubject(const Expression &expression, DType type) {
  auto program = std::make_shared<const ReferenceProgram>(expression, type);
  const auto evaluate = [program](auto arguments, auto results) {
    program->evaluate(arguments, results);
  };
  Subject subject{expression, type, program->outputs(), evaluate};
  subject.edges = false;
  if (type == DType::F32)
    subject.quick = evaluate;
  return subject;
}

void tools::settle(const Subject &subject, std::span<const double> arguments,
                   std::span<Real> results) {
  settle([&](std::span<Real> out) { subject.exact(arguments, out); }, results);
}

/// How far a number in double is from the exact one, in units of an f32; of
/// those at the edges of the range it is enough that they round alike.
static double distrust(double quick, const Real &exact) {
  const double nearest = exact.roundTo(DType::F32);
  if (quick != 0 && std::isfinite(quick) && !isnan(exact))
    return judge(quick, exact, DType::F32).ulp;
  return sameNumber(roundTo(DType::F32, quick), nearest) ? 0 : 1;
}

Trust tools::trustIn(const Subject &subject, const Inputs &inputs) {
  Trust trust{.doubt = 1, .edges = subject.edges};
  if (!subject.quick || inputs.count == 0)
    return trust;
  constexpr std::uint64_t most = 1 << 12;
  const std::uint64_t samples = std::min(inputs.count, most);
  std::vector<double> arguments(subject.operands()), quick(subject.outputs);
  std::vector<Real> exact(subject.outputs);
  double worst = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    inputs.at(i * (inputs.count / samples), arguments);
    settle(subject, arguments, exact);
    subject.quick(arguments, quick);
    for (std::size_t k = 0; k < exact.size(); ++k)
      worst = std::max(worst, distrust(quick[k], exact[k]));
  }
  // Samples do not meet the worst case: hence the factor, and the floor, which
  // uses the exact reference for an input in some thirty thousand.
  trust.doubt = std::max(64 * worst, 0x1p-16);
  return trust;
}
