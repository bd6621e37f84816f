//===- Semantics/Check.h - From a tree to a typed graph -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_CHECK_H
#define KEXPR_SEMANTICS_CHECK_H

#include "Semantics/Graph.h"
#include "kexpr/Scalar.h"

#include <span>

namespace kexpr::semantics {

/// What a kernel is compiled for: types and ranks, but no shapes.
struct Signature {
  /// The type of `@k`; operands past the end are f32.
  std::span<const DType> operandTypes;
  /// The operands that are 0-d tensors, in any order.
  std::span<const std::uint32_t> zeroDimOperands;
  Precision precision = Precision::Default;

  DType typeOf(std::uint32_t operand) const {
    return operand < operandTypes.size() ? operandTypes[operand] : DType::F32;
  }
};

/// Checks names, arities and types and gives the simplified graph. A list at
/// the root is one output an element. Types follow PyTorch: see Promotion.h and
/// the rules of the operators. Every rewrite keeps every bit of the result (NaN
/// payloads aside). Sub-expressions without elements become numbers: see
/// Number.h.
///
/// Errors, each with its range in the text: UnknownOperator, WrongArity,
/// TypeMismatch, InvalidArgument, Unsupported.
Expected<Graph> check(const Expression &expression, const Signature &signature);

/// `kexpr::evaluate` of one node of an expression; nodes that it does not need
/// are ignored. `operands[k]` is the value of `@k` if that is a number or a
/// list of numbers, else null.
Expected<Scalar> evaluate(const Expression &expression, std::uint32_t root,
                          Span<const Shape> shapes,
                          std::span<const Scalar *const> operands);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_CHECK_H
