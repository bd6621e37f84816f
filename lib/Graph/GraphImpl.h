//===- Graph/GraphImpl.h - What a graph holds and does --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_GRAPHIMPL_H
#define KEXPR_GRAPH_GRAPHIMPL_H

#include "Graph/Plan.h"

namespace kexpr::graph {

/// The tensors of one run, by port; outputs that the host did not give are
/// empty.
struct Tensors {
  std::vector<TensorView> inputs, outputs;
};

/// Finds each named tensor's port and checks it against what the file says;
/// all inputs must be there. Errors: see `PnnxGraph::run`.
Expected<Tensors> matchTensors(const Flow &flow, Span<const NamedTensor> inputs,
                               Span<const NamedTensor> outputs);
/// Whether the given outputs have the types that a plan says, and share no
/// memory with inputs or each other.
Status checkOutputs(const Flow &flow, const Plan &plan, const Tensors &tensors);
/// Whether any of the tensors has memory of that arena.
bool areIn(const Arena &arena, const Tensors &tensors);

class GraphImpl {
public:
  GraphImpl(const Engine &engine, Flow flow, const GraphOptions &options)
      : engine(engine), flow(std::move(flow)), options(options) {}

  /// Plans for the shapes the file says, if it says all of them.
  Status planDeclared();
  /// A step's time goes to `times`, if that is there.
  Status run(Span<const NamedTensor> inputs, Span<const NamedTensor> outputs,
             const RunOptions &run, std::vector<GraphStep> *times);
  Expected<TensorView> output(std::string_view name) const;

  const Flow &network() const { return flow; }
  const Plan *plan() const { return plans.empty() ? nullptr : &plans.front(); }

private:
  Status makeCurrent(const std::vector<TensorView> &inputs);
  Status bindPlan();
  Status bindTensors(const Tensors &tensors);
  Status runStep(const Step &step, const RunOptions &run);
  Expected<TensorView> ownMemory(std::size_t output, const Tensors &tensors);
  Status keepNumber(std::size_t output, const Tensors &tensors);
  Status copyOutput(std::size_t output, const RunOptions &run);
  Status copyOutputs(const Tensors &tensors, const RunOptions &run);

  Engine engine;
  Flow flow;
  GraphOptions options;
  std::vector<Plan> plans; ///< The last used first.
  Arena arena;
  /// By output: memory of the graph's own. More than one where the host hands
  /// back what an earlier run computed.
  std::vector<std::vector<Arena>> kept;
  bool isBound = false;          ///< Whether `views` are the first plan's.
  std::vector<TensorView> views; ///< By value, in this run.
  std::vector<TensorView> stepInputs, stepOutputs; ///< Of the current step.
  std::vector<TensorView> results;                 ///< By output, if `isDone`.
  bool isDone = false; ///< Whether the last run was.
};

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_GRAPHIMPL_H
