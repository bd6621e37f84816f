//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Subject.h"

#include "Support/Text.h"
#include "Ulp/Order.h"
#include "Ulp/References.h"
#include "Ulp/Tree.h"

#include <algorithm>
#include <cassert>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// A call of the operator with an operand for each argument.
static Expression callOf(const ops::OpEntry &entry) {
  std::string text = concat(entry.info.name, "(@0");
  for (unsigned k = 1; k < entry.arity; ++k)
    text += concat(",@", k);
  auto expression = Expression::parse(text + ')');
  assert(expression && "a name that is no name");
  return *expression;
}

Subject tools::operatorSubject(ops::OpId op, DType type) {
  const ops::OpEntry &entry = ops::table()[op];
  Subject subject{
      callOf(entry), type, 1,
      [reference = realReference(op)](std::span<const double> arguments,
                                      std::span<Real> results) {
        std::array<Real, ops::MaxArity> wide;
        std::copy(arguments.begin(), arguments.end(), wide.begin());
        results[0] = reference(wide.data());
      }};
  if (type == DType::F32)
    subject.quick = [reference =
                         entry.reference](std::span<const double> arguments,
                                          std::span<double> results) {
      results[0] = reference(arguments.data());
    };
  if (type == DType::F32 && entry.arity == 1)
    subject.scanned = entry.reference;
  if (type == DType::F64)
    subject.cancellation = entry.info.cancellation;
  return subject;
}

Subject tools::expressionSubject(const Expression &expression, DType type) {
  auto tree = std::make_shared<const Tree>(expression, type);
  Subject subject{
      expression, type, tree->outputs(),
      [tree](std::span<const double> arguments, std::span<Real> results) {
        tree->evaluate(arguments, results);
      }};
  subject.edges = false;
  if (type == DType::F32)
    subject.quick = [tree](std::span<const double> arguments,
                           std::span<double> results) {
      tree->evaluate(arguments, results);
    };
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
  // asks the exact reference for an input in some thirty thousand.
  trust.doubt = std::max(64 * worst, 0x1p-16);
  return trust;
}
