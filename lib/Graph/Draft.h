//===- Graph/Draft.h - A network for known shapes -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_DRAFT_H
#define KEXPR_GRAPH_DRAFT_H

#include "Graph/Flow.h"
#include "kexpr/Scalar.h"

#include <map>
#include <optional>

namespace kexpr::graph {

/// What is known of a value: a tensor's type, or a Python value (a number or a
/// list of them), which elementwise operators take as a literal and layers as
/// the tensor that `tensor` describes.
struct Fact {
  TensorType tensor;
  std::optional<Scalar> number;
  bool isWanted = false; ///< Whether a layer or output takes the number.
};

/// What is computed together in any case: one result of an elementwise
/// operator, or all of a layer.
struct Unit {
  const FlowNode *node = nullptr;
  const Formula *formula = nullptr; ///< Null for a layer.
  /// What calls of `size` in the formula come to, by node.
  std::map<std::uint32_t, Scalar> sizes;
  std::optional<DType> castTo;
  std::vector<ValueId> inputs;  ///< Of a layer as listed, else each once.
  std::vector<ValueId> outputs; ///< One if elementwise.
  unsigned operations = 0;      ///< Of one element.
  /// Of its graph; no fewer than nodes of the formula.
  std::size_t values = 0;

  bool isElementwise() const { return formula; }
};

/// The bytes of Python values that layers or outputs want as tensors.
struct NumberTensor {
  ValueId value;
  std::vector<std::int64_t> bytes;
};

struct Draft {
  std::vector<Fact> facts; ///< By value.
  std::vector<Unit> units; ///< Producers first.
  std::vector<NumberTensor> numbers;
};

/// Types and shapes of all values, given those of the graph's inputs, held
/// against what the file says. Errors: see `PnnxGraph::create`.
Expected<Draft> makeDraft(const Flow &flow, Span<const TensorType> inputs,
                          Precision precision);

/// The expression of some elementwise units, producers first, and which value
/// each of its operands is.
struct FusedExpression {
  Expression expression;
  std::vector<ValueId> operands;
};
/// Errors: those of `ExpressionBuilder`, and what `semantics::check` says of
/// what no element is computed from.
Expected<FusedExpression> fuse(const Draft &draft,
                               Span<const Unit *const> units,
                               Span<const ValueId> outputs);
/// The options of its kernel.
CompileOptions optionsFor(const Draft &draft, Span<const ValueId> operands,
                          Mode mode, Precision precision);

/// Whether `shape` is one that the file means by `declared`, where -1 is any
/// extent.
bool fits(const Shape &shape, const Shape &declared);

/// Whether all values are of sizes that can be reckoned with.
Status checkSizes(const Flow &flow, const Draft &draft);

/// Whether all operands are what the file says of them; the error names one
/// that is not.
Status checkDeclared(const Flow &flow, const Draft &draft);

/// The type of a Python value as a tensor, and its elements. Errors:
/// Unsupported for what is no number and no list of numbers.
Expected<TensorType> tensorTypeOf(const Scalar &scalar);
std::vector<std::int64_t> bytesOf(const Scalar &scalar, DType type);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_DRAFT_H
