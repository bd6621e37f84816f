//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/LayerRegistry.h"
#include "Graph/Faults.h"
#include "Graph/Lowering.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

Layer::Layer(const PnnxModel &model, const PnnxOperator &op)
    : operatorName(op.name) {
  for (const std::uint32_t output : op.outputs) {
    const PnnxOperand &operand = model.operands()[output];
    declared.push_back({operand.name, operand.type, operand.shape});
  }
}

Layer::~Layer() = default;

Expected<std::vector<TensorType>>
Layer::outputTypes(Span<const TensorType>) const {
  return guarded([&]() -> Expected<std::vector<TensorType>> {
    std::vector<TensorType> types;
    for (const Declared &output : declared) {
      if (!output.type || !output.shape || output.shape->elementCount() < 0)
        return Error(ErrorCode::ShapeMismatch,
                     "neither the file nor the layer says type and shape of "
                     "output " +
                         quotedName(output.operand));
      types.push_back({*output.type, *output.shape});
    }
    return types;
  });
}

static Status checkNew(const LayerRegistry &registry, std::string_view type) {
  const auto fault = [&](const char *what) {
    return Error(ErrorCode::InvalidArgument,
                 concat("layer type ", quotedName(type), ' ', what));
  };
  if (type.empty())
    return fault("is empty");
  if (isOwnType(type))
    return fault("is one that graphs know themselves");
  if (registry.contains(type))
    return fault("is registered already");
  return {};
}

Status LayerRegistry::add(std::string type, LayerCreator creator) {
  return guarded([&]() -> Status {
    if (Status status = checkNew(*this, type); !status && !isElementwise(type))
      return status;
    if (!creator)
      return Error(ErrorCode::InvalidArgument,
                   concat("layer type ", quotedName(type), " has no creator"));
    creators.insert_or_assign(std::move(type), std::move(creator));
    return {};
  });
}

Status LayerRegistry::addElementwise(std::string_view type) {
  return guarded([&]() -> Status {
    if (!isLowered(type))
      return Error(ErrorCode::UnknownOperator,
                   quotedName(type) + " is no type that kexpr computes");
    if (Status status = checkNew(*this, type); !status)
      return status;
    creators.emplace(type, LayerCreator());
    return {};
  });
}

Status LayerRegistry::addElementwise() {
  return guarded([&]() -> Status {
    auto all = creators;
    for (const std::string_view type : loweredTypes())
      all.emplace(type, LayerCreator());
    creators = std::move(all);
    return {};
  });
}

std::vector<std::string_view> LayerRegistry::elementwiseTypes() {
  return orEmpty(loweredTypes);
}

bool LayerRegistry::contains(std::string_view type) const {
  return creators.find(type) != creators.end();
}

bool LayerRegistry::isElementwise(std::string_view type) const {
  const auto found = creators.find(type);
  return found != creators.end() && !found->second;
}

std::vector<std::string> LayerRegistry::types() const {
  return orEmpty([&] {
    std::vector<std::string> names;
    for (const auto &[name, creator] : creators)
      names.push_back(name);
    return names;
  });
}

Expected<std::unique_ptr<Layer>>
LayerRegistry::create(const PnnxModel &model, const PnnxOperator &op) const {
  return guarded([&]() -> Expected<std::unique_ptr<Layer>> {
    const auto found = creators.find(op.type);
    if (found == creators.end() || !found->second)
      return Error(ErrorCode::UnknownOperator,
                   "no layer of the host has type " + quotedName(op.type));
    auto layer = callHost([&] { return found->second(model, op); });
    if (layer && !*layer)
      return Error(ErrorCode::InvalidArgument, "the creator of type " +
                                                   quotedName(op.type) +
                                                   " made no layer");
    return layer;
  });
}
