//===- Semantics/Graph.h - The typed graph of an expression ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_GRAPH_H
#define KEXPR_SEMANTICS_GRAPH_H

#include "Ops/Table.h"
#include "kexpr/Tensor.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kexpr::semantics {

/// Position of a value in `Graph::values`.
using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t { Input, Constant, Call };

/// One value of the graph: something that every element has one of.
struct Value {
  ValueKind kind;
  /// The type it is computed in.
  DType type;
  /// Call: the operator.
  ops::OpId op = 0;
  /// Input: position in `Graph::inputs`.
  std::uint32_t input = 0;
  /// Constant: its value, exact in `type`.
  double number = 0;
  /// Call: its arguments, as many as the operator takes; each stands earlier.
  std::array<ValueId, ops::MaxArity> args = {};
};

/// The same value, by bits: -0 and 0 differ, NaN is itself.
bool operator==(const Value &a, const Value &b);

/// An expression as a directed acyclic graph. Equal values are one value, so
/// common sub-expressions are computed once. Values stand in an order in which
/// arguments come first.
struct Graph {
  std::vector<Value> values;
  /// What is stored, one value an output.
  std::vector<ValueId> outputs;
  /// The operand index (`@N`) behind each input slot, in order of first use.
  std::vector<std::uint32_t> inputs;

  /// The arguments of a call.
  std::span<const ValueId> args(const Value &call) const {
    return {call.args.data(), ops::table()[call.op].arity};
  }
  /// Work of one element, from the operators' costs.
  ops::Work work(Precision precision) const;
  /// One line a value, `%3 = mul f32 %0, %1`; stable from run to run.
  std::string str() const;
};

/// Makes a graph value by value, merging equal ones.
class GraphBuilder {
public:
  ValueId input(std::uint32_t operand, DType type);
  /// `number` is rounded to `type`, once.
  ValueId constant(double number, DType type);
  ValueId call(ops::OpId op, DType type, std::span<const ValueId> args);
  const Value &operator[](ValueId id) const { return graph.values[id]; }

  /// The graph of these outputs, without what none of them needs.
  Graph finish(std::span<const ValueId> outputs) const;

private:
  struct Hash {
    std::size_t operator()(const Value &value) const;
  };
  ValueId add(const Value &value);

  Graph graph;
  std::unordered_map<Value, ValueId, Hash> ids;
  std::unordered_map<std::uint32_t, std::uint32_t> slots;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_GRAPH_H
