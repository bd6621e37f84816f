//===- Semantics/Simplify.h - Calls in their simplest exact form ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_SIMPLIFY_H
#define KEXPR_SEMANTICS_SIMPLIFY_H

#include "Semantics/Graph.h"
#include "Semantics/Promotion.h"

#include <optional>
#include <span>
#include <string_view>

namespace kexpr::semantics {

/// A part of an expression while its graph is made: a value of the graph, or a
/// number that has met no operand yet.
struct Term {
  std::optional<NumberId> number = {};
  ValueId value = 0;
  /// What PyTorch calls the type of the value: f16 and bf16 are f32 in the
  /// graph.
  DType type = DType::F32;
  Weight weight = Weight::Tensor;
};

/// Adds calls to a graph in the simplest form that has the same bits. What is
/// simpler is said by the operator table: literal forms and overloads. Errors
/// have no place in the text.
class Simplifier {
public:
  explicit Simplifier(GraphBuilder &graph) : graph(graph) {}

  Expected<Term> number(const NumberNode &node);
  /// `op` applied to `args`, as many as it takes.
  Expected<Term> call(ops::OpId op, std::span<const Term> args);
  /// The other meaning of `op`, with one argument more, which is converted to
  /// the type of the call without it.
  Expected<Term> overload(ops::OpId op, std::span<const Term> args);
  /// A value as one of `type`, rounded to it.
  Expected<Term> cast(DType type, const Term &term);
  /// An expansion of the operator table with `args` for @0, @1...
  Expected<Term> expand(const ops::Expansion &expansion,
                        std::span<const Term> args);
  /// The value that is stored as one of the term's type.
  ValueId stored(const Term &term);
  /// What a term counts as in promotion.
  ArgumentType typeOf(const Term &term) const;

private:
  DType promotedType(std::span<const Term> args);
  Expected<DType> callType(const ops::OpInfo &info, std::span<const Term> args);
  Expected<Term> numberCall(ops::OpId op, std::span<const Term> args);
  std::optional<Term> withLiteral(ops::OpId op, DType type,
                                  std::span<const Term> args);
  ValueId valueAs(DType type, const Term &term, bool bake);

  GraphBuilder &graph;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_SIMPLIFY_H
