//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Interpreter.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::semantics;

/// One block on its way through the steps.
struct Interpreter::Block {
  std::int64_t first;    ///< Position of its first element in the loop.
  std::int64_t size;     ///< Elements.
  std::int64_t capacity; ///< Elements a register holds.
  std::byte *scratch;    ///< The registers, one after the other.
  const void **place;    ///< Where each value's elements are.
  std::size_t elementSize;

  std::byte *registerAt(std::uint32_t index) const {
    return scratch + index * capacity * elementSize;
  }
};

Interpreter::Interpreter(const Plan &plan)
    : plan(plan), registers(plan.graph.values.size()),
      elementSize(sizeOf(plan.outputs.front().type)) {
  assignRegisters();
  const auto values = std::max<std::size_t>(registerCount, 1);
  const auto fits = MaxScratch / (values * elementSize);
  blockSize = static_cast<std::int64_t>(
      std::clamp<std::size_t>(fits / 64 * 64, 64, 1024));
}

void Interpreter::assignRegisters() {
  const Graph &graph = plan.graph;
  std::vector<std::size_t> lastUse(graph.values.size(), 0);
  for (std::size_t id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].kind == ValueKind::Call)
      for (ValueId arg : graph.args(graph.values[id]))
        lastUse[arg] = id;
  // Outputs are stored after every step has run: an output may be an input.
  for (ValueId id : graph.outputs)
    lastUse[id] = graph.values.size();

  std::vector<std::uint32_t> free;
  auto take = [&] {
    if (free.empty())
      return registerCount++;
    std::uint32_t taken = free.back();
    free.pop_back();
    return taken;
  };
  // What stays over all blocks comes first, and is never given back.
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].kind != ValueKind::Call)
      registers[id] = take();
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    if (value.kind != ValueKind::Call)
      continue;
    for (ValueId arg : graph.args(value))
      if (lastUse[arg] == id && graph.values[arg].kind == ValueKind::Call) {
        free.push_back(registers[arg]);
        lastUse[arg] = 0; // once, even if it is an argument twice
      }
    registers[id] = take();
    Step step{ops::blocks(plan.arithmeticOf(value))[value.op],
              static_cast<std::uint32_t>(id),
              {},
              0};
    for (ValueId arg : graph.args(value))
      step.args[step.arity++] = arg;
    steps.push_back(step);
  }
}

/// `count` copies of the element at `from`, whose address may be any.
template <class T>
static void fill(std::byte *to, const void *from, std::int64_t count) {
  T number;
  std::memcpy(&number, from, sizeof number);
  std::fill_n(reinterpret_cast<T *>(to), count, number);
}

static void fill(std::byte *to, const void *from, std::int64_t count,
                 DType type) {
  if (type == DType::F64)
    fill<double>(to, from, count);
  else
    fill<float>(to, from, count);
}

void Interpreter::fillConstants(Block &block, void *const *pointers) const {
  const Graph &graph = plan.graph;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    std::byte *to = block.registerAt(registers[id]);
    if (value.kind == ValueKind::Constant) {
      const auto single = static_cast<float>(value.number);
      const void *number = &single;
      if (value.type == DType::F64)
        number = &value.number;
      fill(to, number, block.size, value.type);
    } else if (value.kind == ValueKind::Input &&
               plan.inputs[value.input].walk == Walk::Constant) {
      fill(to, pointers[plan.outputs.size() + value.input], block.size,
           value.type);
    }
  }
}

/// The block's elements at `base`: where they are, or copied to `own` where
/// they cannot be read in place, or may be overwritten by an earlier output.
const std::byte *Interpreter::contiguous(const std::byte *base, std::byte *own,
                                         const Block &block) const {
  const std::byte *first = base + block.first * elementSize;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(first) % elementSize == 0;
  if (aligned && plan.outputs.size() == 1)
    return first;
  std::memcpy(own, first, block.size * elementSize);
  return own;
}

/// Copies `count` elements of `size` bytes each, in steps of their own.
static void copyStrided(std::byte *to, std::int64_t toStep,
                        const std::byte *from, std::int64_t fromStep,
                        std::int64_t count, std::size_t size) {
  for (std::int64_t i = 0; i < count; ++i)
    if (size == sizeof(double))
      std::memcpy(to + i * toStep, from + i * fromStep, sizeof(double));
    else
      std::memcpy(to + i * toStep, from + i * fromStep, sizeof(float));
}

void Interpreter::load(Block &block, void *const *pointers,
                       const std::int64_t *strides) const {
  const Graph &graph = plan.graph;
  const auto step = static_cast<std::int64_t>(elementSize);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    std::byte *own = block.registerAt(registers[id]);
    block.place[id] = own;
    const Value &value = graph.values[id];
    if (value.kind != ValueKind::Input)
      continue;
    const std::size_t slot = plan.outputs.size() + value.input;
    const auto *base = static_cast<const std::byte *>(pointers[slot]);
    const Walk walk = plan.inputs[value.input].walk;
    if (walk == Walk::Contiguous)
      block.place[id] = contiguous(base, own, block);
    else if (walk == Walk::Strided)
      copyStrided(own, step, base + block.first * strides[slot], strides[slot],
                  block.size, elementSize);
  }
}

void Interpreter::compute(Block &block) const {
  for (const Step &step : steps) {
    const void *args[ops::MaxArity];
    for (std::uint32_t i = 0; i < step.arity; ++i)
      args[i] = block.place[step.args[i]];
    step.function(static_cast<std::size_t>(block.size), args,
                  block.registerAt(registers[step.result]));
  }
}

void Interpreter::store(const Block &block, void *const *pointers,
                        const std::int64_t *strides) const {
  const auto step = static_cast<std::int64_t>(elementSize);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const void *from = block.place[plan.graph.outputs[i]];
    auto *base = static_cast<std::byte *>(pointers[i]);
    if (plan.outputs[i].walk == Walk::Contiguous)
      std::memmove(base + block.first * step, from, block.size * elementSize);
    else
      copyStrided(base + block.first * strides[i], strides[i],
                  static_cast<const std::byte *>(from), step, block.size,
                  elementSize);
  }
}

void Interpreter::run(std::int64_t count, void *const *pointers,
                      const std::int64_t *strides) const {
  // Grows to the largest plan the thread has met and stays. Of doubles, for
  // their alignment.
  thread_local std::vector<double> scratch;
  thread_local std::vector<const void *> place;
  Block block{
      0, std::min(blockSize, count), blockSize, nullptr, nullptr, elementSize};
  const std::size_t bytes =
      std::size_t(registerCount) * blockSize * elementSize;
  if (scratch.size() * sizeof(double) < bytes)
    scratch.resize(bytes / sizeof(double));
  if (place.size() < registers.size())
    place.resize(registers.size());
  block.scratch = reinterpret_cast<std::byte *>(scratch.data());
  block.place = place.data();
  fillConstants(block, pointers);
  for (; block.first < count; block.first += block.size) {
    block.size = std::min(blockSize, count - block.first);
    load(block, pointers, strides);
    compute(block);
    store(block, pointers, strides);
  }
}
