//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Calls.h"

#include "Fuzz/Caller.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::fuzz;

void Caller::makeEngine() {
  make(engines, kexpr_engine_free, [&](auto **engine, kexpr_error **error) {
    return kexpr_engine_create(arguments.engineOptions(), engine, error);
  });
}

void Caller::makeExpression() {
  make(expressions, kexpr_expression_free,
       [&](auto **expression, kexpr_error **error) {
         return kexpr_expression_parse(arguments.text(), arguments.limits(),
                                       expression, error);
       });
}

void Caller::makeKernel() {
  make(kernels, kexpr_kernel_free, [&](auto **kernel, kexpr_error **error) {
    const auto *options = arguments.compileOptions();
    return choices.below(2)
               ? kexpr_engine_compile(any(engines), arguments.text(), options,
                                      kernel, error)
               : kexpr_engine_compile_expression(any(engines), anyExpression(),
                                                 options, kernel, error);
  });
}

void Caller::makeBound() {
  make(bounds, kexpr_bound_free, [&](auto **bound, kexpr_error **error) {
    const kexpr_kernel *kernel = anyKernel();
    std::size_t inputs = kexpr_expression_operand_count(
                    kexpr_kernel_expression(kernel)),
                outputs = 1;
    const kexpr_tensor *in = arguments.tensors(inputs);
    kexpr_tensor out = arguments.tensor();
    return kexpr_kernel_bind(kernel, in, inputs, &out, outputs,
                             arguments.runOptions(), bound, error);
  });
  const kexpr_bound *bound = any(bounds);
  attempt([&](kexpr_error **error) { return kexpr_bound_run(bound, error); });
}

void Caller::makePrepared() {
  make(prepareds, kexpr_prepared_free,
       [&](auto **prepared, kexpr_error **error) {
         const kexpr_kernel *kernel = anyKernel();
         PreparedFor given = {};
         given.inputCount =
             kexpr_expression_operand_count(kexpr_kernel_expression(kernel));
         if (const kexpr_tensor *in = arguments.tensors(given.inputCount))
           std::copy_n(in, given.inputs.size(), given.inputs.begin());
         for (kexpr_tensor &output : given.outputs)
           output = arguments.tensor();
         given.outputCount = choices.below(8) ? 1 : choices.below(3);
         if (prepared)
           places[prepared - prepareds.data()] = given;
         return kexpr_kernel_prepare(kernel, given.inputs.data(),
                                     given.inputCount, given.outputs.data(),
                                     given.outputCount, arguments.runOptions(),
                                     prepared, error);
       });
  runPrepared();
}

void Caller::runPrepared() {
  const std::size_t index = choices.below(std::size(prepareds));
  const PreparedFor &given = places[index];
  std::array<const void *, 8> from;
  std::array<void *, 3> to;
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = arguments.placeFor(given.inputs[i]);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = arguments.placeFor(given.outputs[i]);
  attempt([&](kexpr_error **error) {
    return kexpr_prepared_run(
        prepareds[index], choices.below(32) ? from.data() : nullptr,
        choices.below(16) ? given.inputCount : choices.below(8),
        choices.below(32) ? to.data() : nullptr,
        choices.below(16) ? given.outputCount : choices.below(3), error);
  });
}

void Caller::makeLayer() {
  make(layers, kexpr_layer_free, [&](auto **layer, kexpr_error **error) {
    return kexpr_layer_create(any(engines), arguments.text(), layer, error);
  });
}

void Caller::makeModel() {
  make(models, kexpr_model_free, [&](auto **model, kexpr_error **error) {
    static constexpr char bytes[] = "PK no archive";
    const std::size_t size = choices.below(4) ? 0 : sizeof bytes;
    if (choices.below(32) == 31)
      return kexpr_model_load(arguments.name(), arguments.name(), model, error);
    return kexpr_model_parse(arguments.param(),
                             choices.below(4) ? bytes : nullptr, size, model,
                             error);
  });
}

void Caller::makeRegistry() {
  make(registries, kexpr_registry_free,
       [&](auto **registry, kexpr_error **error) {
         return kexpr_registry_create(choices.below(4) != 0, registry, error);
       });
  addType();
}

void Caller::addType() {
  kexpr_registry *registry = any(registries);
  attempt([&](kexpr_error **error) {
    return kexpr_registry_add_elementwise(registry, arguments.name(), error);
  });
  attempt([&](kexpr_error **error) {
    const char *type = choices.below(4) ? "test.Host" : arguments.name();
    return kexpr_registry_add(registry, type, arguments.layerType(), error);
  });
}

void Caller::makeGraph() {
  make(graphs, kexpr_graph_free, [&](auto **graph, kexpr_error **error) {
    return kexpr_graph_create(any(engines), any(models), any(registries),
                              arguments.graphOptions(), graph, error);
  });
}

/// All that a graph needs.
void Caller::makeNetwork() {
  makeEngine();
  makeModel();
  makeRegistry();
  makeGraph();
  runGraph();
}

void Caller::runKernel() {
  const kexpr_kernel *kernel = anyKernel();
  std::size_t inputs =
      kexpr_expression_operand_count(kexpr_kernel_expression(kernel));
  const kexpr_tensor *in = arguments.tensors(inputs);
  const std::size_t outputs = choices.below(8) ? 1 : choices.below(3);
  const kexpr_tensor out[] = {arguments.tensor(), arguments.tensor(),
                              arguments.tensor()};
  const bool isBatch = choices.below(2) != 0;
  attempt([&](kexpr_error **error) {
    return (isBatch ? kexpr_kernel_run_batch : kexpr_kernel_run)(
        kernel, in, inputs, out, outputs, arguments.runOptions(), error);
  });
  std::int64_t shape[KEXPR_MAX_RANK];
  std::uint32_t rank = 0;
  attempt([&](kexpr_error **error) {
    return kexpr_kernel_output_shape(kernel, in, inputs, choices.below(3),
                                     choices.below(16) ? shape : nullptr,
                                     choices.below(16) ? &rank : nullptr,
                                     error);
  });
}

void Caller::runLayer() {
  const kexpr_layer *layer = any(layers);
  std::size_t inputs = kexpr_expression_operand_count(
      kexpr_kernel_expression(kexpr_layer_kernel(layer)));
  const kexpr_tensor *in = arguments.tensors(inputs);
  const kexpr_tensor out[] = {arguments.tensor(), arguments.tensor()};
  attempt([&](kexpr_error **error) {
    return kexpr_layer_forward(layer, in, inputs, out, choices.below(3),
                               arguments.runOptions(), error);
  });
}

void Caller::runGraph() {
  kexpr_graph *graph = any(graphs);
  std::size_t inputs = kexpr_graph_input_count(graph);
  const kexpr_named_tensor *in = arguments.namedTensors(inputs);
  const kexpr_named_tensor out[] = {{arguments.name(), arguments.tensor()}};
  const std::size_t outputs = choices.below(4) == 0;
  if (choices.below(4))
    attempt([&](kexpr_error **error) {
      return kexpr_graph_run(graph, in, inputs, out, outputs,
                             arguments.runOptions(), error);
    });
  else
    make(steps, kexpr_steps_free, [&](auto **made, kexpr_error **error) {
      return kexpr_graph_profile(graph, in, inputs, out, outputs,
                                 arguments.runOptions(), made, error);
    });
}

/// What one run computed is the next one's input.
void Caller::feedBack() {
  kexpr_graph *graph = any(graphs);
  for (unsigned round = 0; round < 3; ++round) {
    kexpr_tensor tensor = {};
    const kexpr_port *port = kexpr_graph_output(graph, choices.below(2));
    const kexpr_code code = attempt([&](kexpr_error **error) {
      return kexpr_graph_value(graph, port ? port->name : arguments.name(),
                               &tensor, error);
    });
    if (code != KEXPR_OK)
      return;
    const kexpr_named_tensor in = {"in", tensor};
    attempt([&](kexpr_error **error) {
      return kexpr_graph_run(graph, &in, 1, nullptr, 0, nullptr, error);
    });
  }
}

void Caller::freeAll() {
  const auto free = [](auto &slots, auto release) {
    for (auto &slot : slots)
      release(std::exchange(slot, nullptr));
  };
  free(engines, kexpr_engine_free);
  free(expressions, kexpr_expression_free);
  free(models, kexpr_model_free);
  free(registries, kexpr_registry_free);
  free(kernels, kexpr_kernel_free);
  free(bounds, kexpr_bound_free);
  free(prepareds, kexpr_prepared_free);
  free(layers, kexpr_layer_free);
  free(graphs, kexpr_graph_free);
  free(steps, kexpr_steps_free);
  free(scalars, kexpr_scalar_free);
  free(texts, kexpr_text_free);
}

void Caller::call() {
  static constexpr void (Caller::*calls[])() = {
      &Caller::makeEngine,    &Caller::makeExpression, &Caller::makeKernel,
      &Caller::makeKernel,    &Caller::makeBound,      &Caller::makeLayer,
      &Caller::makeModel,     &Caller::makeRegistry,   &Caller::addType,
      &Caller::makeGraph,     &Caller::makeNetwork,    &Caller::runKernel,
      &Caller::runKernel,     &Caller::runLayer,       &Caller::runGraph,
      &Caller::runGraph,      &Caller::feedBack,       &Caller::evaluate,
      &Caller::inspectKernel, &Caller::inspectEngine,  &Caller::inspectModel,
      &Caller::inspectGraph,  &Caller::parseNames,     &Caller::makePrepared,
      &Caller::runPrepared};
  (this->*choices.oneOf(calls))();
}

Verdict fuzz::makeCalls(Choices &choices) {
  const int before = CallArguments::liveLayers();
  Verdict verdict;
  {
    Caller caller(choices);
    for (unsigned i = 0; i < 200 && !choices.exhausted(); ++i)
      caller.call();
    caller.freeAll();
    verdict = {caller.done > 0, caller.problem};
  }
  if (CallArguments::liveLayers() != before && verdict.problem.empty())
    verdict.problem = "a layer that nobody destroyed, or twice";
  return verdict;
}
