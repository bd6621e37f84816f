//===- Graph/Plan.h - A network ready for inputs of given shapes ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_PLAN_H
#define KEXPR_GRAPH_PLAN_H

#include "Graph/Memory.h"
#include "Graph/Regions.h"

namespace kexpr::graph {

/// A kernel or a layer, and the values that are its tensors.
struct Step {
  const PnnxOperator *op = nullptr; ///< The first one.
  std::optional<Kernel> kernel;
  Layer *layer = nullptr; ///< Instead of a kernel.
  std::vector<ValueId> inputs, outputs;
  GraphStep report;
};

/// A value and the offset of its elements in the arena.
struct Slot {
  ValueId value;
  std::size_t offset;
};

struct Plan {
  std::vector<TensorType> inputs;
  Draft draft;
  std::vector<Step> steps;
  std::vector<Slot> slots; ///< Computed values that are no outputs.
  /// Outputs that are no inputs or constants, each once.
  std::vector<ValueId> computedOutputs;
  GraphMemory memory;

  const TensorType &typeOf(ValueId value) const {
    return draft.facts[value].tensor;
  }
  std::size_t bytesOf(ValueId value) const {
    return static_cast<std::size_t>(typeOf(value).shape.elementCount()) *
           sizeOf(typeOf(value).type);
  }
};

/// Merges, compiles and lays out a network for inputs of these types. Errors:
/// see `PnnxGraph::create`.
Expected<Plan> makePlan(const Flow &flow, const Engine &engine,
                        const GraphOptions &options,
                        std::vector<TensorType> inputs);

/// Fills `slots`, `computedOutputs` and `memory` of a plan that has its steps.
/// Errors: those of `layOut`.
Status planMemory(const Flow &flow, Plan &plan, bool reuse);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_PLAN_H
