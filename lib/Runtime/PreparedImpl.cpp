//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/PreparedImpl.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

Expected<std::shared_ptr<const PreparedImpl>>
PreparedImpl::create(KernelPtr kernel, Span<const TensorView> inputs,
                     Span<const TensorView> outputs, const RunOptions &options,
                     bool withMemory) {
  auto made = std::make_shared<PreparedImpl>(std::move(kernel), options);
  if (auto status = made->prepare(inputs, outputs, withMemory); !status)
    return status.error();
  return std::shared_ptr<const PreparedImpl>(std::move(made));
}

Status PreparedImpl::prepare(Span<const TensorView> inputs,
                             Span<const TensorView> outputs, bool withMemory) {
  if (const RowProgram *program = kernel->rows()) {
    rows.emplace(kernel->plan(), kernel->requirements(), *program);
    auto status = kernel->prepareRows(
        *rows,
        {{inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}},
        withMemory);
    if (status)
      noteMemory(inputs, outputs);
    return status;
  }
  if (kernel->differInShape(outputs))
    return divide(inputs, outputs, withMemory);
  if (auto status = kernel->prepare(call, inputs, outputs, withMemory); !status)
    return status;
  if (!withMemory)
    noteMemory(inputs, outputs);
  const std::int64_t count = call.count();
  if (count == 0 || !call.isOneLoop() ||
      !kernel->policy().isOnePart(count, options) ||
      kernel->policy().mayStream(static_cast<double>(count), options))
    return {};
  strides.resize(kernel->tensors());
  InlineBuffer<void *, 16> pointers(kernel->slots());
  call.locate(call.launch().first, pointers.data(), strides.data());
  loop = &call.chosen();
  return {};
}

Status PreparedImpl::divide(Span<const TensorView> inputs,
                            Span<const TensorView> outputs, bool withMemory) {
  if (auto status = kernel->check(
          {{inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}},
          withMemory);
      !status)
    return status;
  if (!withMemory)
    noteMemory(inputs, outputs);
  const auto &operands = kernel->requirements().operands;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto group = std::find_if(
        groups.begin(), groups.end(), [&](const OutputGroup &each) {
          return outputs[each.outputs[0]].shape() == outputs[i].shape();
        });
    if (group == groups.end())
      group = groups.insert(group, OutputGroup());
    group->outputs.push_back(i);
  }
  std::vector<std::size_t> written; // by groups before
  for (OutputGroup &group : groups) {
    auto part = kernel->restrictedTo(group.outputs);
    if (!part)
      return part.error();
    // An output may be an input, but no group that runs later may read it.
    for (std::uint32_t operand : (*part)->requirements().operands)
      for (std::size_t output : written) {
        if (!withMemory) {
          const auto i =
              std::lower_bound(operands.begin(), operands.end(), operand) -
              operands.begin();
          mayBe[output * operands.size() + i] = false;
        } else if (outputs[output].data() == inputs[operand].data() &&
                   outputs[output].shape().elementCount() > 0 &&
                   inputs[operand].shape().elementCount() > 0)
          return Error(ErrorCode::OverlappingOutput,
                       concat("an output is operand @", operand,
                              ", which an output of another shape needs"));
      }
    std::vector<TensorView> own;
    for (std::size_t output : group.outputs)
      own.push_back(outputs[output]);
    auto made = create(std::move(*part), inputs, own, options, withMemory);
    if (!made)
      return made.error();
    group.call = std::move(*made);
    written.insert(written.end(), group.outputs.begin(), group.outputs.end());
  }
  return {};
}

void PreparedImpl::noteMemory(Span<const TensorView> inputs,
                              Span<const TensorView> outputs) {
  const auto &operands = kernel->requirements().operands;
  for (std::uint32_t operand : operands)
    inputBytes.push_back(ByteReach::of(inputs[operand]));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputBytes.push_back(ByteReach::of(outputs[i]));
    for (std::uint32_t operand : operands)
      mayBe.push_back(haveOneLayout(outputs[i], inputs[operand]) &&
                      (!rows || rows->mayShare(i, operand)));
  }
}

bool PreparedImpl::mayShare(std::size_t output, std::size_t operand) const {
  const auto &operands = kernel->requirements().operands;
  const auto at = std::lower_bound(operands.begin(), operands.end(), operand);
  return output < outputBytes.size() && at != operands.end() &&
         *at == operand &&
         mayBe[output * operands.size() +
               static_cast<std::size_t>(at - operands.begin())];
}

Status PreparedImpl::check(Span<const void *const> inputs,
                           Span<void *const> outputs) const {
  const auto &operands = kernel->requirements().operands;
  const std::size_t needed = operands.empty() ? 0 : operands.back() + 1;
  if (inputs.size() < needed || outputs.size() != outputBytes.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the call has ", needed, " inputs and ",
                        outputBytes.size(), " outputs, but ", inputs.size(),
                        " and ", outputs.size(), " pointers were given"));
  InlineBuffer<ByteRange, 8> written(outputs.size());
  InlineBuffer<ByteRange, 16> read(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const void *first = inputs[operands[i]];
    if (!first && !inputBytes[i].empty())
      return Error(ErrorCode::InvalidArgument,
                   concat("operand @", operands[i], " has a null pointer"));
    read[i] = inputBytes[i].from(first);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const void *first = outputs[i];
    if (!first && !outputBytes[i].empty())
      return Error(ErrorCode::InvalidArgument,
                   concat("output ", i, " has a null pointer"));
    written[i] = outputBytes[i].from(first);
  }
  return kernel->requirements().checkOverlap(
      {written.data(), written.size()}, {read.data(), read.size()},
      [this, width = operands.size()](std::size_t output, std::size_t input) {
        return mayBe[output * width + input];
      });
}

bool PreparedImpl::isRight(const CallArguments &arguments) const {
  InlineBuffer<const void *, 16> inputs(arguments.inputs.count);
  InlineBuffer<void *, 16> outputs(arguments.outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = arguments.inputs[i].data();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = arguments.outputs[i].data();
  return bool(
      check({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}));
}

std::size_t PreparedImpl::size() const {
  return sizeof(PreparedImpl) + (rows ? rows->size() : 0);
}

Status PreparedImpl::run(Span<const void *const> inputs,
                         Span<void *const> outputs,
                         DefaultFloats &floats) const {
  if (auto status = check(inputs, outputs); !status)
    return status;
  InlineBuffer<void *, 16> memory(slots());
  const auto address = [](const void *first) { return first; };
  fill(memory.data(), inputs, outputs, address);
  return launch(memory.data(), floats);
}

Status PreparedImpl::launch(void *const *slots, DefaultFloats &floats) const {
  if (loop) {
    runLoop(slots);
    return {};
  }
  if (rows)
    return rows->run(slots, options, kernel->executorFor(options), floats);
  if (!groups.empty())
    return runGroups(slots, floats);
  if (call.count() == 0)
    return {};
  const Launch launch{&call, slots};
  return Execution(*kernel, {&launch, 1}, options).run(floats);
}

void PreparedImpl::runLoop(void *const *slots) const {
  loop->run(call.count(), slots, strides.data());
}

void PreparedImpl::fillGroup(void **next, const OutputGroup &group,
                             void *const *slots) const {
  const auto &inputs = kernel->plan().graph.inputs;
  void **const first = next;
  for (std::size_t output : group.outputs)
    *next++ = slots[output];
  for (std::uint32_t operand : group.call->kernel->plan().graph.inputs)
    *next++ = slots[kernel->plan().outputs.size() +
                    (std::find(inputs.begin(), inputs.end(), operand) -
                     inputs.begin())];
  group.call->call.moveToFirsts(first);
  group.call->call.fillParameters(next);
}

Status PreparedImpl::runGroups(void *const *slots,
                               DefaultFloats &floats) const {
  std::size_t needed = 0;
  for (const OutputGroup &group : groups)
    needed += group.call->slots();
  InlineBuffer<void *, 64> memory(needed);
  InlineBuffer<Launch, 16> launches(groups.size());
  // Whatever may fail is done before any output is written.
  std::vector<std::unique_ptr<Execution>> executions;
  void **next = memory.data();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const PreparedImpl &one = *groups[i].call;
    fillGroup(next, groups[i], slots);
    launches[i] = {&one.call, next};
    next += one.slots();
    if (one.loop)
      one.loop->code().reserve();
    else if (one.count() > 0)
      executions.push_back(std::make_unique<Execution>(
          *one.kernel, std::span(&launches[i], 1), options));
  }
  auto execution = executions.begin();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (const PreparedImpl &one = *groups[i].call; one.loop)
      one.runLoop(launches[i].first);
    else if (one.count() > 0)
      if (auto status = (*execution++)->run(floats); !status)
        return status;
  return {};
}

semantics::LoopFn PreparedImpl::direct(void *const *slots) const {
  // Before there is optimised code, each call looks for better code.
  const bool isDirect = loop && loop->code().tier == Tier::Optimized &&
                        loop->headOf(call.count(), slots) == 0;
  return isDirect ? loop->code().function : nullptr;
}

BoundImpl::BoundImpl(std::shared_ptr<const PreparedImpl> given,
                     Span<const TensorView> inputs,
                     Span<const TensorView> outputs)
    : prepared(std::move(given)), slots(prepared->slots()),
      count(prepared->count()), strides(prepared->loopStrides()) {
  const auto address = [](const TensorView &view) { return view.data(); };
  prepared->fill(slots.data(), inputs, outputs, address);
  function = prepared->direct(slots.data());
}
