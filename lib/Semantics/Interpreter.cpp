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
  float *scratch;        ///< The registers, one after the other.
  const float **place;   ///< Where each value's elements are.

  float *registerAt(std::uint32_t index) const {
    return scratch + index * capacity;
  }
};

Interpreter::Interpreter(const Plan &plan)
    : plan(plan), registers(plan.graph.values.size()) {
  assignRegisters();
  const auto values = std::max<std::size_t>(registerCount, 1);
  const auto fits = MaxScratch / (values * sizeof(float));
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
    Step step{ops::blocks()[value.op], static_cast<std::uint32_t>(id), {}, 0};
    for (ValueId arg : graph.args(value))
      step.args[step.arity++] = arg;
    steps.push_back(step);
  }
}

void Interpreter::fillConstants(Block &block, void *const *pointers) const {
  const Graph &graph = plan.graph;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    float number;
    if (value.kind == ValueKind::Constant)
      number = static_cast<float>(value.number);
    else if (value.kind == ValueKind::Input &&
             plan.inputs[value.input].walk == Walk::Constant)
      std::memcpy(&number, pointers[plan.outputs.size() + value.input],
                  sizeof number);
    else
      continue;
    std::fill_n(block.registerAt(registers[id]), block.size, number);
  }
}

/// The block's elements at `base`: where they are, or copied to `own` where
/// they cannot be read as floats, or may be overwritten by an earlier output.
const float *Interpreter::contiguous(const char *base, float *own,
                                     const Block &block) const {
  const char *first = base + block.first * sizeof(float);
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(first) % alignof(float) == 0;
  if (aligned && plan.outputs.size() == 1)
    return reinterpret_cast<const float *>(first);
  std::memcpy(own, first, block.size * sizeof(float));
  return own;
}

void Interpreter::load(Block &block, void *const *pointers,
                       const std::int64_t *strides) const {
  const Graph &graph = plan.graph;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    float *own = block.registerAt(registers[id]);
    block.place[id] = own;
    const Value &value = graph.values[id];
    if (value.kind != ValueKind::Input)
      continue;
    const std::size_t slot = plan.outputs.size() + value.input;
    const char *base = static_cast<const char *>(pointers[slot]);
    const Walk walk = plan.inputs[value.input].walk;
    if (walk == Walk::Contiguous)
      block.place[id] = contiguous(base, own, block);
    else if (walk == Walk::Strided)
      for (std::int64_t i = 0; i < block.size; ++i)
        std::memcpy(own + i, base + (block.first + i) * strides[slot],
                    sizeof(float));
  }
}

void Interpreter::compute(Block &block) const {
  for (const Step &step : steps) {
    const float *args[ops::MaxArity];
    for (std::uint32_t i = 0; i < step.arity; ++i)
      args[i] = block.place[step.args[i]];
    step.function(static_cast<std::size_t>(block.size), args,
                  block.registerAt(registers[step.result]));
  }
}

void Interpreter::store(const Block &block, void *const *pointers,
                        const std::int64_t *strides) const {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const float *from = block.place[plan.graph.outputs[i]];
    char *base = static_cast<char *>(pointers[i]);
    if (plan.outputs[i].walk == Walk::Contiguous)
      std::memmove(base + block.first * sizeof(float), from,
                   block.size * sizeof(float));
    else
      for (std::int64_t k = 0; k < block.size; ++k)
        std::memcpy(base + (block.first + k) * strides[i], from + k,
                    sizeof(float));
  }
}

void Interpreter::run(std::int64_t count, void *const *pointers,
                      const std::int64_t *strides) const {
  // Grows to the largest plan the thread has met and stays.
  thread_local std::vector<float> scratch;
  thread_local std::vector<const float *> place;
  Block block{0, std::min(blockSize, count), blockSize, nullptr, nullptr};
  if (scratch.size() < std::size_t(registerCount) * blockSize)
    scratch.resize(std::size_t(registerCount) * blockSize);
  if (place.size() < registers.size())
    place.resize(registers.size());
  block.scratch = scratch.data();
  block.place = place.data();
  fillConstants(block, pointers);
  for (; block.first < count; block.first += block.size) {
    block.size = std::min(blockSize, count - block.first);
    load(block, pointers, strides);
    compute(block);
    store(block, pointers, strides);
  }
}
