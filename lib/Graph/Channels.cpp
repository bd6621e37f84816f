//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Faults.h"
#include "Graph/LoweringTable.h"
#include "Ops/Table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

using namespace kexpr;
using namespace kexpr::graph;

const PnnxOperand *graph::inputOf(const PnnxModel &model,
                                  const PnnxOperator &op, std::string_view name,
                                  std::size_t position) {
  for (std::size_t i = 0; i < op.inputNames.size(); ++i)
    if (op.inputNames[i] == name)
      return &model.operands()[op.inputs[i]];
  if (!op.inputNames.empty() || position >= op.inputs.size())
    return nullptr;
  return &model.operands()[op.inputs[position]];
}

/// The constant of that name: an attribute of the operator, or what a
/// `pnnx.Attribute` that is its input holds. Null if there is none.
static const TensorView *constantOf(const PnnxModel &model,
                                    const PnnxOperator &op,
                                    std::string_view name,
                                    std::size_t position) {
  if (const TensorView *attribute = op.attribute(name))
    return attribute;
  const PnnxOperand *input = inputOf(model, op, name, position);
  if (!input)
    return nullptr;
  const PnnxOperator &producer = model.operators()[input->producer];
  return producer.type == "pnnx.Attribute" && producer.attributes.size() == 1
             ? &producer.attributes[0].tensor
             : nullptr;
}

namespace {
/// A constant's elements as doubles.
struct Numbers {
  DType type = DType::F32;
  std::vector<double> values;
};
} // namespace

static Expected<Numbers> readNumbers(const TensorView &tensor,
                                     std::string_view name) {
  if (tensor.empty() || tensor.shape().rank() > 1)
    return Error(ErrorCode::Unsupported,
                 quote(name) + " is no list of numbers of a known type");
  const bool isDouble = tensor.type() == DType::F64;
  Numbers numbers{isDouble ? DType::F64 : DType::F32, {}};
  const std::int64_t count = tensor.shape().elementCount();
  numbers.values.resize(static_cast<std::size_t>(count));
  const void *from[] = {tensor.data()};
  if (isDouble)
    std::copy_n(static_cast<const double *>(from[0]), count,
                numbers.values.begin());
  else
    ops::conversion(tensor.type(), DType::F64)(count, from,
                                               numbers.values.data());
  return numbers;
}

static std::shared_ptr<const ChannelData>
makeChannels(DType type, const std::vector<double> &values) {
  auto data = std::make_shared<ChannelData>();
  data->type = type;
  data->channels = static_cast<std::int64_t>(values.size());
  const std::size_t size = sizeOf(type);
  data->bytes = std::make_unique<unsigned char[]>(size * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    std::memcpy(data->bytes.get() + i * size,
                type == DType::F64 ? static_cast<const void *>(&values[i])
                                   : &narrow,
                size);
  }
  return data;
}

static Expected<Numbers> readConstant(const PnnxModel &model,
                                      const PnnxOperator &op,
                                      std::string_view name,
                                      std::size_t position) {
  const TensorView *tensor = constantOf(model, op, name, position);
  if (!tensor)
    return Error(ErrorCode::Unsupported,
                 quote(name) + " is missing, or no constant");
  return readNumbers(*tensor, name);
}

static bool isAbsent(const PnnxModel &model, const PnnxOperator &op,
                     std::string_view name, std::size_t position) {
  const std::string *text = op.parameter(name);
  return !op.attribute(name) &&
         (!inputOf(model, op, name, position) || (text && *text == "None"));
}

/// A constant that may be missing: `otherwise` for each channel then.
static Expected<Numbers> readOptional(const PnnxModel &model,
                                      const PnnxOperator &op,
                                      std::string_view name,
                                      std::size_t position, double otherwise,
                                      std::size_t channels) {
  if (isAbsent(model, op, name, position))
    return Numbers{DType::F32, std::vector<double>(channels, otherwise)};
  return readConstant(model, op, name, position);
}

static Expected<double> readEpsilon(const PnnxOperator &op, Texts &texts) {
  const std::string *text = op.parameter("eps");
  const Node *literal = texts.literal(text ? *text : "1e-5");
  if (!literal ||
      (literal->kind != NodeKind::Float && literal->kind != NodeKind::Integer))
    return Error(ErrorCode::InvalidArgument, "'eps' is no number");
  return literal->number;
}

Expected<std::vector<NamedChannels>>
graph::batchNormChannels(const PnnxModel &model, const PnnxOperator &op,
                         Texts &texts) {
  auto epsilon = readEpsilon(op, texts);
  if (!epsilon)
    return epsilon.error();
  auto mean = readConstant(model, op, "running_mean", 1);
  if (!mean)
    return mean.error();
  const std::size_t channels = mean->values.size();
  auto variance = readConstant(model, op, "running_var", 2);
  auto weight = readOptional(model, op, "weight", 3, 1, channels);
  auto bias = readOptional(model, op, "bias", 4, 0, channels);
  for (const auto *part : {&variance, &weight, &bias}) {
    if (!*part)
      return part->error();
    if ((*part)->values.size() != channels)
      return Error(ErrorCode::ShapeMismatch,
                   "its constants differ in length: " +
                       std::to_string((*part)->values.size()) + " and " +
                       std::to_string(channels));
  }
  std::vector<double> scale(channels), shift(channels);
  for (std::size_t i = 0; i < channels; ++i) {
    scale[i] = weight->values[i] / std::sqrt(variance->values[i] + *epsilon);
    shift[i] = bias->values[i] - mean->values[i] * scale[i];
  }
  return std::vector<NamedChannels>{{"scale", makeChannels(mean->type, scale)},
                                    {"shift", makeChannels(mean->type, shift)}};
}

Expected<std::vector<NamedChannels>>
graph::preluChannels(const PnnxModel &model, const PnnxOperator &op, Texts &) {
  auto weight = readConstant(model, op, "weight", 1);
  if (!weight)
    return weight.error();
  return std::vector<NamedChannels>{
      {"weight", makeChannels(weight->type, weight->values)}};
}
