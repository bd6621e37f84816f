//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Demands.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// Finds the operands behind a value.
class Sources {
public:
  explicit Sources(const semantics::Graph &graph)
      : graph(graph), visitor(graph.values.size()) {}

  /// Ascending.
  std::vector<std::uint32_t> of(semantics::ValueId output) {
    std::vector<std::uint32_t> found;
    std::vector<semantics::ValueId> open = {output};
    ++visit;
    while (!open.empty()) {
      const semantics::ValueId id = open.back();
      open.pop_back();
      if (std::exchange(visitor[id], visit) == visit)
        continue;
      const semantics::Value &value = graph.values[id];
      if (value.kind == semantics::ValueKind::Input)
        found.push_back(graph.inputs[value.input]);
      const auto args = graph.args(value);
      open.insert(open.end(), args.begin(), args.end());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  const semantics::Graph &graph;
  std::vector<std::size_t> visitor; ///< The last visit to each value.
  std::size_t visit = 0;
};
} // namespace

Demands::Demands(const semantics::Plan &plan) {
  const semantics::Graph &graph = plan.graph;
  std::map<std::uint32_t, DType> found;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    found[graph.inputs[i]] = plan.inputs[i].type;
  for (const auto &[operand, type] : found) {
    operands.push_back(operand);
    types.push_back(type);
  }
  for (std::size_t i = 0; i < graph.numbers.size(); ++i) {
    const auto &number = graph.numbers[static_cast<semantics::NumberId>(i)];
    if (number.kind == semantics::NumberNode::Kind::Size &&
        !found.count(number.operand))
      shapes.push_back(number.operand);
  }
  Sources search(graph);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    outputs.push_back(plan.outputs[i].type);
    sources.push_back(search.of(graph.outputs[i]));
    isUniform &= sources[i] == sources[0];
  }
}
