//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run/Network.h"

#include "Common/Npy.h"
#include "Common/Operand.h"
#include "Run/Summary.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// `NAME=REST`, or a rest alone.
struct Assignment {
  std::string name;
  std::string rest;
};
} // namespace

static Error fault(const std::string &message) {
  return Error(ErrorCode::InvalidArgument, message);
}

/// A word before the first `=` is a name only if it is one of `names`: files
/// may be called anything.
static Assignment split(const std::string &text,
                        const std::vector<std::string> &names) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos &&
      std::count(names.begin(), names.end(), text.substr(0, equals)))
    return {text.substr(0, equals), text.substr(equals + 1)};
  return {{}, text};
}

/// Gives those without a name the names that are left, in order.
static Expected<std::vector<Assignment>>
assign(const std::vector<std::string> &texts,
       const std::vector<std::string> &names,
       const std::vector<std::string> &inOrder, const char *kind) {
  std::vector<Assignment> assignments;
  for (const std::string &text : texts)
    assignments.push_back(split(text, names));
  auto next = inOrder.begin();
  const auto isTaken = [&](const std::string &name) {
    return std::any_of(assignments.begin(), assignments.end(),
                       [&](const Assignment &a) { return a.name == name; });
  };
  for (Assignment &assignment : assignments) {
    if (!assignment.name.empty())
      continue;
    while (next != inOrder.end() && isTaken(*next))
      ++next;
    if (next == inOrder.end())
      return fault("'" + assignment.rest + "' is one more than the network's " +
                   std::to_string(inOrder.size()) + " " + kind + "s");
    assignment.name = *next;
  }
  return assignments;
}

static std::vector<std::string> namesOf(Span<const GraphPort> ports) {
  std::vector<std::string> names;
  for (const GraphPort &port : ports)
    names.push_back(port.name);
  return names;
}

/// The file of constants beside `x.pnnx.param` is `x.pnnx.bin`.
static std::string binFor(const NetworkOptions &options) {
  if (!options.bin.empty())
    return options.bin;
  std::filesystem::path path = options.param;
  path.replace_extension(".bin");
  std::error_code ignored;
  return path != options.param && std::filesystem::exists(path, ignored)
             ? path.string()
             : std::string();
}

static void printPorts(const char *kind, Span<const GraphPort> ports) {
  for (const GraphPort &port : ports)
    std::cout << kind << ' ' << port.name << ' '
              << (port.type ? nameOf(*port.type) : "?")
              << (port.shape ? port.shape->str() : "") << '\n';
}

static void printSteps(const std::vector<GraphStep> &steps, bool areTimed) {
  for (const GraphStep &step : steps) {
    std::cout << (step.expression.empty() ? "layer " : "kernel");
    for (const std::string &name : step.operators)
      std::cout << ' ' << name;
    std::cout << "\n  " << step.elements << " elements, " << step.bytes
              << " bytes";
    if (areTimed)
      std::cout << ", " << static_cast<double>(step.time.count()) / 1e3
                << " us";
    if (!step.expression.empty())
      std::cout << "\n  " << step.expression;
    std::cout << '\n';
  }
}

static void printNetwork(const PnnxGraph &graph) {
  printPorts("input ", graph.inputs());
  printPorts("output", graph.outputs());
  printSteps(graph.steps(), false);
}

/// Graphs may keep results where, and as, they were given.
static Expected<Array> copyOutput(const Engine &engine, const PnnxGraph &graph,
                                  const std::string &name) {
  auto view = graph.output(name);
  if (!view)
    return view.error();
  auto array = Array::make(view->type(), view->shape());
  auto kernel = engine.compile(
      "@0", {.mode = Mode::Interpret, .operandTypes = {view->type()}});
  if (!array || !kernel)
    return array ? kernel.error() : array.error();
  if (Status status = kernel->run(*view, array->view()); !status)
    return status.error();
  return array;
}

static Status deliver(const Engine &engine, const PnnxGraph &graph,
                      const std::vector<Assignment> &outputs) {
  for (const Assignment &output : outputs) {
    auto array = copyOutput(engine, graph, output.name);
    if (!array)
      return array.error();
    if (Status status = writeNpy(output.rest, *array); !status)
      return status;
  }
  if (!outputs.empty())
    return {};
  for (const GraphPort &port : graph.outputs()) {
    auto array = copyOutput(engine, graph, port.name);
    if (!array)
      return array.error();
    std::cout << port.name << ' ';
    printSummary(std::cout, *array);
  }
  return {};
}

namespace {
/// Input tensors and the names they go by.
struct Inputs {
  std::vector<Array> arrays;
  std::vector<Assignment> assignments;
};
} // namespace

static Expected<Inputs> readInputs(const PnnxGraph &graph,
                                   const std::vector<std::string> &texts) {
  const auto names = namesOf(graph.inputs());
  auto assignments = assign(texts, names, names, "input");
  if (!assignments)
    return assignments.error();
  Inputs inputs;
  inputs.assignments = std::move(*assignments);
  for (const Assignment &assignment : inputs.assignments) {
    auto array = makeOperand(assignment.rest);
    if (!array)
      return array.error();
    inputs.arrays.push_back(std::move(*array));
  }
  return inputs;
}

static Status runGraph(PnnxGraph &graph, const Inputs &inputs,
                       const NetworkOptions &options) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < inputs.arrays.size(); ++i)
    tensors.push_back({inputs.assignments[i].name, inputs.arrays[i].view()});
  const RunOptions run{.maxThreads = options.threads};
  if (Status status = graph.run(tensors, {}, run); !status)
    return status;
  if (!options.stats)
    return {};
  // The second time: the first may have compiled loops for these shapes.
  auto steps = graph.profile(tensors, {}, run);
  if (!steps)
    return steps.error();
  printSteps(*steps, true);
  std::cout << "memory   " << graph.memory().arena << " bytes for "
            << graph.memory().values << " bytes of values\n";
  return {};
}

/// The graph of a network that gives these outputs: operands may be among
/// them.
static Expected<PnnxGraph> makeGraph(const Engine &engine,
                                     const NetworkOptions &options,
                                     std::vector<Assignment> &outputs) {
  auto model = PnnxModel::load(options.param, binFor(options));
  if (!model)
    return model.error();
  LayerRegistry registry;
  if (Status status = registry.addElementwise(); !status)
    return status.error();
  GraphOptions graphOptions{.mode = options.mode,
                            .precision = options.precision,
                            .fuse = !options.noFuse};
  auto graph = PnnxGraph::create(engine, *model, registry, graphOptions);
  if (!graph)
    return graph.error();
  const auto inOrder = namesOf(graph->outputs());
  auto names = inOrder;
  for (const PnnxOperand &operand : model->operands())
    names.push_back(operand.name);
  auto assigned = assign(options.outputs, names, inOrder, "output");
  if (!assigned)
    return assigned.error();
  outputs = std::move(*assigned);
  for (const Assignment &output : outputs)
    if (!std::count(inOrder.begin(), inOrder.end(), output.name))
      graphOptions.extraOutputs.push_back(output.name);
  if (graphOptions.extraOutputs.empty())
    return graph;
  return PnnxGraph::create(engine, *model, registry, graphOptions);
}

Status tools::runNetwork(const Engine &engine, const NetworkOptions &options) {
  std::vector<Assignment> outputs;
  auto graph = makeGraph(engine, options, outputs);
  if (!graph)
    return graph.error();
  if (options.print)
    printNetwork(*graph);
  if (options.print && options.inputs.empty())
    return {};
  auto inputs = readInputs(*graph, options.inputs);
  if (!inputs)
    return inputs.error();
  if (Status status = runGraph(*graph, *inputs, options); !status)
    return status;
  return deliver(engine, *graph, outputs);
}
