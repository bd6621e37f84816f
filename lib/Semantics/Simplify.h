//===- Semantics/Simplify.h - Calls in their simplest exact form ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_SIMPLIFY_H
#define KEXPR_SEMANTICS_SIMPLIFY_H

#include "Semantics/Graph.h"

#include <optional>
#include <span>
#include <string_view>

namespace kexpr::semantics {

/// A part of an expression while its graph is made: a value of the graph, or a
/// literal that has met no operand yet and is still exact.
struct Term {
  std::optional<double> literal = {};
  ValueId value = 0;
};

/// Adds calls to a graph in the simplest form that has the same bits. What is
/// simpler is said by the operator table: literal forms and overloads.
class Simplifier {
public:
  /// `type` is that of all values that literals meet; it may change until the
  /// first call.
  Simplifier(GraphBuilder &graph, const DType &type)
      : graph(graph), type(type) {}

  /// `op` applied to `args`, as many as it takes. Literals alone are folded
  /// with the operator's reference.
  Term call(ops::OpId op, std::span<const Term> args);
  /// An expression over @0, @1... with `args` in their place. The text comes
  /// from the operator table and is right.
  Term expand(std::string_view expansion, std::span<const Term> args);
  /// The value of a term; a literal becomes a constant.
  ValueId materialize(const Term &term);

private:
  std::optional<Term> withLiteral(ops::OpId op, std::span<const Term> args);

  GraphBuilder &graph;
  const DType &type;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_SIMPLIFY_H
