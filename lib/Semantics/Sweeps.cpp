//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Sweeps.h"

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::semantics;

namespace {
/// Values that one loop computes have one key: what they are computed from
/// says which elements there are.
struct SweepKey {
  bool isStore;
  unsigned stage; ///< Reductions that come one after the other before it.
  std::uint32_t axisSet;
  std::vector<ValueId> leaves; ///< Inputs and reductions, ascending.
  auto operator<=>(const SweepKey &) const = default;
};

class SweepBuilder {
public:
  explicit SweepBuilder(const Plan &plan) : whole(plan), graph(plan.graph) {}
  std::vector<Sweep> run();

private:
  void findStages();
  std::vector<ValueId> leavesOf(ValueId root) const;
  Sweep make(const SweepKey &key, const std::vector<std::uint32_t> &targets);

  const Plan &whole;
  const Graph &graph;
  std::vector<unsigned> stages;
  std::vector<bool> isReduction;
};
} // namespace

void SweepBuilder::findStages() {
  for (const Value &value : graph.values) {
    unsigned stage = 0;
    for (ValueId arg : graph.args(value))
      stage = std::max(stage, stages[arg]);
    const bool reduces = value.kind == ValueKind::Reduce;
    stages.push_back(stage + reduces);
    isReduction.push_back(reduces);
  }
}

std::vector<ValueId> SweepBuilder::leavesOf(ValueId root) const {
  std::vector<ValueId> leaves, open = {root};
  std::vector<bool> isSeen(graph.values.size());
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (isSeen[id])
      continue;
    isSeen[id] = true;
    const Value &value = graph.values[id];
    if (value.kind == ValueKind::Input || isReduction[id]) {
      leaves.push_back(id);
      continue;
    }
    const auto args = graph.args(value);
    open.insert(open.end(), args.begin(), args.end());
  }
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

Sweep SweepBuilder::make(const SweepKey &key,
                         const std::vector<std::uint32_t> &targets) {
  std::vector<ValueId> roots;
  for (std::uint32_t target : targets)
    roots.push_back(key.isStore ? graph.outputs[target]
                                : graph.values[target].args[0]);
  Sweep sweep{.plan = {.graph = graph.restrictedTo(roots, isReduction),
                       .inputs = {},
                       .outputs = {},
                       .precision = whole.precision,
                       .source = whole.source},
              .axisSet = std::nullopt,
              .targets = targets,
              .elements = roots[0]};
  sweep.plan.setContiguous();
  if (key.isStore)
    return sweep;
  sweep.axisSet = key.axisSet;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Value &value = graph.values[targets[i]];
    Access &access = sweep.plan.outputs[i];
    access.pattern = AccessPattern::Constant;
    access.reducing = {value.op, value.form()};
  }
  return sweep;
}

std::vector<Sweep> SweepBuilder::run() {
  findStages();
  std::map<SweepKey, std::vector<std::uint32_t>> targets;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    if (isReduction[id])
      targets[{false, stages[id], value.input, leavesOf(value.args[0])}]
          .push_back(id);
  }
  for (std::uint32_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    // The leaves of a reduction's value are what it was reduced from.
    targets[{true, stages[id], 0,
             isReduction[id] ? std::vector{id} : leavesOf(id)}]
        .push_back(i);
  }
  std::vector<Sweep> sweeps;
  for (const auto &[key, each] : targets)
    sweeps.push_back(make(key, each));
  return sweeps;
}

std::vector<Sweep> semantics::sweepsOf(const Plan &plan) {
  return SweepBuilder(plan).run();
}
