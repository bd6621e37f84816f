//===- kexpr/PnnxGraph.h - Runs a PNNX network ------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNXGRAPH_H
#define KEXPR_PNNXGRAPH_H

#include "kexpr/Engine.h"
#include "kexpr/LayerRegistry.h"
#include "kexpr/PnnxModel.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr {
namespace graph {
class GraphImpl;
}

inline namespace v2 {

struct GraphOptions {
  Mode mode = Mode::Optimized;
  Precision precision = Precision::Default;
  /// Whether operators merge into kernels. Results have the same
  /// bits either way.
  bool fuse = true;
  /// Whether values that are no longer needed give their memory to later ones.
  bool reuseMemory = true;
  /// Operands (by name) whose values can be had after a run like those of
  /// `pnnx.Output` operators.
  std::vector<std::string> extraOutputs = {};
  /// Whether planning makes the loops that calls need for these shapes; else
  /// the first run makes those that are not contiguous.
  bool prepare = false;
};

/// A tensor for the graph's input or output of that name.
struct NamedTensor {
  std::string_view name;
  TensorView tensor;
};

/// An input or output of a graph, and what the file says of it.
struct GraphPort {
  std::string name;
  std::optional<DType> type;
  std::optional<Shape> shape; ///< -1 is an unknown extent.
};

/// One step of a run: a kernel over a region of operators, or a layer of the
/// host.
struct GraphStep {
  /// Names of the operators computed, producers first. One that several steps
  /// compute, as it is cheaper than keeping its value, is in each of them.
  std::vector<std::string> operators;
  std::vector<std::string> types; ///< Of each operator.
  std::string expression;         ///< Of the kernel; empty for a layer.
  std::vector<std::string> inputs, outputs; ///< Names of operands.
  std::int64_t elements = 0;                ///< Of all outputs.
  std::size_t bytes = 0;                    ///< Of inputs and outputs.
  std::chrono::nanoseconds time{};          ///< Of `profile` only.
};

/// Memory of intermediate values, for the shapes of the last run.
struct GraphMemory {
  std::size_t values = 0; ///< Bytes of all intermediate values together.
  std::size_t arena = 0;  ///< Bytes they lie in.
};

/// A network ready to run. A graph is used by one thread at a time; for several
/// threads make several from one model and engine, which share the constants
/// and the kernels. It holds both, but not the registry. Movable.
class KEXPR_API PnnxGraph {
public:
  /// Checks that every operator is the graph's own (`pnnx.Input`, `.Output`,
  /// `.Attribute`, `prim::TupleConstruct`) or has its type in the registry; one
  /// error lists all that have not. Where the file says all shapes, kernels are
  /// compiled here, else in the first run. Errors: UnknownOperator,
  /// InvalidArgument, OutOfMemory, and those of `Engine::compile` and of
  /// layers, with operator, type and line in front.
  static Expected<PnnxGraph> create(const Engine &engine,
                                    const PnnxModel &model,
                                    const LayerRegistry &registry,
                                    const GraphOptions &options = {});

  PnnxGraph(PnnxGraph &&) noexcept;
  PnnxGraph &operator=(PnnxGraph &&) noexcept;
  ~PnnxGraph();

  /// The `pnnx.Input` operators, then what `run` can give: the `pnnx.Output`
  /// operators and the extra outputs. Element 1 of a tuple or list of tensors
  /// that goes to output `out` is output `out.1`.
  Span<const GraphPort> inputs() const;
  Span<const GraphPort> outputs() const;

  /// Runs every layer once, on inputs of any shapes that fit what the file
  /// says; shapes not met lately are planned first. All inputs must be given,
  /// each once. Outputs may be given, and then share no memory with inputs or
  /// each other. Other outputs the graph keeps in memory of its own, apart from
  /// all tensors of the call. Errors: InvalidArgument for names and numbers,
  /// MissingOperand, TypeMismatch, ShapeMismatch, OverlappingOutput, those of
  /// planning (see `create`), and those of kernels and layers. A call that is
  /// refused for its arguments, or fails in planning, has written nothing; one
  /// in which a step fails may have written outputs.
  Status run(Span<const NamedTensor> inputs,
             Span<const NamedTensor> outputs = {},
             const RunOptions &options = {});

  /// Runs as `run` does, and returns the steps with the time of each.
  Expected<std::vector<GraphStep>> profile(Span<const NamedTensor> inputs,
                                           Span<const NamedTensor> outputs = {},
                                           const RunOptions &options = {});

  /// An output of the last run that was not refused for its arguments: the
  /// host's tensor, or memory of the graph. The latter may be given to later
  /// runs, whole or in part, as any input or output, and is valid until a run
  /// that it is not given to. The graph keeps memory for as many such tensors
  /// as were given at once. An output that is a constant of the model is the
  /// model's memory: valid as long as that, and not to be written. Errors:
  /// InvalidArgument for another name, and where the last run failed or there
  /// was none.
  Expected<TensorView> output(std::string_view name) const;

  /// What a run does, for the shapes of the last run, or those of the file;
  /// empty where neither is known, or memory runs out.
  std::vector<GraphStep> steps() const;
  GraphMemory memory() const;

private:
  explicit PnnxGraph(std::unique_ptr<graph::GraphImpl> graph);
  std::unique_ptr<graph::GraphImpl> impl;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_PNNXGRAPH_H
