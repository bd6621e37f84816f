//===- Graph/ExecutionPlan.h - The steps of a network ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_EXECUTIONPLAN_H
#define KEXPR_GRAPH_EXECUTIONPLAN_H

#include "Graph/Memory.h"
#include "Graph/TypedFlow.h"

namespace kexpr::graph {

/// A kernel or a layer, and the values that are its tensors.
struct Step {
  const PnnxOperator *op = nullptr; ///< The first operator.
  std::optional<Kernel> kernel;
  std::optional<Expression> expression; ///< Of the kernel, as it was fused.
  Layer *layer = nullptr;               ///< Instead of a kernel.
  std::vector<UnitId> units;            ///< Those of its region.
  std::int64_t groups = 0;              ///< See `Lowered::groups`.
  std::vector<ValueId> inputs, outputs;
};

/// The steps for inputs of some types, and the memory of their values.
struct ExecutionPlan {
  /// A value and the offset of its elements in the arena.
  struct ArenaValue {
    ValueId value;
    std::size_t offset;
  };

  std::vector<TensorType> inputs;
  TypedFlow typed;
  std::vector<Step> steps;
  std::vector<ArenaValue> arenaValues; ///< Computed values, but for outputs.
  /// Outputs that a step computes, each once.
  std::vector<ValueId> computedOutputs;
  GraphMemory memory;

  std::size_t bytesOf(ValueId value) const {
    const TensorType &type = typed.typeOf(value);
    return static_cast<std::size_t>(type.shape.elementCount()) *
           sizeOf(type.type);
  }
  /// Describes a step to the host.
  GraphStep report(const Flow &flow, const Step &step) const;
};

/// Merges, compiles and lays out a network for inputs of these types. Errors:
/// see `PnnxGraph::create`.
Expected<ExecutionPlan> makePlan(const Flow &flow, const Engine &engine,
                                 const GraphOptions &options,
                                 std::vector<TensorType> inputs);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_EXECUTIONPLAN_H
