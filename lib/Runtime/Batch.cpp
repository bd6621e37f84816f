//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Batch.h"

#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::runtime;

Arguments Batch::argumentsOf(std::size_t item) const {
  const std::size_t batch = outputs.size();
  return {{inputs.data() + item, inputs.size() / batch, batch},
          {&outputs[item], 1}};
}

/// Whether two views differ in their address alone, which neither lacks.
static bool isLike(const TensorView &view, const TensorView &model) {
  return view.data() && model.data() && view.type() == model.type() &&
         view.empty() == model.empty() && view.shape() == model.shape() &&
         view.strides() == model.strides();
}

/// Whether what was found of `model` holds for `item`.
bool Batch::isLike(std::size_t item, std::size_t model) const {
  const Arguments one = argumentsOf(item), other = argumentsOf(model);
  for (std::uint32_t operand : kernel.demands().operands)
    if (!::isLike(one.inputs[operand], other.inputs[operand]))
      return false;
  for (std::uint32_t operand : kernel.demands().shapes)
    if (one.inputs[operand].empty() != other.inputs[operand].empty() ||
        one.inputs[operand].shape() != other.inputs[operand].shape())
      return false;
  return ::isLike(one.outputs[0], other.outputs[0]);
}

Status Batch::add(std::size_t item) {
  const Arguments arguments = argumentsOf(item);
  auto status = kernel.check(arguments);
  if (status)
    status = invocations.emplace_back(kernel).prepare(kernel, arguments);
  if (!status)
    return Error(status.error().code(),
                 concat("batch item ", item, ": ", status.error().message()));
  return {};
}

void Batch::place(std::size_t item) {
  if (invocations.back().count() == 0)
    return;
  all.push_back({&invocations.back(), places.data() + places.size()});
  const Arguments arguments = argumentsOf(item);
  places.push_back(arguments.outputs[0].data());
  for (std::uint32_t operand : kernel.plan().graph.inputs)
    places.push_back(arguments.inputs[operand].data());
}

Status Batch::prepare(std::span<const TensorView> inputs,
                      std::span<const TensorView> outputs) {
  this->inputs = inputs;
  this->outputs = outputs;
  all.reserve(outputs.size());
  places.reserve(outputs.size() * kernel.tensors()); // items point into it
  for (std::size_t item = 0; item < outputs.size(); ++item) {
    if (item == 0 || !isLike(item, item - 1))
      if (auto status = add(item); !status)
        return status;
    place(item);
  }
  return checkBatchOverlap(inputs, outputs, kernel.demands().operands);
}
