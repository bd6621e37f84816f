//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"
#include "Runtime/Hardware.h"
#include "Runtime/KernelImpl.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

std::int64_t KernelImpl::tileOf(const RunOptions &options) const {
  return options.tileElements > 0 ? options.tileElements : grain;
}

Executor KernelImpl::executorFor(const RunOptions &options) const {
  return options.executor.run ? options.executor : compiler->executor();
}

bool KernelImpl::isSmall(std::int64_t count, const RunOptions &options) const {
  if (options.maxThreads == 1)
    return true;
  return options.tileElements > 0 ? count <= options.tileElements
                                  : count < GrainsShared * grain;
}

std::size_t KernelImpl::streamedBytes(const semantics::Plan &plan) {
  // More work than this an element, and memory is not what a core waits for;
  // streamed stores then cost up to a twentieth (Zen 5).
  constexpr std::size_t mostOperations = 6; // a byte
  const std::size_t bytes = plan.bytesPerElement();
  return plan.work().operations <= mostOperations * bytes ? bytes : 0;
}

bool KernelImpl::isLarge(double count, const RunOptions &options) const {
  return options.stores == Stores::Choose ? waitsForMemory(count)
                                          : options.stores == Stores::Streamed;
}

bool KernelImpl::waitsForMemory(double count) const {
  // Less than any machine's caches hold: what most calls are.
  constexpr double fewBytes = 1 << 20;
  const double bytes = count * static_cast<double>(streamed);
  return bytes >= fewBytes && bytes >= static_cast<double>(lastCacheBytes());
}

const Loop *KernelImpl::streaming(const Loop &regular) const {
  for (const Variant *v = variants.load(); v; v = v->next)
    if (v->loop.get() == &regular) {
      const Loop *known = v->streams.load(std::memory_order_acquire);
      return known ? known : makeStreaming(*v);
    }
  return nullptr;
}

const Loop *KernelImpl::makeStreaming(const Variant &variant) const {
  // The interpreter has no such stores; machine code may come yet.
  if (!variant.loop->code().function)
    return nullptr;
  semantics::Plan plan = contiguousPlan;
  plan.inputs = variant.loop->inputs;
  plan.outputs = variant.loop->outputs;
  plan.streams = true;
  const auto level = lastLevel(plan, options.mode);
  if (!level)
    return nullptr;
  // Until it is built the regular code runs. The first of those who ask at once
  // has it built.
  auto later = std::make_shared<Loop>(
      plan, std::make_unique<const Code>(variant.loop->code()));
  const auto kept = std::make_shared<const semantics::Plan>(std::move(plan));
  const Loop *none = nullptr;
  if (!variant.streams.compare_exchange_strong(none, later.get()))
    return none;
  variant.streaming = later;
  compiler->improveLater(later, kept, *level);
  return later.get();
}
