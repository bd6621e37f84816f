//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/BoundImpl.h"

using namespace kexpr;
using namespace kexpr::runtime;

Expected<std::shared_ptr<const BoundImpl>>
BoundImpl::create(std::shared_ptr<const KernelImpl> kernel,
                  Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options) {
  auto bound = std::make_shared<BoundImpl>(std::move(kernel), options);
  const bool isDivided = bound->kernel->needsParts(outputs);
  auto status = isDivided
                    ? bound->divide(inputs, outputs)
                    : bound->kernel->prepare(bound->call, inputs, outputs);
  if (!status)
    return status.error();
  if (!isDivided)
    bound->chooseDirect();
  return std::shared_ptr<const BoundImpl>(std::move(bound));
}

Status BoundImpl::divide(Span<const TensorView> inputs,
                         Span<const TensorView> outputs) {
  auto all = kernel->divide(inputs, outputs);
  if (!all)
    return all.error();
  for (const KernelImpl::Part &part : *all) {
    auto bound = create(part.kernel, inputs,
                        {part.outputs.data(), part.outputs.size()}, options);
    if (!bound)
      return bound.error();
    parts.push_back(std::move(*bound));
  }
  return {};
}

void BoundImpl::chooseDirect() {
  const bool direct =
      call.count() > 0 && call.isOneLoop() &&
      kernel->isSmall(call.count(), options) &&
      !kernel->isLarge(static_cast<double>(call.count()), options);
  if (!direct)
    return;
  pointers.resize(kernel->slots());
  strides.resize(kernel->slots());
  call.locate(call.item().first, pointers.data(), strides.data());
  const Code &code = call.chosen().code();
  // What is not there yet, or is never, is asked for at every call.
  if (code.tier == Tier::Optimized)
    function = code.function;
  else
    loop = &call.chosen();
}

void BoundImpl::runAnyhow() const {
  for (const auto &part : parts)
    part->run();
  const Item item = call.item();
  if (call.count() > 0)
    kernel->execute({&item, 1}, options);
}
