//===- Semantics/Graph.h - The typed graph of an expression ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_GRAPH_H
#define KEXPR_SEMANTICS_GRAPH_H

#include "Ops/ReductionTable.h"
#include "Ops/Table.h"
#include "Semantics/NumberGraph.h"
#include "kexpr/Tensor.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kexpr::semantics {

/// Position of a value in `Graph::values`.
using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t {
  Input,     ///< An element of an operand.
  Parameter, ///< A number given to the code at run time.
  Constant,  ///< A number compiled into the code.
  Convert,   ///< The argument as another type.
  Call,      ///< An operator over arguments of one type, conditions aside.
  Reduce,    ///< A reduction of the argument over axes.
  View,      ///< The elements of the argument in another shape.
  Scan, ///< The results of a reduction so far, for each element of an axis.
  Fold, ///< A reduction of a row; of plans that take rows whole.
};

/// How a view sees its argument, beside a tensor of N, C and further axes.
enum class ViewKind : std::uint8_t {
  Channels, ///< C elements as those of the axis C.
  Split,    ///< The tensor itself, with the axis C as two, G and C / G.
  Repeat,   ///< N and G elements as N, G and C / G, each for its group.
  Join,     ///< N, G and C / G elements as N and C, and further axes of 1.
  Classes,  ///< N and further axes as N, 1 and those.
  AtClass,  ///< Elements beside the tensor's, at the class of each row.
  OfClass,  ///< C elements, at the class of each row.
  IsClass,  ///< Whether there is the class of each row: it is below C.
};

/// The axes of a reduction.
struct AxisSet {
  /// Ascending from the first axis, negative ones from behind the last; none is
  /// all of them from `first` on.
  std::vector<std::int64_t> axes = {};
  std::uint32_t first = 0;
  /// Whether they stay, with an extent of 1.
  bool stay = false;
  /// "over 0 -1, which stay".
  std::string str() const;
  friend bool operator==(const AxisSet &, const AxisSet &) = default;
};

/// One value of the graph, computed for each element.
struct Value {
  ValueKind kind;
  /// The type of the value. f16 and bf16 are storage types: inputs are
  /// converted to f32, and results back, once, when they are stored.
  DType type;
  /// Call: the operator. Reduce, Scan, Fold: the reduction. View: its
  /// `ViewKind`.
  ops::OpId op = 0;
  /// Input: position in `Graph::inputs`. Parameter: in `Graph::parameters`.
  /// Reduce, Scan: in `Graph::axisSets`.
  std::uint32_t input = 0;
  /// Constant: the bits of the element. View: how many groups there are. Scan:
  /// the type computed in. Reduce, Fold: that too, from the eighth bit on how
  /// many elements do not count in the result, and `Exact`.
  std::uint64_t bits = 0;
  /// Call, Convert, Reduce, Scan, Fold, View: the arguments; each stands
  /// earlier. The first one of a view is the tensor beside it, whose shape
  /// alone counts, the third one the classes of its rows.
  std::array<ValueId, ops::MaxArity> args = {};
  /// The same value, by bits: -0 and 0 differ, NaN is itself.
  friend bool operator==(const Value &, const Value &) = default;
  /// Reduce: the type computed in, or of what is exact the type rounded to, and
  /// how many elements do not count.
  DType form() const { return static_cast<DType>(bits & 0xff); }
  std::int64_t uncounted() const {
    return static_cast<std::int64_t>((bits >> 8) & 0xffffffff);
  }
  /// Reduce: an exact sum, or what is made of one; see ops::ExactSums.
  static constexpr std::uint64_t Exact = std::uint64_t{1} << 63;
  /// Whether it needs elements of other places than its own.
  bool goesOverAxes() const {
    return kind == ValueKind::Reduce || kind == ValueKind::Scan ||
           kind == ValueKind::Fold;
  }
  /// Whether there is one for each element of a tensor, whatever it is made of.
  bool isElement() const {
    return kind == ValueKind::Input || kind == ValueKind::View ||
           kind == ValueKind::Scan;
  }
  /// View: whether its elements depend on classes.
  bool isOfClasses() const {
    return kind == ValueKind::View &&
           static_cast<ViewKind>(op) >= ViewKind::AtClass;
  }
  bool isExact() const { return kind == ValueKind::Reduce && (bits & Exact); }
  bool takesNone() const { return ops::allReductions()[op].info.takesNone; }
};

/// An expression as a directed acyclic graph. Equal values are one value, so
/// common sub-expressions are computed once. Values stand in an order in which
/// arguments come first.
struct Graph {
  std::vector<Value> values;
  /// The node of the expression that first needed each value: its position in
  /// `Expression::nodes()`.
  std::vector<std::uint32_t> origins;
  /// The stored values, one an output.
  std::vector<ValueId> outputs;
  /// The operand index (`@N`) behind each input slot, in order of first use.
  std::vector<std::uint32_t> inputs;
  /// The number behind each parameter.
  std::vector<NumberId> parameters;
  NumberGraph numbers;
  std::vector<AxisSet> axisSets;
  /// Whether some call has arguments of different types: then types may depend
  /// on which operands are 0-d.
  bool mixesTypes = false;

  bool hasReductions() const { return !axisSets.empty(); }
  /// The arguments of a call, conversion, reduction, scan, fold or view; none
  /// of another value.
  std::span<const ValueId> args(const Value &value) const;
  /// What a view reads from memory: the value that it sees, and any classes.
  std::span<const ValueId> readBy(const Value &view) const {
    return args(view).subspan(1);
  }
  /// The type that a call or conversion computes in: that of its last
  /// argument. The first may be a condition.
  DType computedType(const Value &call) const {
    return values[args(call).back()].type;
  }
  /// The part of the graph that the values `kept` need; they are its outputs.
  Graph restrictedTo(std::span<const ValueId> kept) const;
  /// The same up to values of which `isInput` is set: these are inputs, whose
  /// operand index is `FirstValue` and their id.
  Graph restrictedTo(std::span<const ValueId> kept,
                     const std::vector<bool> &isInput) const;
  static constexpr std::uint32_t FirstValue = 1u << 31;
  /// Work of one element of a value alone, from its operator's cost.
  ops::Work workOf(const Value &value, Precision precision) const;
  static constexpr std::uint32_t NoRows = ~0u, OfElements = NoRows - 1;
  /// The axes over whose rows a value has an element each, from those of values
  /// before it: of results of reductions that go over the same, and what is
  /// computed from these alone. Else `OfElements`, or `NoRows` of numbers.
  std::uint32_t rowsOf(const Value &value,
                       std::span<const std::uint32_t> rows) const;
  /// Work of one element, from the operators' costs; none of what is computed
  /// once a row.
  ops::Work work(Precision precision) const;
  /// `@0`, or `r4` of what another sweep made of value 4.
  std::string nameOfInput(std::size_t slot) const;
  /// A value without its arguments: `@0`, `2.5`, `mul`, `f32` of a conversion.
  std::string nameOf(const Value &value) const;
  /// One line a value, `%3 = mul f32 %0, %1`; stable from run to run.
  std::string str() const;
};

/// A reduction to be added to a graph.
struct ReductionOf {
  ops::ReductionId reduction;
  DType form;
  ValueId elements;
  /// How many elements do not count, as a variance's correction.
  std::uint32_t uncounted = 0;
  bool isExact = false;
  bool isScan = false; ///< Of the elements up to each, instead of all.
};

/// Makes a graph value by value, merging equal ones.
class GraphBuilder {
public:
  /// Sets the node of the expression that further values originate from.
  void setOrigin(std::uint32_t node) { origin = node; }
  ValueId input(std::uint32_t operand, DType type);
  /// A number as an element of `type`, given at run time or compiled into the
  /// code. Numbers that are not literals are always parameters.
  ValueId parameter(NumberId number, DType type);
  ValueId constant(NumberId number, DType type);
  /// The value as one of `type`. Conversions to the same type, and back after
  /// an exact conversion, are folded.
  ValueId convert(ValueId value, DType type);
  /// The type of the result is that of the arguments, or Bool.
  ValueId call(ops::OpId op, std::span<const ValueId> args);
  /// The result has the type of the elements, which is that of the form's.
  ValueId reduce(const ReductionOf &reduction, const AxisSet &axes);
  /// `value` beside a tensor of channels in so many groups.
  ValueId view(ViewKind kind, ValueId value, ValueId beside,
               std::uint64_t groups);
  /// `value` at the classes of rows of a tensor, or whether there are these.
  ValueId atClasses(ViewKind kind, ValueId value, ValueId beside,
                    ValueId classes);
  /// Elements of `value` at the classes of rows along its second axis: computed
  /// from such elements, if that is not much to compute.
  ValueId elementsAt(ValueId classes, ValueId value);
  const Value &operator[](ValueId id) const { return graph.values[id]; }
  NumberGraph &numbers() { return graph.numbers; }
  void noteMixedTypes() { graph.mixesTypes = true; }

  /// The graph of these outputs, without dead values.
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
  /// Positions in `Graph::inputs`, by operand.
  std::unordered_map<std::uint32_t, std::uint32_t> inputSlots;
  /// Positions in `Graph::parameters`, of literals (true) by their bits and of
  /// other numbers (false) by NumberId.
  std::map<std::tuple<bool, std::uint64_t, DType>, std::uint32_t>
      parameterSlots;
};

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_GRAPH_H
