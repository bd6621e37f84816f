//===- Ulp/Subject.h - What is measured, and against what ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_SUBJECT_H
#define KEXPR_TOOLS_ULP_SUBJECT_H

#include "Ops/Table.h"
#include "Ulp/Inputs.h"
#include "Ulp/Verdict.h"
#include "kexpr/Expression.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kexpr::tools {

using RealReference = Real (*)(const Real *arguments);

/// The reference of an operator over an array of arguments, at the thread's
/// precision; a comparison gives 0 or 1. Null for operators on integers.
RealReference realReference(ops::OpId op);

/// Results that are right to far more digits than an f64 has. `evaluate` writes
/// them at the thread's precision. It is called at 128, 256, 1024 and 4096 bits
/// until it was exact or two answers in a row agree to 90 bits; what cancels
/// more than that of 4096 bits stays as it is.
void settle(const std::function<void(std::span<Real>)> &evaluate,
            std::span<Real> results);

/// An expression as a list of steps over the references of its operators.
///
/// It is read as kernels read it: literals among themselves are computed in
/// double and rounded to the element type where they meet an operand, and a
/// call of an overload is its expansion. It is not simplified: what the table
/// says of `pow(x,0.5)` is a way to compute it, and is measured like others.
class ReferenceProgram {
public:
  /// `expression` is one that Engine::compile accepts for operands of `type`.
  ReferenceProgram(const Expression &expression, DType type);

  std::size_t outputs() const { return roots.size(); }
  /// The outputs in R, Real or double, from a number for each operand slot.
  template <class R>
  void evaluate(std::span<const double> arguments, std::span<R> results) const;

private:
  /// A literal that has met no operand yet, or a step.
  struct Operand {
    std::optional<double> literal = {};
    std::size_t step = 0;
  };
  struct Step {
    /// Of a call; of others null.
    RealReference exact = nullptr;
    ReferenceFn quick = nullptr;
    /// Steps that a call takes.
    std::array<std::size_t, ops::MaxArity> arguments = {};
    unsigned arity = 0;
    /// The slot of an operand.
    std::optional<std::uint32_t> operand = {};
    double constant = 0;
  };

  Operand operandOf(const Node &node, std::span<const Operand> known);
  Operand call(ops::OpId op, std::span<const Operand> arguments);
  std::size_t materialize(const Operand &operand);
  std::size_t add(const Step &step);

  DType type;
  std::vector<Step> steps;
  /// Steps whose values are the outputs.
  std::vector<std::size_t> roots;
};

/// An expression and what its outputs ought to be.
struct Subject {
  Expression expression;
  DType type = DType::F32;
  std::size_t outputs = 1;
  /// The outputs at the thread's precision, from a number for each operand.
  std::function<void(std::span<const double>, std::span<Real>)> exact;
  /// The same in double, for f32; may be null. It serves where it is clearly
  /// good enough: see `trustIn`.
  std::function<void(std::span<const double>, std::span<double>)> quick = {};
  /// `quick` of an operator of one argument as a plain function, for `scan`.
  ReferenceFn scanned = nullptr;
  /// In f64, errors of results smaller than this part of the largest argument
  /// are counted in units of that part; see OpInfo.
  double cancellation = 0;
  /// Whether zeros, infinities and NaNs of `quick` mean that the result is one.
  /// False where they may be those of an intermediate result, out of the range
  /// of double.
  bool edges = true;

  unsigned operands() const { return expression.operandCount(); }
};

/// An operator with operands for all its arguments; the quick reference is
/// there for f32.
Subject operatorSubject(ops::OpId op, DType type);

/// An expression that Engine::compile accepts for operands of `type`.
Subject expressionSubject(const Expression &expression, DType type);

/// The exact outputs, at whatever precision they take.
void settle(const Subject &subject, std::span<const double> arguments,
            std::span<Real> results);

/// How far the quick reference of `subject` can be believed at `inputs`, from
/// comparing it at some of them with the exact one.
Trust trustIn(const Subject &subject, const Inputs &inputs);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_SUBJECT_H
