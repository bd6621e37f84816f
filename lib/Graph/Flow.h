//===- Graph/Flow.h - Values and operators of a network -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_FLOW_H
#define KEXPR_GRAPH_FLOW_H

#include "Graph/Lowering.h"
#include "kexpr/PnnxGraph.h"

#include <string>
#include <vector>

namespace kexpr::graph {

/// Position in `Flow::values`: the operands of the model, then others.
using ValueId = std::uint32_t;

/// One result of an elementwise operator: a node of its expression.
struct Formula {
  Formula(Expression expression, std::uint32_t root);

  Expression expression; ///< Over the operator's inputs.
  std::uint32_t root;
  /// The nodes whose values the root needs, ascending. Arguments of `size` are
  /// left out: a size becomes a number once shapes are known.
  std::vector<std::uint32_t> nodes;
};

inline bool isSize(const Node &node) {
  return node.kind == NodeKind::Call && node.name == "size";
}

/// An operator that computes: elementwise ones have formulas, others a layer.
struct FlowNode {
  const PnnxOperator *op = nullptr;
  std::vector<ValueId> inputs;   ///< `@k`, or the layer's inputs in order.
  std::vector<ValueId> outputs;  ///< As in the model.
  std::vector<Formula> formulas; ///< One for each output.
  /// The input whose element type the outputs are cast to.
  std::optional<ValueId> typeFrom;
  std::int64_t groups = 0; ///< See `Lowered`.
  std::unique_ptr<Layer> layer;
};

struct FlowValue {
  std::string name;
  const TensorView *constant = nullptr; ///< Of the model or a `ChannelData`.
  bool isTuple = false; ///< Whether it only names a list of other values.
  /// Of a channel constant, which is seen as (C,1,1...): the value that has
  /// the rank to fill.
  bool isPerChannel = false;
  ValueId rankOf = 0;
};

/// The data flow of a network, independent of shapes. Aliases, values that are
/// other values under a second name, are gone: `resolve` looks through them.
struct Flow {
  PnnxModel model;
  std::vector<FlowValue> values;
  std::vector<ValueId>
      sources; ///< By value: itself, or what it is an alias of.
  std::vector<std::shared_ptr<const ChannelData>> channels; ///< Kept alive.
  std::vector<FlowNode> nodes;                              ///< In order.
  std::vector<GraphPort> inputs, outputs;
  std::vector<ValueId> inputValues, outputValues;

  explicit Flow(const PnnxModel &model) : model(model) {}
  ValueId resolve(ValueId value) const { return sources[value]; }
  const std::string &nameOf(ValueId value) const { return values[value].name; }
};

/// The flow of a network. Errors: see `PnnxGraph::create`.
Expected<Flow> makeFlow(const PnnxModel &model, const LayerRegistry &registry,
                        const std::vector<std::string> &extraOutputs);

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_FLOW_H
