//===- Graph/FlowBuilder.h - From a model to a flow -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_FLOWBUILDER_H
#define KEXPR_GRAPH_FLOWBUILDER_H

#include "Graph/Flow.h"

#include <map>
#include <set>

namespace kexpr::graph {

/// Makes a flow, operator by operator.
class FlowBuilder {
public:
  FlowBuilder(const PnnxModel &model, const LayerRegistry &registry)
      : flow(model), model(model), registry(registry) {}

  Status checkTypes() const;
  Status addOperators();
  Status addExtraOutputs(const std::vector<std::string> &names);

  Flow flow;

private:
  /// A tuple may hold tuples that hold tuples, each twice.
  static constexpr std::size_t MostElements = 1 << 16;

  Status addOperator(const PnnxOperator &op);
  Status addInput(const PnnxOperator &op);
  Status addOutput(const PnnxOperator &op);
  Status addTuple(const PnnxOperator &op);
  Status addAttribute(const PnnxOperator &op);
  Status addElementwise(const PnnxOperator &op);
  Status addLayer(const PnnxOperator &op);
  static Status checkNumbers(const PnnxOperator &op, std::size_t inputs,
                             std::size_t outputs);
  GraphPort portOf(const std::string &name, ValueId value) const;
  void addOutputs(const std::string &name, ValueId value);
  ValueId addChannels(std::shared_ptr<const ChannelData> data, ValueId rankOf);
  ValueId addValue(FlowValue value);
  std::vector<ValueId> outputsFor(const PnnxOperator &op, std::size_t count);
  bool isNumeric(const Formula &formula,
                 const std::vector<ValueId> &inputs) const;
  Expected<std::vector<Formula>>
  formulasOf(const PnnxOperator &op, const Expression &expression,
             const std::vector<ValueId> &inputs) const;
  void takeNames(FlowNode &node);

  const PnnxModel &model;
  const LayerRegistry &registry;
  Texts texts;
  std::map<ValueId, std::vector<ValueId>> tuples;
  std::set<ValueId> numbers; ///< Values that are Python values.
};

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_FLOWBUILDER_H
