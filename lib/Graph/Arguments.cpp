//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Faults.h"
#include "Graph/GraphImpl.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::graph;

static Error fault(ErrorCode code, const char *kind, std::string_view name,
                   const std::string &what) {
  return Error(code, std::string(kind) + " " + quote(name) + " " + what);
}

/// "'a', 'b'".
static std::string listNames(const std::vector<GraphPort> &ports) {
  std::string list;
  for (const GraphPort &port : ports)
    list += (list.empty() ? "" : ", ") + quote(port.name);
  return list;
}

/// Whether a tensor has elements where it says, of the type the file says.
static Status checkTensor(const char *kind, const GraphPort &port,
                          const TensorView &tensor) {
  const Shape &shape = tensor.shape(), &strides = tensor.strides();
  if (tensor.empty() || sizeOf(tensor.type()) == 0 || !shape.valid() ||
      shape.elementCount() < 0 || strides.rank() != shape.rank() ||
      std::any_of(strides.begin(), strides.end(),
                  [](std::int64_t stride) { return stride < 0; }))
    return fault(ErrorCode::InvalidArgument, kind, port.name,
                 "is no tensor with a shape and strides that make sense");
  if (!tensor.data() && shape.elementCount() > 0)
    return fault(ErrorCode::InvalidArgument, kind, port.name,
                 "is a null pointer");
  if (port.shape && !fits(shape, *port.shape))
    return fault(ErrorCode::ShapeMismatch, kind, port.name,
                 "has shape " + shape.str() + ", and the file says " +
                     port.shape->str());
  if (port.type && tensor.type() != *port.type)
    return fault(ErrorCode::TypeMismatch, kind, port.name,
                 "is " + std::string(nameOf(tensor.type())) +
                     ", and the file says " + std::string(nameOf(*port.type)));
  return {};
}

static Expected<std::vector<TensorView>>
matchPorts(const char *kind, const std::vector<GraphPort> &ports,
           Span<const NamedTensor> tensors) {
  std::vector<TensorView> matched(ports.size());
  for (const NamedTensor &given : tensors) {
    const auto port =
        std::find_if(ports.begin(), ports.end(),
                     [&](const GraphPort &p) { return p.name == given.name; });
    if (port == ports.end())
      return fault(ErrorCode::InvalidArgument, kind, given.name,
                   "is not one of the graph's: " + listNames(ports));
    TensorView &slot = matched[port - ports.begin()];
    if (!slot.empty())
      return fault(ErrorCode::InvalidArgument, kind, given.name,
                   "is given twice");
    if (Status status = checkTensor(kind, *port, given.tensor); !status)
      return status.error();
    slot = given.tensor;
  }
  return matched;
}

Expected<Tensors> graph::matchTensors(const Flow &flow,
                                      Span<const NamedTensor> inputs,
                                      Span<const NamedTensor> outputs) {
  auto in = matchPorts("input", flow.inputs, inputs);
  if (!in)
    return in.error();
  for (std::size_t i = 0; i < in->size(); ++i)
    if ((*in)[i].empty())
      return fault(ErrorCode::MissingOperand, "input", flow.inputs[i].name,
                   "is missing: " + std::to_string(inputs.size()) +
                       " tensors given for " +
                       std::to_string(flow.inputs.size()) + " inputs");
  auto out = matchPorts("output", flow.outputs, outputs);
  if (!out)
    return out.error();
  return Tensors{std::move(*in), std::move(*out)};
}

namespace {
struct Bytes {
  std::uintptr_t begin, end;
};
} // namespace

static Bytes rangeOf(const TensorView &tensor) {
  const auto begin = reinterpret_cast<std::uintptr_t>(tensor.data());
  if (tensor.empty() || tensor.shape().elementCount() == 0)
    return {begin, begin};
  // Unsigned: strides are a host's, and may be any.
  std::uintptr_t last = 0;
  for (std::size_t axis = 0; axis < tensor.shape().rank(); ++axis)
    last += static_cast<std::uintptr_t>(tensor.shape()[axis] - 1) *
            static_cast<std::uintptr_t>(tensor.strides()[axis]);
  return {begin, begin + (last + 1) * sizeOf(tensor.type())};
}

static bool overlap(const TensorView &a, const TensorView &b) {
  const Bytes left = rangeOf(a), right = rangeOf(b);
  return left.begin < right.end && right.begin < left.end;
}

bool graph::areIn(const Arena &arena, const Tensors &tensors) {
  const auto begin = reinterpret_cast<std::uintptr_t>(arena.data());
  const auto isInside = [&](const TensorView &tensor) {
    const Bytes own = rangeOf(tensor);
    return own.begin < begin + arena.size() && begin < own.end;
  };
  return std::any_of(tensors.inputs.begin(), tensors.inputs.end(), isInside) ||
         std::any_of(tensors.outputs.begin(), tensors.outputs.end(), isInside);
}

static Status checkApart(const Flow &flow, const Tensors &tensors,
                         std::size_t output) {
  const TensorView &own = tensors.outputs[output];
  const auto shares = [&](const char *kind, const GraphPort &port) {
    return fault(
        ErrorCode::OverlappingOutput, "output", flow.outputs[output].name,
        std::string("shares memory with ") + kind + " " + quote(port.name));
  };
  for (std::size_t i = 0; i < tensors.inputs.size(); ++i)
    if (overlap(own, tensors.inputs[i]))
      return shares("input", flow.inputs[i]);
  for (std::size_t i = 0; i < output; ++i)
    if (overlap(own, tensors.outputs[i]))
      return shares("output", flow.outputs[i]);
  return {};
}

Status graph::checkOutputs(const Flow &flow, const Plan &plan,
                           const Tensors &tensors) {
  for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
    const TensorView &given = tensors.outputs[i];
    const TensorType &type = plan.typeOf(flow.outputValues[i]);
    if (given.empty())
      continue;
    const auto wrong = [&](ErrorCode code, const std::string &is,
                           const std::string &mustBe) {
      return fault(code, "output", flow.outputs[i].name,
                   "is " + is + ", and its value is " + mustBe);
    };
    if (given.shape() != type.shape)
      return wrong(ErrorCode::ShapeMismatch, given.shape().str(),
                   type.shape.str());
    if (given.type() != type.type)
      return wrong(ErrorCode::TypeMismatch, std::string(nameOf(given.type())),
                   std::string(nameOf(type.type)));
    if (Status status = checkApart(flow, tensors, i); !status)
      return status;
  }
  return {};
}
