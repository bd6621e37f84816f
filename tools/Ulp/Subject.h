//===- Ulp/Subject.h - What is measured, and against what ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_SUBJECT_H
#define KEXPR_TOOLS_ULP_SUBJECT_H

#include "Ops/Table.h"
#include "Ulp/Inputs.h"
#include "Ulp/Real.h"
#include "Ulp/Scan.h"
#include "kexpr/Expression.h"

#include <functional>
#include <span>

namespace kexpr::tools {

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
  /// Not so where they may be those of a step on the way, out of the range of
  /// double.
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
