//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Invocation.h"

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// Calls with more slots than this keep their pointers on the heap.
constexpr std::size_t InlineSlots = 16;
} // namespace

Status Invocation::prepare(const KernelImpl &kernel,
                           const Arguments &arguments) {
  const Shape &shape = arguments.outputs[0].shape();
  elements = shape.elementCount();
  if (elements == 0)
    return {};
  auto status = kernel.findParameters(arguments.inputs, parameters.data());
  if (!status)
    return status;
  InlineBuffer<const TensorView *, InlineSlots> slots(nest.slots());
  std::size_t slot = 0;
  for (const TensorView &output : arguments.outputs)
    slots[slot++] = &output;
  for (std::uint32_t operand : kernel.plan().graph.inputs)
    slots[slot++] = &arguments.inputs[operand];
  nest.build(shape, {slots.data(), nest.slots()});
  auto found = kernel.loopFor(nest);
  if (!found)
    return found.error();
  loop = *found;
  return {};
}

void Invocation::locate(void **pointers, std::int64_t *strides) const {
  nest.locate(0, 0, pointers);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    pointers[nest.slots() + i] =
        const_cast<std::uint64_t *>(parameters.data() + i);
  for (std::size_t s = 0; s < nest.slots(); ++s)
    strides[s] = nest.rank() ? nest.stride(s, nest.rank() - 1) : 0;
}

void Invocation::run(std::int64_t begin, std::int64_t end) const {
  InlineBuffer<void *, InlineSlots> pointers(nest.slots() + parameters.size());
  InlineBuffer<std::int64_t, InlineSlots> strides(nest.slots());
  locate(pointers.data(), strides.data());
  const std::int64_t inner = nest.inner();
  std::int64_t row = begin / inner, column = begin % inner;
  while (begin < end) {
    const std::int64_t count = std::min(inner - column, end - begin);
    nest.locate(row, column, pointers.data());
    loop->run(count, pointers.data(), strides.data());
    begin += count;
    column = 0;
    ++row;
  }
}
