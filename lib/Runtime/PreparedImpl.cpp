//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/PreparedImpl.h"

#include "Runtime/Execution.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

Expected<std::shared_ptr<const PreparedImpl>>
PreparedImpl::create(std::shared_ptr<const KernelImpl> kernel,
                     Span<const TensorView> inputs,
                     Span<const TensorView> outputs, const RunOptions &options,
                     bool withMemory) {
  auto made = std::make_shared<PreparedImpl>(std::move(kernel), options);
  if (auto status = made->prepare(inputs, outputs, withMemory); !status)
    return status.error();
  return std::shared_ptr<const PreparedImpl>(std::move(made));
}

Status PreparedImpl::prepare(Span<const TensorView> inputs,
                             Span<const TensorView> outputs, bool withMemory) {
  const bool isDivided = kernel->needsParts(outputs);
  auto status = isDivided ? divide(inputs, outputs, withMemory)
                          : kernel->prepare(call, inputs, outputs, withMemory);
  if (!status)
    return status;
  noteMemory(inputs, outputs);
  const std::int64_t count = call.count();
  if (isDivided || count == 0 || !call.isOneLoop() ||
      !kernel->isSmall(count, options) ||
      kernel->isLarge(static_cast<double>(count), options))
    return {};
  strides.resize(kernel->tensors());
  std::vector<void *> pointers(kernel->slots());
  call.locate(call.item().first, pointers.data(), strides.data());
  loop = &call.chosen();
  return {};
}

Status PreparedImpl::divide(Span<const TensorView> inputs,
                            Span<const TensorView> outputs, bool withMemory) {
  auto all = kernel->divide(inputs, outputs, withMemory);
  if (!all)
    return all.error();
  for (KernelImpl::Part &part : *all) {
    std::vector<TensorView> own;
    for (std::size_t output : part.outputs)
      own.push_back(outputs[output]);
    auto made = create(part.kernel, inputs, own, options, withMemory);
    if (!made)
      return made.error();
    parts.push_back({std::move(*made), std::move(part.outputs)});
  }
  return {};
}

void PreparedImpl::noteMemory(Span<const TensorView> inputs,
                              Span<const TensorView> outputs) {
  const auto &operands = kernel->demands().operands;
  for (std::uint32_t operand : operands)
    inputBytes.push_back(bytesSpanned(inputs[operand]));
  for (const TensorView &output : outputs) {
    outputBytes.push_back(bytesSpanned(output));
    for (std::uint32_t operand : operands)
      mayBe.push_back(haveOneLayout(output, inputs[operand]));
  }
  // No part may write what one behind it reads.
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (std::size_t later = part + 1; later < parts.size(); ++later)
      for (std::uint32_t read : parts[later].call->kernel->demands().operands)
        for (std::size_t output : parts[part].outputs)
          mayBe[output * operands.size() +
                (std::lower_bound(operands.begin(), operands.end(), read) -
                 operands.begin())] = false;
}

Status PreparedImpl::check(Span<const void *const> inputs,
                           Span<void *const> outputs) const {
  const Demands &demands = kernel->demands();
  const auto &operands = demands.operands;
  const std::size_t needed = operands.empty() ? 0 : operands.back() + 1;
  if (inputs.size() < needed || outputs.size() != outputBytes.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the call has ", needed, " inputs and ",
                        outputBytes.size(), " outputs, but ", inputs.size(),
                        " and ", outputs.size(), " pointers were given"));
  InlineBuffer<Piece, 8> written(outputs.size());
  InlineBuffer<Piece, 16> read(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const char *first = static_cast<const char *>(inputs[operands[i]]);
    if (!first && inputBytes[i] > 0)
      return Error(ErrorCode::InvalidArgument,
                   concat("operand @", operands[i], " has a null pointer"));
    read[i] = {first, first + inputBytes[i]};
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const char *first = static_cast<const char *>(outputs[i]);
    if (!first && outputBytes[i] > 0)
      return Error(ErrorCode::InvalidArgument,
                   concat("output ", i, " has a null pointer"));
    written[i] = {first, first + outputBytes[i]};
  }
  const auto found =
      findOverlap({written.data(), written.size()}, {read.data(), read.size()},
                  [&](std::size_t output, std::size_t input) {
                    return written[output].begin == read[input].begin &&
                           mayBe[output * operands.size() + input];
                  });
  return found ? Status(errorOf(*found, demands)) : Status();
}

void PreparedImpl::fill(void **slots, Span<const void *const> inputs,
                        Span<void *const> outputs) const {
  slots = std::copy(outputs.begin(), outputs.end(), slots);
  for (std::uint32_t operand : kernel->plan().graph.inputs)
    *slots++ = const_cast<void *>(inputs[operand]);
  call.fillParameters(slots);
}

Status PreparedImpl::run(Span<const void *const> inputs,
                         Span<void *const> outputs,
                         DefaultFloats &floats) const {
  if (auto status = check(inputs, outputs); !status)
    return status;
  InlineBuffer<void *, 16> memory(slots());
  fill(memory.data(), inputs, outputs);
  return launch(memory.data(), floats);
}

Status PreparedImpl::launch(void *const *slots, DefaultFloats &floats) const {
  if (loop) {
    runLoop(slots);
    return {};
  }
  if (!parts.empty())
    return runParts(slots, floats);
  const Item item{&call, slots};
  return call.count() > 0 ? Execution(*kernel, {&item, 1}, options).run(floats)
                          : Status();
}

void PreparedImpl::runLoop(void *const *slots) const {
  loop->code().run(call.count(), slots, strides.data());
}

void PreparedImpl::fillPart(void **next, const Part &part,
                            void *const *slots) const {
  const auto &inputs = kernel->plan().graph.inputs;
  for (std::size_t output : part.outputs)
    *next++ = slots[output];
  for (std::uint32_t operand : part.call->kernel->plan().graph.inputs)
    *next++ = slots[outputBytes.size() +
                    (std::find(inputs.begin(), inputs.end(), operand) -
                     inputs.begin())];
  part.call->call.fillParameters(next);
}

Status PreparedImpl::runParts(void *const *slots, DefaultFloats &floats) const {
  std::size_t needed = 0;
  for (const Part &part : parts)
    needed += part.call->slots();
  InlineBuffer<void *, 64> memory(needed);
  InlineBuffer<Item, 16> items(parts.size());
  // What a part may still fail at, it fails at before any is written.
  std::vector<std::unique_ptr<Execution>> larger;
  void **next = memory.data();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PreparedImpl &one = *parts[i].call;
    fillPart(next, parts[i], slots);
    items[i] = {&one.call, next};
    next += one.slots();
    if (one.loop)
      one.loop->code().reserve();
    else if (one.count() > 0)
      larger.push_back(std::make_unique<Execution>(
          *one.kernel, std::span(&items[i], 1), options));
  }
  auto execution = larger.begin();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PreparedImpl &one = *parts[i].call;
    if (one.loop)
      one.runLoop(items[i].first);
    else if (one.count() > 0)
      if (auto status = (*execution++)->run(floats); !status)
        return status;
  }
  return {};
}

semantics::LoopFn PreparedImpl::direct() const {
  // What is not there yet, or is never, is asked for at every call.
  return loop && loop->code().tier == Tier::Optimized ? loop->code().function
                                                      : nullptr;
}

BoundImpl::BoundImpl(std::shared_ptr<const PreparedImpl> given,
                     Span<const TensorView> inputs,
                     Span<const TensorView> outputs)
    : prepared(std::move(given)), slots(prepared->slots()),
      function(prepared->direct()), count(prepared->count()),
      strides(prepared->loopStrides()) {
  std::vector<const void *> from;
  std::vector<void *> to;
  for (const TensorView &input : inputs)
    from.push_back(input.data());
  for (const TensorView &output : outputs)
    to.push_back(output.data());
  prepared->fill(slots.data(), from, to);
}
