//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiOptions.h"
#include "Api/CApiTensors.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::capi;

static std::vector<kexpr_port> portsOf(Span<const GraphPort> given) {
  std::vector<kexpr_port> ports;
  for (const GraphPort &port : given) {
    const Shape *shape = port.shape ? &*port.shape : nullptr;
    ports.push_back({port.name.c_str(),
                     port.type ? static_cast<kexpr_dtype>(*port.type) : 0,
                     shape ? static_cast<std::uint32_t>(shape->rank()) : 0,
                     shape ? shape->begin() : nullptr});
  }
  return ports;
}

struct kexpr_graph {
  explicit kexpr_graph(PnnxGraph made)
      : graph(std::move(made)), inputs(portsOf(graph.inputs())),
        outputs(portsOf(graph.outputs())), values(outputs.size()) {}

  PnnxGraph graph;
  std::vector<kexpr_port> inputs, outputs;
  std::vector<TensorView> values; ///< By output, for shapes that C points to.
};

kexpr_code kexpr_graph_create(const kexpr_engine *engine,
                              const kexpr_model *model,
                              const kexpr_registry *registry,
                              const kexpr_graph_options *options,
                              kexpr_graph **graph, kexpr_error **error) {
  return make(graph, error, [&]() -> Expected<PnnxGraph> {
    if (!engine || !model)
      return isNull(engine ? "the model" : "the engine");
    if (!registry)
      return isNull("the registry");
    auto read = optionsOf(options);
    if (!read)
      return read.error();
    return PnnxGraph::create(engine->engine, model->model, registry->registry,
                             *read);
  });
}

void kexpr_graph_free(kexpr_graph *graph) { delete graph; }

size_t kexpr_graph_input_count(const kexpr_graph *graph) {
  return graph ? graph->inputs.size() : 0;
}

size_t kexpr_graph_output_count(const kexpr_graph *graph) {
  return graph ? graph->outputs.size() : 0;
}

const kexpr_port *kexpr_graph_input(const kexpr_graph *graph, size_t index) {
  return index < kexpr_graph_input_count(graph) ? &graph->inputs[index]
                                                : nullptr;
}

const kexpr_port *kexpr_graph_output(const kexpr_graph *graph, size_t index) {
  return index < kexpr_graph_output_count(graph) ? &graph->outputs[index]
                                                 : nullptr;
}

/// The named tensors of C as those of C++.
static Expected<std::vector<NamedTensor>>
namedTensors(const kexpr_named_tensor *given, std::size_t count,
             const char *what) {
  if (!given && count > 0)
    return Error(ErrorCode::InvalidArgument,
                 concat(count, ' ', what, "s at a null pointer"));
  std::vector<kexpr_tensor> plain(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!given[i].name)
      return isNull(concat("the name of ", what, ' ', i).c_str());
    plain[i] = given[i].tensor;
  }
  Tensors tensors;
  if (auto status = tensors.read(plain.data(), count, what); !status)
    return status.error();
  std::vector<NamedTensor> named(count);
  for (std::size_t i = 0; i < count; ++i)
    named[i] = {given[i].name, tensors.views()[i]};
  return named;
}

namespace {
/// What a run is given.
struct GraphArguments {
  const kexpr_named_tensor *inputs;
  std::size_t inputCount;
  const kexpr_named_tensor *outputs;
  std::size_t outputCount;
  const kexpr_run_options *options;
};
} // namespace

/// Does `work`, which returns a `Result`, with a graph and the arguments of a
/// run as C++ has them.
template <class Result, class F>
static Result runWith(kexpr_graph *graph, const GraphArguments &given, F work) {
  if (!graph)
    return isNull("the graph");
  auto inputs = namedTensors(given.inputs, given.inputCount, "input");
  if (!inputs)
    return inputs.error();
  auto outputs = namedTensors(given.outputs, given.outputCount, "output");
  if (!outputs)
    return outputs.error();
  auto options = optionsOf(given.options);
  if (!options)
    return options.error();
  return work(*inputs, *outputs, *options);
}

kexpr_code kexpr_graph_run(kexpr_graph *graph, const kexpr_named_tensor *inputs,
                           size_t input_count,
                           const kexpr_named_tensor *outputs,
                           size_t output_count,
                           const kexpr_run_options *options,
                           kexpr_error **error) {
  return attempt(error, [&] {
    return runWith<Status>(
        graph, {inputs, input_count, outputs, output_count, options},
        [&](auto &in, auto &out, const RunOptions &run) {
          return graph->graph.run(in, out, run);
        });
  });
}

kexpr_code
kexpr_graph_profile(kexpr_graph *graph, const kexpr_named_tensor *inputs,
                    size_t input_count, const kexpr_named_tensor *outputs,
                    size_t output_count, const kexpr_run_options *options,
                    kexpr_steps **steps, kexpr_error **error) {
  return make(steps, error, [&] {
    return runWith<Expected<std::vector<GraphStep>>>(
        graph, {inputs, input_count, outputs, output_count, options},
        [&](auto &in, auto &out, const RunOptions &run) {
          return graph->graph.profile(in, out, run);
        });
  });
}

kexpr_code kexpr_graph_steps(const kexpr_graph *graph, kexpr_steps **steps,
                             kexpr_error **error) {
  return make(steps, error, [&]() -> Expected<std::vector<GraphStep>> {
    if (!graph)
      return isNull("the graph");
    return graph->graph.steps();
  });
}

kexpr_code kexpr_graph_value(kexpr_graph *graph, const char *output,
                             kexpr_tensor *tensor, kexpr_error **error) {
  if (tensor)
    *tensor = {};
  return attempt(error, [&]() -> Status {
    if (!graph || !output)
      return isNull(graph ? "the name" : "the graph");
    if (!tensor)
      return isNull("the place for the tensor");
    auto view = graph->graph.output(output);
    if (!view)
      return view.error();
    const auto port = std::find_if(graph->outputs.begin(), graph->outputs.end(),
                                   [&](const kexpr_port &p) {
                                     return std::string_view(p.name) == output;
                                   });
    TensorView &kept = graph->values[port - graph->outputs.begin()];
    kept = *view;
    *tensor = tensorOf(kept);
    return {};
  });
}

void kexpr_graph_memory(const kexpr_graph *graph, size_t *values,
                        size_t *arena) {
  const GraphMemory memory = graph ? graph->graph.memory() : GraphMemory();
  if (values)
    *values = memory.values;
  if (arena)
    *arena = memory.arena;
}
