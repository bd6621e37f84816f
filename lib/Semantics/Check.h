//===- Semantics/Check.h - From a tree to a typed graph -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_CHECK_H
#define KEXPR_SEMANTICS_CHECK_H

#include "Semantics/Graph.h"
#include "kexpr/Expression.h"

#include <span>

namespace kexpr::semantics {

/// Checks names, arities and types and gives the simplified graph. A list at
/// the root is one output an element. `operandTypes[k]` is the type of `@k`;
/// operands past its end are f32. All that the expression uses must be of one
/// type, f32 or f64; without any it is f32. Every rewrite keeps every bit of
/// the result (NaN payloads aside). Literals among themselves are computed in
/// double, as PyTorch's Python does, and rounded once where they meet an
/// operand.
///
/// Errors, each with its place in the text: UnknownOperator, WrongArity,
/// TypeMismatch, Unsupported.
Expected<Graph> check(const Expression &expression,
                      std::span<const DType> operandTypes);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_CHECK_H
