//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Support/Text.h"

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

struct kexpr_model {
  PnnxModel object;
};

struct kexpr_registry {
  LayerRegistry object;
};

struct kexpr_graph {
  explicit kexpr_graph(PnnxGraph made)
      : object(std::move(made)), inputs(portsOf(object.inputs())),
        outputs(portsOf(object.outputs())), values(outputs.size()) {}

  PnnxGraph object;
  std::vector<kexpr_port> inputs, outputs;
  std::vector<TensorView> values; ///< By output, for shapes that C points to.
};

/// The structures of C point into the vectors, which do not change.
struct kexpr_steps {
  explicit kexpr_steps(std::vector<GraphStep> given);

  std::vector<GraphStep> object;
  std::vector<std::vector<const char *>> names;
  std::vector<kexpr_step> steps;
};

//===-- Models ------------------------------------------------------------===//

kexpr_code kexpr_model_load(const char *param_path, const char *bin_path,
                            kexpr_model **model, kexpr_error **error) {
  return make(model, error, {{param_path, "the path"}}, [&] {
    return PnnxModel::load(param_path, bin_path ? bin_path : "");
  });
}

kexpr_code kexpr_model_parse(const char *param, const void *bin,
                             size_t bin_size, kexpr_model **model,
                             kexpr_error **error) {
  return make(model, error, {{param, "the text"}},
              [&]() -> Expected<PnnxModel> {
                if (!bin && bin_size > 0)
                  return isNull("the memory of constants");
                return PnnxModel::parse(
                    param, {static_cast<const unsigned char *>(bin), bin_size});
              });
}

void kexpr_model_free(kexpr_model *model) { delete model; }

size_t kexpr_model_node_count(const kexpr_model *model) {
  return model ? model->object.operators().size() : 0;
}

// To C a node is the address of an operator; there is no other type.

static constinit NeverDestroyed<PnnxOperator> noOperator;

static const PnnxOperator &operatorOf(const kexpr_node *node) {
  return node ? *reinterpret_cast<const PnnxOperator *>(node)
              : noOperator.value;
}

const kexpr_node *kexpr_model_node(const kexpr_model *model, size_t index) {
  return index < kexpr_model_node_count(model)
             ? reinterpret_cast<const kexpr_node *>(
                   &model->object.operators()[index])
             : nullptr;
}

const char *kexpr_node_type(const kexpr_node *node) {
  return operatorOf(node).type.c_str();
}

const char *kexpr_node_name(const kexpr_node *node) {
  return operatorOf(node).name.c_str();
}

const char *kexpr_node_parameter(const kexpr_node *node, const char *key) {
  const std::string *text = key ? operatorOf(node).parameter(key) : nullptr;
  return text ? text->c_str() : nullptr;
}

kexpr_code kexpr_node_attribute(const kexpr_node *node, const char *key,
                                kexpr_tensor *tensor, kexpr_error **error) {
  return give(
      tensor, "the place for the tensor", error,
      {{node, "the node"}, {key, "the key"}}, [&]() -> Expected<kexpr_tensor> {
        const TensorView *view = operatorOf(node).attribute(key);
        if (view && !view->empty())
          return tensorOf(*view);
        return Error(ErrorCode::InvalidArgument,
                     concat("operator '", kexpr_node_name(node), "' has ",
                            view ? "a constant of another type than kexpr's, '"
                                 : "no constant '",
                            key, "'"));
      });
}

//===-- Layers of the host ------------------------------------------------===//

/// The status for a code that a function of the host returned.
static Status statusOf(kexpr_code code, const char *function) {
  if (code == KEXPR_OK)
    return {};
  const bool isKnown = code > 0 && code <= KEXPR_IO;
  return Error(isKnown ? static_cast<ErrorCode>(code)
                       : ErrorCode::InvalidArgument,
               concat("the host's ", function, " returned code ", code));
}

static kexpr_tensor_type typeOf(const TensorType &given) {
  kexpr_tensor_type type = {};
  type.type = static_cast<kexpr_dtype>(given.type);
  type.rank = static_cast<std::uint32_t>(given.shape.rank());
  std::copy(given.shape.begin(), given.shape.end(), type.shape);
  return type;
}

/// The types that a host wrote for its outputs.
static Expected<std::vector<TensorType>>
typesOf(const std::vector<kexpr_tensor_type> &written) {
  std::vector<TensorType> types;
  for (const kexpr_tensor_type &type : written) {
    if (kexpr_dtype_size(type.type) == 0 || type.rank > MaxRank)
      return Error(ErrorCode::InvalidArgument,
                   concat("the host's output_types says output ", types.size(),
                          " has type ", type.type, " and ", type.rank,
                          " axes"));
    types.push_back(
        {static_cast<DType>(type.type), Shape(type.shape, type.rank)});
  }
  return types;
}

static std::vector<kexpr_tensor> tensorsOf(Span<const TensorView> views) {
  std::vector<kexpr_tensor> tensors;
  for (const TensorView &view : views)
    tensors.push_back(tensorOf(view));
  return tensors;
}

namespace {
class HostLayer : public Layer {
public:
  HostLayer(const PnnxModel &model, const PnnxOperator &op,
            const kexpr_layer_type &calls)
      : Layer(model, op), calls(calls), outputCount(op.outputs.size()) {}

  ~HostLayer() override {
    if (isMade && calls.destroy)
      calls.destroy(layer);
  }

  Status create(const PnnxOperator &op) {
    layer = calls.user;
    if (!calls.create)
      return {};
    layer = nullptr;
    auto status = statusOf(
        calls.create(calls.user, reinterpret_cast<const kexpr_node *>(&op),
                     &layer),
        "create");
    isMade = bool(status);
    return status;
  }

  Expected<std::vector<TensorType>>
  outputTypes(Span<const TensorType> inputs) const override {
    if (!calls.output_types)
      return Layer::outputTypes(inputs);
    std::vector<kexpr_tensor_type> given, written(outputCount);
    for (const TensorType &input : inputs)
      given.push_back(typeOf(input));
    auto status = statusOf(calls.output_types(layer, given.data(), given.size(),
                                              written.data(), written.size()),
                           "output_types");
    if (!status)
      return status.error();
    return typesOf(written);
  }

  Status forward(Span<const TensorView> inputs, Span<const TensorView> outputs,
                 const RunOptions &options) override {
    const auto from = tensorsOf(inputs), to = tensorsOf(outputs);
    const kexpr_run_options run = optionsOf(options);
    return statusOf(calls.forward(layer, from.data(), from.size(), to.data(),
                                  to.size(), &run),
                    "forward");
  }

private:
  const kexpr_layer_type calls;
  const std::size_t outputCount;
  void *layer = nullptr;
  bool isMade = false; ///< Whether `create` succeeded.
};
} // namespace

static LayerCreator creatorOf(const kexpr_layer_type &calls) {
  return [calls](const PnnxModel &model,
                 const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
    auto layer = std::make_unique<HostLayer>(model, op, calls);
    if (auto status = layer->create(op); !status)
      return status.error();
    return std::unique_ptr<Layer>(std::move(layer));
  };
}

kexpr_code kexpr_registry_create(bool elementwise, kexpr_registry **registry,
                                 kexpr_error **error) {
  return make(registry, error, {}, [&]() -> Expected<LayerRegistry> {
    LayerRegistry made;
    if (elementwise)
      if (auto status = made.addElementwise(); !status)
        return status.error();
    return made;
  });
}

void kexpr_registry_free(kexpr_registry *registry) { delete registry; }

kexpr_code kexpr_registry_add_elementwise(kexpr_registry *registry,
                                          const char *type,
                                          kexpr_error **error) {
  return attempt(error, {{registry, "the registry"}, {type, "the type"}},
                 [&] { return registry->object.addElementwise(type); });
}

kexpr_code kexpr_registry_add(kexpr_registry *registry, const char *type,
                              const kexpr_layer_type *layer,
                              kexpr_error **error) {
  return attempt(error,
                 {{registry, "the registry"},
                  {type, "the type"},
                  {layer, "the layer type"}},
                 [&]() -> Status {
                   auto calls = read(layer, "kexpr_layer_type");
                   if (!calls)
                     return calls.error();
                   if (!calls->forward)
                     return isNull("kexpr_layer_type.forward");
                   if (calls->destroy && !calls->create)
                     return Error(
                         ErrorCode::InvalidArgument,
                         "kexpr_layer_type.destroy is set, and create is null");
                   return registry->object.add(type, creatorOf(*calls));
                 });
}

//===-- Graphs ------------------------------------------------------------===//

kexpr_code kexpr_graph_create(const kexpr_engine *engine,
                              const kexpr_model *model,
                              const kexpr_registry *registry,
                              const kexpr_graph_options *options,
                              kexpr_graph **graph, kexpr_error **error) {
  return make(graph, error,
              {{engine, "the engine"},
               {model, "the model"},
               {registry, "the registry"}},
              [&]() -> Expected<PnnxGraph> {
                auto read = optionsOf(options);
                if (!read)
                  return read.error();
                return PnnxGraph::create(engine->object, model->object,
                                         registry->object, *read);
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

kexpr_code kexpr_graph_run(kexpr_graph *graph, const kexpr_named_tensor *inputs,
                           size_t input_count,
                           const kexpr_named_tensor *outputs,
                           size_t output_count,
                           const kexpr_run_options *options,
                           kexpr_error **error) {
  return attempt(error, {{graph, "the graph"}}, [&] {
    return call(graph->object, &PnnxGraph::run, inputs, input_count, outputs,
                output_count, options);
  });
}

kexpr_code
kexpr_graph_profile(kexpr_graph *graph, const kexpr_named_tensor *inputs,
                    size_t input_count, const kexpr_named_tensor *outputs,
                    size_t output_count, const kexpr_run_options *options,
                    kexpr_steps **steps, kexpr_error **error) {
  return make(steps, error, {{graph, "the graph"}}, [&] {
    return call(graph->object, &PnnxGraph::profile, inputs, input_count,
                outputs, output_count, options);
  });
}

kexpr_code kexpr_graph_steps(const kexpr_graph *graph, kexpr_steps **steps,
                             kexpr_error **error) {
  return make(steps, error, {{graph, "the graph"}},
              [&]() -> Expected<std::vector<GraphStep>> {
                return graph->object.steps();
              });
}

kexpr_code kexpr_graph_value(kexpr_graph *graph, const char *output,
                             kexpr_tensor *tensor, kexpr_error **error) {
  return give(tensor, "the place for the tensor", error,
              {{graph, "the graph"}, {output, "the name"}},
              [&]() -> Expected<kexpr_tensor> {
                auto view = graph->object.output(output);
                if (!view)
                  return view.error();
                std::size_t index = 0;
                while (graph->outputs[index].name != std::string_view(output))
                  ++index;
                return tensorOf(graph->values[index] = *view);
              });
}

void kexpr_graph_memory(const kexpr_graph *graph, size_t *values,
                        size_t *arena) {
  const GraphMemory memory = graph ? graph->object.memory() : GraphMemory();
  if (values)
    *values = memory.values;
  if (arena)
    *arena = memory.arena;
}

//===-- Steps -------------------------------------------------------------===//

/// The texts of `given` as an array that `all` holds.
static const char *const *namesOf(const std::vector<std::string> &given,
                                  std::vector<std::vector<const char *>> &all) {
  auto &names = all.emplace_back();
  for (const std::string &name : given)
    names.push_back(name.c_str());
  return names.data();
}

kexpr_steps::kexpr_steps(std::vector<GraphStep> given)
    : object(std::move(given)) {
  for (const GraphStep &step : object)
    steps.push_back({.expression = step.expression.c_str(),
                     .operators = namesOf(step.operators, names),
                     .types = namesOf(step.types, names),
                     .operator_count = step.operators.size(),
                     .inputs = namesOf(step.inputs, names),
                     .outputs = namesOf(step.outputs, names),
                     .input_count = step.inputs.size(),
                     .output_count = step.outputs.size(),
                     .elements = step.elements,
                     .bytes = step.bytes,
                     .time_ns = static_cast<uint64_t>(step.time.count())});
}

void kexpr_steps_free(kexpr_steps *steps) { delete steps; }

size_t kexpr_steps_count(const kexpr_steps *steps) {
  return steps ? steps->steps.size() : 0;
}

const kexpr_step *kexpr_steps_at(const kexpr_steps *steps, size_t index) {
  return index < kexpr_steps_count(steps) ? &steps->steps[index] : nullptr;
}
