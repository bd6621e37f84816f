//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/LoopVariants.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Access;
using semantics::AccessPattern;
using semantics::Plan;

/// Calls `visit(access, slot)` until it returns false.
template <class P, class F> static bool everyAccess(P &plan, F visit) {
  std::size_t slot = 0;
  for (auto *accesses : {&plan.outputs, &plan.inputs})
    for (auto &access : *accesses)
      if (!visit(access, slot++))
        return false;
  return true;
}

Expected<const Loop *>
LoopVariants::loopFor(std::span<const AccessPattern> patterns) const {
  const auto find = [this](auto patternOf) -> const Loop * {
    for (const Variant &variant : variants)
      if (everyAccess(*variant.loop,
                      [&](const Access &access, std::size_t slot) {
                        return access.pattern == patternOf(slot);
                      }))
        return variant.loop.get();
    return nullptr;
  };
  const auto own = [&](std::size_t slot) { return patterns[slot]; };
  // States of a reduction have no strides.
  const auto strided = [&](std::size_t slot) {
    const bool isState =
        slot < plan.outputs.size() && plan.outputs[slot].reducing;
    return isState ? own(slot) : AccessPattern::Strided;
  };
  if (const Loop *loop = find(own))
    return loop;
  const bool isFull = variants.size() >= MaxVariants;
  if (isFull)
    if (const Loop *loop = find(strided))
      return loop;
  Plan variant = plan;
  everyAccess(variant, [&](Access &access, std::size_t slot) {
    access.pattern = isFull ? strided(slot) : own(slot);
    return true;
  });
  // Threads that ask for it at once get one loop, which is listed once.
  auto made = compiler.compile(variant, mode);
  if (!made)
    return made.error();
  const auto isMade = [&](const Variant &each) { return each.loop == *made; };
  return variants.pushUnless(isMade, *made).loop.get();
}

const Loop *LoopVariants::streaming(const Loop &regular) const {
  for (const Variant &variant : variants)
    if (variant.loop.get() == &regular) {
      const Loop *known = variant.streams.load(std::memory_order_acquire);
      return known ? known : makeStreaming(variant);
    }
  return nullptr;
}

const Loop *LoopVariants::makeStreaming(const Variant &variant) const {
  // The interpreter has no such stores; machine code may come yet.
  if (!variant.loop->code().function)
    return nullptr;
  Plan streaming = plan;
  streaming.inputs = variant.loop->inputs;
  streaming.outputs = variant.loop->outputs;
  streaming.streams = true;
  const auto level = lastLevel(streaming, mode);
  if (!level)
    return nullptr;
  // Until it is built the regular code runs. The first of those who ask at once
  // has it built.
  auto loop = std::make_shared<Loop>(
      streaming, std::make_unique<const Code>(variant.loop->code()));
  const auto kept = std::make_shared<const Plan>(std::move(streaming));
  const Loop *none = nullptr;
  if (!variant.streams.compare_exchange_strong(none, loop.get()))
    return none;
  variant.streaming = loop;
  compiler.improveLater(loop, kept, *level);
  return loop.get();
}

std::size_t LoopVariants::codeSize() const {
  std::size_t bytes = 0;
  for (const Variant &variant : variants) {
    const Loop *streaming = variant.streams.load();
    bytes += variant.loop->codeSize() + (streaming ? streaming->codeSize() : 0);
  }
  return bytes;
}
