//===- Ulp/Tree.h - What an expression means, in any precision ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_TREE_H
#define KEXPR_TOOLS_ULP_TREE_H

#include "Ops/Table.h"
#include "Ulp/References.h"
#include "kexpr/Expression.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace kexpr::tools {

/// An expression as a list of steps over the references of its operators.
///
/// It is read as kernels read it: literals among themselves are computed in
/// double and rounded to the element type where they meet an operand, and a
/// call of an overload is its expansion. It is not simplified: what the table
/// says of `pow(x,0.5)` is a way to compute it, and is measured like others.
class Tree {
public:
  /// `expression` is one that Engine::compile accepts for operands of `type`.
  Tree(const Expression &expression, DType type);

  std::size_t outputs() const { return roots.size(); }
  /// The outputs, from a number for each operand slot.
  void evaluate(std::span<const double> arguments,
                std::span<Real> results) const;
  void evaluate(std::span<const double> arguments,
                std::span<double> results) const;

private:
  /// A literal that has met no operand yet, or a step.
  struct Term {
    std::optional<double> literal = {};
    std::size_t step = 0;
  };
  struct Step {
    /// Of a call; of others null.
    RealReference exact = nullptr;
    double (*quick)(const double *) = nullptr;
    /// Steps that a call takes.
    std::array<std::size_t, ops::MaxArity> arguments = {};
    unsigned arity = 0;
    /// The slot of an operand.
    std::optional<std::uint32_t> operand = {};
    double constant = 0;
  };

  Term termOf(const Node &node, std::span<const Term> terms);
  Term call(ops::OpId op, std::span<const Term> arguments);
  std::size_t materialize(const Term &term);
  std::size_t add(const Step &step);
  template <class R>
  void evaluateIn(std::span<const double> arguments,
                  std::span<R> results) const;

  DType type;
  std::vector<Step> steps;
  /// Steps whose values are the outputs.
  std::vector<std::size_t> roots;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_TREE_H
