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

/// What a host's function came to. The reason is the host's to know.
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

/// What a host wrote of its outputs.
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
  bool isMade = false; ///< Whether there is something to destroy.
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
  return make(registry, error, [&]() -> Expected<LayerRegistry> {
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
  return attempt(error, [&]() -> Status {
    if (!registry || !type)
      return isNull(registry ? "the type" : "the registry");
    return registry->registry.addElementwise(type);
  });
}

kexpr_code kexpr_registry_add(kexpr_registry *registry, const char *type,
                              const kexpr_layer_type *layer,
                              kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!registry || !type)
      return isNull(registry ? "the type" : "the registry");
    if (!layer)
      return isNull("the layer type");
    auto calls = read(layer, "kexpr_layer_type");
    if (!calls)
      return calls.error();
    if (!calls->forward)
      return isNull("kexpr_layer_type.forward");
    if (calls->destroy && !calls->create)
      return Error(ErrorCode::InvalidArgument,
                   "kexpr_layer_type.destroy is set, and create is null");
    return registry->registry.add(type, creatorOf(*calls));
  });
}
