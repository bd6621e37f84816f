//===- Graph/TypedFlow.h - A network with types and shapes ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_TYPEDFLOW_H
#define KEXPR_GRAPH_TYPEDFLOW_H

#include "Graph/Flow.h"
#include "kexpr/Regions.h"
#include "kexpr/Scalar.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace kexpr::graph {

/// The type of a value: a tensor's, or a Python value (a number or a list of
/// them), which elementwise operators take as a literal and layers as the
/// tensor that `tensor` describes.
struct ValueType {
  TensorType tensor;
  std::optional<Scalar> number;
  bool isTensorNeeded = false; ///< Whether a layer or output takes the number.
};

/// Position in `TypedFlow::units`, and in `RegionGraph::units`.
using UnitId = std::uint32_t;

/// Operators that are always computed together: one result of an elementwise
/// operator, or all results of a layer.
struct Unit {
  const FlowNode *node = nullptr;
  const Formula *formula = nullptr; ///< Null for a layer.
  /// The value of each `size` in the formula, by node.
  std::map<std::uint32_t, Scalar> sizes;
  std::optional<DType> castTo;
  std::vector<ValueId>
      inputs; ///< Of a layer as listed; else tensors, each once.
  Span<const ValueId> outputs; ///< One if elementwise; of the flow node.
  unsigned operations = 0;     ///< Of one element.
  /// Values of its graph; no fewer than nodes of the formula.
  std::size_t values = 0;
  std::optional<RegionRows> rows; ///< Of the first reduction, if it has any.

  /// Whether it can be part of a kernel.
  bool isElementwise() const { return formula; }
};

/// The bytes of Python values that layers or outputs take as tensors.
struct NumberTensor {
  ValueId value;
  std::vector<std::int64_t> bytes;
};

/// A flow for given input shapes: the type of each value and what computes it.
struct TypedFlow {
  std::vector<ValueType> values; ///< By `ValueId`.
  std::vector<Unit> units;       ///< Producers first.
  std::vector<NumberTensor> numbers;

  const TensorType &typeOf(ValueId value) const { return values[value].tensor; }
};

/// Infers types and shapes of all values from those of the graph's inputs, and
/// checks them against the file. Errors: see `PnnxGraph::create`.
Expected<TypedFlow> inferTypes(const Flow &flow, Span<const TensorType> inputs,
                               Precision precision);

/// Whether `shape` matches `declared`, the shape in the file, where -1 is any
/// extent.
bool fits(const Shape &shape, const Shape &declared);

/// A tensor whose channels are seen as groups of channels, where `rank` is that
/// of the tensors which have all axes; as it is if it has none or one channel.
/// None if they are no whole groups.
std::optional<TensorView> inGroups(const TensorView &view, std::size_t rank,
                                   std::int64_t groups);

/// The expression of some elementwise units, producers first, and the value of
/// each of its operands.
struct FusedExpression {
  Expression expression;
  std::vector<ValueId> operands;
};
/// Errors: those of `ExpressionBuilder`, and those of `semantics::check` about
/// parts of a formula that no element is computed from.
Expected<FusedExpression> fuse(const TypedFlow &typed,
                               Span<const Unit *const> units,
                               Span<const ValueId> outputs);

/// A key of all that `fuse` and `optionsFor` depend on: networks repeat few
/// kernels many times.
struct FusionKey {
  std::string bytes;
  std::vector<ValueId> operands; ///< Those of `FusedExpression`.

  /// Replaces the key. False where units hold numbers, which rarely repeat:
  /// they have no key.
  bool assign(const TypedFlow &typed, Span<const Unit *const> units,
              Span<const ValueId> outputs);

private:
  std::vector<ValueId> seen; ///< Operands, and results of units.
};

/// What is made of units once for all of one structure.
template <class T> class ByStructure {
public:
  /// That of these units, by `make`, an Expected, if their structure is new.
  /// Good until the next call.
  template <class F>
  Expected<const T *> findOrMake(const TypedFlow &typed,
                                 Span<const Unit *const> units,
                                 Span<const ValueId> outputs, F make) {
    const bool hasKey = key.assign(typed, units, outputs);
    auto found = hasKey ? known.find(key.bytes) : known.end();
    if (found == known.end()) {
      auto made = make();
      if (!made)
        return made.error();
      found = known
                  .insert_or_assign(hasKey ? key.bytes : std::string(),
                                    std::move(*made))
                  .first;
    }
    return &found->second;
  }
  /// The operands of those units, if they have a key.
  const std::vector<ValueId> &operands() const { return key.operands; }

private:
  FusionKey key;
  std::map<std::string, T, std::less<>> known;
};

/// The options of the kernel with these operands.
CompileOptions optionsFor(const TypedFlow &typed, Span<const ValueId> operands,
                          Mode mode, Precision precision);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_TYPEDFLOW_H
