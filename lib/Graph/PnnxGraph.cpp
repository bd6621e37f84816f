//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/PnnxGraph.h"
#include "Graph/Faults.h"
#include "Graph/GraphImpl.h"

using namespace kexpr;
using namespace kexpr::graph;

PnnxGraph::PnnxGraph(std::unique_ptr<GraphImpl> graph)
    : impl(std::move(graph)) {}
PnnxGraph::PnnxGraph(PnnxGraph &&) noexcept = default;
PnnxGraph &PnnxGraph::operator=(PnnxGraph &&) noexcept = default;
PnnxGraph::~PnnxGraph() = default;

Expected<PnnxGraph> PnnxGraph::create(const Engine &engine,
                                      const PnnxModel &model,
                                      const LayerRegistry &registry,
                                      const GraphOptions &options) {
  return guarded([&]() -> Expected<PnnxGraph> {
    auto flow = makeFlow(model, registry, options.extraOutputs);
    if (!flow)
      return flow.error();
    auto impl = std::make_unique<GraphImpl>(engine, std::move(*flow), options);
    if (Status status = impl->planDeclared(); !status)
      return status.error();
    return PnnxGraph(std::move(impl));
  });
}

Span<const GraphPort> PnnxGraph::inputs() const {
  return impl->network().inputs;
}

Span<const GraphPort> PnnxGraph::outputs() const {
  return impl->network().outputs;
}

Status PnnxGraph::run(Span<const NamedTensor> inputs,
                      Span<const NamedTensor> outputs,
                      const RunOptions &options) {
  return guarded([&] { return impl->run(inputs, outputs, options, nullptr); });
}

Expected<std::vector<GraphStep>>
PnnxGraph::profile(Span<const NamedTensor> inputs,
                   Span<const NamedTensor> outputs, const RunOptions &options) {
  return guarded([&]() -> Expected<std::vector<GraphStep>> {
    std::vector<GraphStep> times;
    if (Status status = impl->run(inputs, outputs, options, &times); !status)
      return status.error();
    return times;
  });
}

Expected<TensorView> PnnxGraph::output(std::string_view name) const {
  return guarded([&] { return impl->output(name); });
}

std::vector<GraphStep> PnnxGraph::steps() const {
  return orEmpty([&] {
    std::vector<GraphStep> steps;
    if (const Plan *plan = impl->plan())
      for (const Step &step : plan->steps)
        steps.push_back(step.report);
    return steps;
  });
}

GraphMemory PnnxGraph::memory() const {
  const Plan *plan = impl->plan();
  return plan ? plan->memory : GraphMemory();
}
