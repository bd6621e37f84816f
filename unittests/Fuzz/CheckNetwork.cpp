//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Networks.h"

#include "Fuzz/Properties.h"
#include "Ops/Table.h"
#include "TestUtil/Models.h"
#include "TestUtil/Rotate.h"

#include <cmath>
#include <cstring>
#include <list>

using namespace kexpr;
using namespace kexpr::fuzz;

namespace {
/// A tensor of the host.
struct Memory {
  std::vector<char> bytes;
  TensorView view;

  explicit Memory(const TensorType &type)
      : bytes(std::max<std::size_t>(
            type.shape.elementCount() * sizeOf(type.type), 1)),
        view(static_cast<void *>(bytes.data()), type.type, type.shape) {}
};

/// How a graph is made and used.
struct Variant {
  bool fuse = false;
  bool reuse = false;
  bool feedsBack = false; ///< Gives outputs as they are, not copies.
};

/// What one variant computed.
struct Outcome {
  std::string refusal;
  std::vector<std::string> outputs; ///< Of all runs.
};

class Runner {
public:
  Runner(PnnxGraph graph, const Variant &variant)
      : graph(std::move(graph)), variant(variant) {}

  Outcome run();

private:
  void makeInputs();
  void feedBack(unsigned round);
  void keepOutputs();

  PnnxGraph graph;
  const Variant variant;
  Outcome outcome;
  std::list<Memory> memory; ///< Views point into it.
  std::vector<NamedTensor> inputs, outputs;
};
} // namespace

/// A shape that fits what the file says.
static Shape shapeOf(const GraphPort &port, std::size_t index) {
  static const Shape shapes[] = {{2, 3, 4}, {2, 3, 1}, {3, 1}, {4}, {1, 1, 4}};
  Shape shape = port.shape ? *port.shape : shapes[index % std::size(shapes)];
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] < 0)
      shape[axis] = 2 + static_cast<std::int64_t>(axis);
  return shape;
}

/// Numbers of both signs in any element type.
static void fill(Memory &memory, std::size_t seed) {
  const DType type = memory.view.type();
  const std::size_t size = sizeOf(type);
  for (std::size_t i = 0; i + size <= memory.bytes.size(); i += size) {
    const double number =
        0.25 * static_cast<double>((i / size * 7 + seed * 13) % 41) - 5;
    const void *args[] = {&number};
    if (type == DType::F64)
      std::memcpy(&memory.bytes[i], &number, size);
    else
      ops::conversion(DType::F64, type)(1, args, &memory.bytes[i]);
  }
}

/// A row-major tensor's type, shape and bytes; all NaNs are one.
static std::string textOf(const TensorView &view) {
  std::string text = std::string(nameOf(view.type())) + view.shape().str();
  const std::size_t size = sizeOf(view.type());
  const auto *element = static_cast<const char *>(view.data());
  for (std::int64_t i = 0; i < view.shape().elementCount();
       ++i, element += size)
    text += std::isnan(valueOf(view.type(), element))
                ? std::string(size, '?')
                : std::string(element, size);
  return text;
}

void Runner::makeInputs() {
  for (const GraphPort &port : graph.inputs()) {
    memory.emplace_back(TensorType{port.type.value_or(DType::F32),
                                   shapeOf(port, inputs.size())});
    fill(memory.back(), inputs.size());
    inputs.push_back({port.name, memory.back().view});
  }
}

/// Gives what this run computed to the next, where it is of the right type.
void Runner::feedBack(unsigned round) {
  const auto ports = graph.outputs();
  outputs.clear();
  for (std::size_t i = 0; i < inputs.size() && ports.size() > 0; ++i) {
    const GraphPort &port = ports[(i + round) % ports.size()];
    TensorView &input = inputs[i].tensor;
    const TensorView view = *graph.output(port.name);
    if (view.type() != input.type() || view.shape() != input.shape())
      continue;
    if (!variant.feedsBack) {
      memory.emplace_back(TensorType{view.type(), view.shape()});
      std::copy_n(static_cast<const char *>(view.data()),
                  view.shape().elementCount() * sizeOf(view.type()),
                  memory.back().bytes.data());
    }
    input = variant.feedsBack ? view : memory.back().view;
  }
  if (!variant.feedsBack || ports.size() == 0)
    return;
  const TensorView last = *graph.output(ports[0].name);
  memory.emplace_back(TensorType{last.type(), last.shape()});
  outputs.push_back({ports[0].name, memory.back().view});
}

void Runner::keepOutputs() {
  for (const GraphPort &port : graph.outputs()) {
    const auto view = graph.output(port.name);
    outcome.outputs.push_back(view ? textOf(*view) : view.error().message());
  }
}

Outcome Runner::run() {
  makeInputs();
  for (unsigned round = 0; round < 4; ++round) {
    if (round > 0)
      feedBack(round);
    if (const Status status = graph.run(inputs, outputs); !status) {
      outcome.refusal = status.error().message();
      return outcome;
    }
    keepOutputs();
  }
  return outcome;
}

static LayerRegistry makeRegistry() {
  static test::Counts counts;
  LayerRegistry registry;
  auto status = registry.addElementwise();
  if (status)
    status = registry.add(
        "test.Rotate",
        [](const PnnxModel &model,
           const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
          return std::unique_ptr<Layer>(new test::Rotate(model, op, &counts));
        });
  return registry;
}

static Outcome outcomeOf(const Engine &engine, const PnnxModel &model,
                         const GraphOptions &options, bool feedsBack) {
  auto graph = PnnxGraph::create(engine, model, makeRegistry(), options);
  if (!graph)
    return {graph.error().message(), {}};
  return Runner(std::move(*graph),
                {options.fuse, options.reuseMemory, feedsBack})
      .run();
}

/// No value has more elements than all inputs and constants multiplied.
static bool isSmall(const PnnxModel &model) {
  double count = 1;
  std::size_t index = 0;
  const auto add = [&](const Shape &shape) {
    count *= std::max<double>(1, static_cast<double>(shape.elementCount()));
    return shape.elementCount() >= 0;
  };
  bool isRight = true;
  for (const PnnxOperator &op : model.operators()) {
    for (const PnnxAttribute &attribute : op.attributes)
      isRight = isRight && add(attribute.tensor.shape());
    for (const std::uint32_t output : op.outputs)
      if (op.type == "pnnx.Input")
        isRight = isRight &&
                  add(shapeOf({op.name, {}, model.operands()[output].shape},
                              index++));
  }
  return isRight && count <= 1e5;
}

Verdict fuzz::checkNetwork(const Engine &engine, const std::string &param,
                           Mode mode) {
  const std::string bin = weightsFor(param);
  const auto model = test::parseModel(param, bin);
  if (!model || !isSmall(*model))
    return {false, test::problemOf(model)};
  GraphOptions options{.mode = mode, .fuse = false, .reuseMemory = false};
  const Outcome plain = outcomeOf(engine, *model, options, false);
  for (const bool fuse : {true, false})
    for (const bool reuse : {true, false}) {
      options.fuse = fuse;
      options.reuseMemory = reuse;
      const Outcome other = outcomeOf(engine, *model, options, true);
      if (other.outputs != plain.outputs ||
          other.refusal.empty() != plain.refusal.empty())
        return {false, param + "\nfuse " + std::to_string(fuse) + ", reuse " +
                           std::to_string(reuse) + ": '" + other.refusal +
                           "' and '" + plain.refusal + "'"};
    }
  return {plain.refusal.empty(), {}};
}
