//===- Semantics/NumberGraph.h - Numbers that depend on each other --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_NUMBERGRAPH_H
#define KEXPR_SEMANTICS_NUMBERGRAPH_H

#include "Semantics/Number.h"

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kexpr::semantics {

/// Position of a number in `NumberGraph::nodes`.
using NumberId = std::uint32_t;

struct NumberNode {
  enum class Kind : std::uint8_t { Literal, Size, Call, Cast };
  Kind kind = Kind::Literal;
  /// Literal: the number. Otherwise its kind alone counts.
  Number number = {};
  std::uint32_t operand = 0; ///< Size.
  ops::OpId op = 0;          ///< Call.
  DType type = DType::I64;   ///< Cast.
  /// Size: the axis. Each stands earlier.
  std::array<NumberId, ops::MaxArity> args = {};
  unsigned arity = 0;
  SourceRange range = {}; ///< In the expression, for errors.
};

/// Equality of numbers; `range` is ignored.
bool operator==(const NumberNode &a, const NumberNode &b);

/// Numbers that depend on each other. Those that depend on literals alone are
/// literals.
class NumberGraph {
public:
  /// Adds a node, whose number's kind need not be set; one that can be computed
  /// now becomes a literal. Errors of that have no text.
  Expected<NumberId> add(const NumberNode &node);

  const NumberNode &operator[](NumberId id) const { return nodes[id]; }
  bool isLiteral(NumberId id) const {
    return nodes[id].kind == NumberNode::Kind::Literal;
  }
  std::size_t size() const { return nodes.size(); }
  /// "size(@0,2)", "add(2,size(@0,1))".
  std::string str(NumberId id) const;

  /// The part that these numbers need; `needed` becomes their ids in it.
  NumberGraph keep(std::span<NumberId> needed) const;

  /// Writes the values of the numbers `needed` for these shapes to `values`, in
  /// the same order. Graphs of up to 32 numbers allocate nothing.
  Status evaluate(std::span<const NumberId> needed, const Shapes &shapes,
                  std::span<Number> values) const;

private:
  struct Hash {
    std::size_t operator()(const NumberNode &node) const;
  };
  Error placed(NumberId id, const Expected<Number> &value) const;

  std::vector<NumberNode> nodes;
  /// Ids of equal nodes, while the graph is made.
  std::unordered_map<NumberNode, NumberId, Hash> ids;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_NUMBERGRAPH_H
