//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

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

static std::vector<unsigned> shiftsOf(const std::vector<Access> &outputs) {
  std::vector<unsigned> shifts;
  for (const Access &output : outputs)
    shifts.push_back(std::countr_zero(sizeOf(output.type)));
  return shifts;
}

Loop::Loop(const Plan &plan, std::unique_ptr<const Code> first)
    : outputs(plan.outputs), inputs(plan.inputs), slots(plan.slots()),
      shifts(shiftsOf(outputs)),
      narrowest(static_cast<std::size_t>(std::ranges::min_element(shifts) -
                                         shifts.begin())),
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

/// Goes on by some elements.
void Loop::move(std::int64_t elements, void **pointers,
                const std::int64_t *strides) const {
  const auto move = [&](std::size_t slot, const Access &access) {
    auto step = static_cast<std::int64_t>(sizeOf(access.type));
    if (access.pattern != AccessPattern::Contiguous)
      step = access.pattern == AccessPattern::Strided ? strides[slot] : 0;
    pointers[slot] = static_cast<char *>(pointers[slot]) + elements * step;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i)
    move(i, outputs[i]);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    move(outputs.size() + i, inputs[i]);
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
  move(head, rest.data(), strides);
  now.function(head, pointers, strides);
  now.function(count - head, rest.data(), strides);
  return true;
}

/// How many elements come before the first that begins a line in all outputs;
/// `count` if none does.
std::int64_t Loop::beforeLine(std::int64_t count, void *const *pointers) const {
  constexpr std::uintptr_t line = semantics::StreamAlignment;
  const auto bytesBefore = [&](std::size_t i, std::uintptr_t element) {
    return -(reinterpret_cast<std::uintptr_t>(pointers[i]) +
             (element << shifts[i])) %
           line;
  };
  const std::uintptr_t head = bytesBefore(narrowest, 0) >> shifts[narrowest];
  for (std::size_t i = 0; i < shifts.size(); ++i)
    if (bytesBefore(i, head) != 0)
      return count;
  return std::min(static_cast<std::int64_t>(head), count);
}

/// Runs elements before a line that is stored past the caches. A masked vector
/// that reaches into that line would take it into the caches, and its store
/// would wait for that: so they are stored elsewhere and copied.
void Loop::runBeforeLine(std::int64_t count, void **pointers,
                         const std::int64_t *strides) const {
  constexpr std::size_t line = semantics::StreamAlignment, most = 4;
  const auto bytesOf = [&](const Access &output) {
    return static_cast<std::size_t>(count) * sizeOf(output.type);
  };
  // An output of larger elements than another may begin lines before.
  if (outputs.size() > most ||
      std::ranges::any_of(outputs, [&](const Access &output) {
        return bytesOf(output) > line;
      }))
    return code().run(count, pointers, strides);
  alignas(line) std::byte heads[most][line];
  void *first[most];
  for (std::size_t i = 0; i < outputs.size(); ++i)
    first[i] = std::exchange(pointers[i], heads[i]);
  code().run(count, pointers, strides);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::memcpy(first[i], heads[i], bytesOf(outputs[i]));
    pointers[i] = first[i];
  }
}

void Loop::runStreamed(const Loop &streaming, std::int64_t count,
                       void **pointers, const std::int64_t *strides,
                       NextCall next) const {
  const std::int64_t head = beforeLine(count, pointers);
  if (head == count)
    return run(count, pointers, strides);
  // Streamed stores would wait for lines that a later call stores a part of.
  constexpr std::uintptr_t line = semantics::StreamAlignment;
  constexpr std::int64_t callsAhead = 2;
  for (std::size_t i = 0; next.steps && i < shifts.size(); ++i) {
    const std::int64_t step = next.steps[i * next.pitch];
    const char *first = static_cast<char *>(pointers[i]) + callsAhead * step,
               *end = first + (count << shifts[i]);
    if (reinterpret_cast<std::uintptr_t>(first) % line != 0)
      __builtin_prefetch(first, 1);
    if (reinterpret_cast<std::uintptr_t>(end) % line != 0 &&
        end != first + step)
      __builtin_prefetch(end, 1);
  }
  if (head == 0)
    return streaming.code().run(count, pointers, strides);
  runBeforeLine(head, pointers, strides);
  move(head, pointers, strides);
  streaming.code().run(count - head, pointers, strides);
  move(-head, pointers, strides);
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
