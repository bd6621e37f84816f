//===- Semantics/Evaluate.h - Values of parts of expressions --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_EVALUATE_H
#define KEXPR_SEMANTICS_EVALUATE_H

#include "kexpr/Scalar.h"

#include <span>

namespace kexpr::semantics {

/// What `kexpr::evaluate` gives, of one node of an expression and what it needs
/// alone. `operands[k]` is the value of `@k` where that is a number or a list
/// of numbers, else null.
Expected<Scalar> evaluate(const Expression &expression, std::uint32_t root,
                          Span<const Shape> shapes,
                          std::span<const Scalar *const> operands);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_EVALUATE_H
