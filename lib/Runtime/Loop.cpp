//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Access;
using semantics::AccessPattern;
using semantics::Plan;

/// Of a call that does its head first.
static constexpr std::size_t MostAlignedSlots = 32;

/// Alignment pays where loads and stores take more time than what is computed
/// of them. States take elements in lanes that are theirs by their number.
static std::int64_t longLoopOf(const Plan &plan) {
  constexpr unsigned fewOperations = 12;
  constexpr std::int64_t longLoop = 1024;
  const bool reduces =
      std::ranges::any_of(plan.outputs, [](const Access &output) {
        return output.reducing.has_value();
      });
  const bool isFor = !plan.streams && !reduces &&
                     plan.slots() <= MostAlignedSlots &&
                     plan.outputs[0].pattern == AccessPattern::Contiguous &&
                     plan.work().operations <= fewOperations;
  return isFor ? longLoop : std::numeric_limits<std::int64_t>::max();
}

Loop::Loop(const Plan &plan, std::unique_ptr<const Code> first)
    : outputs(plan.outputs), inputs(plan.inputs), slots(plan.slots()),
      longLoop(longLoopOf(plan)) {
  improve(std::move(first));
}

/// None where an input is aligned as it is: a load that was of one cache line
/// would be of two.
std::int64_t Loop::headOf(std::int64_t count, void *const *pointers) const {
  if (count < longLoop)
    return 0;
  const auto before = [&](std::size_t slot) {
    return -reinterpret_cast<std::uintptr_t>(pointers[slot]) %
           semantics::StreamAlignment;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].pattern == AccessPattern::Contiguous &&
        before(outputs.size() + i) == 0)
      return 0;
  return static_cast<std::int64_t>(before(0) / sizeOf(outputs[0].type));
}

/// Runs the head and the rest; false, with nothing done, if there is no head.
bool Loop::runAligned(std::int64_t count, void *const *pointers,
                      const std::int64_t *strides) const {
  const std::int64_t head = headOf(count, pointers);
  const Code &now = code();
  if (head == 0 || !now.function)
    return false;
  std::array<void *, MostAlignedSlots> rest;
  std::copy_n(pointers, slots, rest.begin());
  const auto move = [&](std::size_t slot, const Access &access) {
    auto step = static_cast<std::int64_t>(sizeOf(access.type));
    if (access.pattern != AccessPattern::Contiguous)
      step = access.pattern == AccessPattern::Strided ? strides[slot] : 0;
    rest[slot] = static_cast<char *>(rest[slot]) + head * step;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i)
    move(i, outputs[i]);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    move(outputs.size() + i, inputs[i]);
  now.function(head, pointers, strides);
  now.function(count - head, rest.data(), strides);
  return true;
}

LoopPtr LoopTable::find(const std::string &key) const {
  std::lock_guard lock(mutex);
  const auto found = loops.find(key);
  return found == loops.end() ? nullptr : found->second.lock();
}

Expected<LoopPtr> LoopTable::findOrMake(
    const std::string &key,
    const std::function<Expected<std::shared_ptr<Loop>>()> &make, bool &isNew) {
  isNew = false;
  return flights.findOrMake(
      key, [&] { return find(key); },
      [&]() -> Expected<LoopPtr> {
        isNew = true;
        auto made = make();
        if (!made)
          return made.error();
        std::lock_guard lock(mutex);
        auto &entry = loops[key];
        // Made by this thread while it was making it, for a sink of the host.
        if (LoopPtr known = entry.lock())
          return known;
        entry = *made;
        if (loops.size() >= sweepAt) {
          std::erase_if(loops,
                        [](const auto &each) { return each.second.expired(); });
          sweepAt = 2 * loops.size() + 64;
        }
        return LoopPtr(std::move(*made));
      });
}
