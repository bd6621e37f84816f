//===- Semantics/Graph.h - The typed graph of an expression ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_GRAPH_H
#define KEXPR_SEMANTICS_GRAPH_H

#include "Ops/Table.h"
#include "Semantics/NumberGraph.h"
#include "kexpr/Tensor.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kexpr::semantics {

/// Position of a value in `Graph::values`.
using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t {
  Input,     ///< An element of an operand.
  Parameter, ///< A number that is handed to the code.
  Constant,  ///< A number that the code knows.
  Convert,   ///< The argument as another type.
  Call,      ///< An operator over arguments of one type, conditions aside.
};

/// One value of the graph: something that every element has one of.
struct Value {
  ValueKind kind;
  /// The type of the value. Nothing is computed in f16 or bf16: inputs of these
  /// types are converted to f32, and results to them, once, to be stored.
  DType type;
  /// Call: the operator.
  ops::OpId op = 0;
  /// Input: position in `Graph::inputs`. Parameter: in `Graph::parameters`.
  std::uint32_t input = 0;
  /// Constant: the bits of the element.
  std::uint64_t bits = 0;
  /// Call, Convert: the arguments; each stands earlier.
  std::array<ValueId, ops::MaxArity> args = {};
};

/// The same value, by bits: -0 and 0 differ, NaN is itself.
bool operator==(const Value &a, const Value &b);

/// An expression as a directed acyclic graph. Equal values are one value, so
/// common sub-expressions are computed once. Values stand in an order in which
/// arguments come first.
struct Graph {
  std::vector<Value> values;
  /// The node of the expression that first needed each value: its position in
  /// `Expression::nodes()`.
  std::vector<std::uint32_t> origins;
  /// What is stored, one value an output.
  std::vector<ValueId> outputs;
  /// The operand index (`@N`) behind each input slot, in order of first use.
  std::vector<std::uint32_t> inputs;
  /// The number behind each parameter.
  std::vector<NumberId> parameters;
  NumberGraph numbers;
  /// Whether arguments of different types met somewhere, so that it may matter
  /// which operands are 0-d.
  bool mixesTypes = false;

  /// The arguments of a call or conversion; none of another value.
  std::span<const ValueId> args(const Value &value) const;
  /// The type that a call or conversion computes in: that of its last
  /// argument. The first may be a condition.
  DType computedType(const Value &call) const {
    return values[args(call).back()].type;
  }
  /// The part of the graph that these values need, which become its outputs.
  Graph restrictedTo(std::span<const ValueId> kept) const;
  /// Work of one element of a value alone, from its operator's cost.
  ops::Work workOf(const Value &value, Precision precision) const;
  /// Work of one element, from the operators' costs.
  ops::Work work(Precision precision) const;
  /// A value without its arguments: `@0`, `2.5`, `mul`, `f32` of a conversion.
  std::string nameOf(const Value &value) const;
  /// One line a value, `%3 = mul f32 %0, %1`; stable from run to run.
  std::string str() const;
};

/// Makes a graph value by value, merging equal ones.
class GraphBuilder {
public:
  /// Values that come are of this node of the expression.
  void setOrigin(std::uint32_t node) { origin = node; }
  ValueId input(std::uint32_t operand, DType type);
  /// A number as an element of `type`, handed to the code or known to it; one
  /// that is no literal is always handed over.
  ValueId parameter(NumberId number, DType type);
  ValueId constant(NumberId number, DType type);
  /// The value itself if it is of `type`, or what it was converted from if that
  /// was and nothing was lost.
  ValueId convert(ValueId value, DType type);
  /// The type of the result is that of the arguments, or Bool.
  ValueId call(ops::OpId op, std::span<const ValueId> args);
  const Value &operator[](ValueId id) const { return graph.values[id]; }
  NumberGraph &numbers() { return graph.numbers; }
  void noteMixedTypes() { graph.mixesTypes = true; }

  /// The graph of these outputs, without what none of them needs.
  Graph finish(std::span<const ValueId> outputs) const {
    return graph.restrictedTo(outputs);
  }

private:
  struct Hash {
    std::size_t operator()(const Value &value) const;
  };
  ValueId add(const Value &value);
  std::uint64_t bitsOf(NumberId number, DType type) const;

  Graph graph;
  std::uint32_t origin = 0;
  std::unordered_map<Value, ValueId, Hash> ids;
  std::unordered_map<std::uint32_t, std::uint32_t> slots;
  /// The parameters of literals, by their bits, and of other numbers.
  std::map<std::pair<std::uint64_t, DType>, std::uint32_t> literals;
  std::map<std::pair<NumberId, DType>, std::uint32_t> sizes;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_GRAPH_H
