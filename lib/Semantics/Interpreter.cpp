//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Interpreter.h"

#include "Support/ThreadMemory.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::semantics;

/// The block that the steps work on.
struct Interpreter::Block {
  std::int64_t first;    ///< Position of its first element in the loop.
  std::int64_t size;     ///< Elements.
  std::int64_t capacity; ///< Elements a register holds.
  std::byte *scratch;    ///< The registers, one after the other.
  const void **elements; ///< The elements of each value.
  std::size_t elementSize;

  std::byte *states; ///< Of all elements, by output.

  std::byte *folded(std::size_t output) const;
  std::byte *registerAt(std::uint32_t index) const {
    return scratch + index * capacity * elementSize;
  }
};

Interpreter::Interpreter(const Plan &plan)
    : plan(plan), registers(plan.graph.values.size()) {
  for (const Value &value : plan.graph.values)
    elementSize = std::max(elementSize, sizeOf(value.type));
  assignRegisters();
  const auto values = std::max<std::size_t>(registerCount, 1);
  const auto fits = MaxScratch / (values * elementSize);
  blockSize = static_cast<std::int64_t>(
      std::clamp<std::size_t>(fits / 64 * 64, 64, 1024));
}

/// Whether a step makes the value.
static bool isComputed(const Value &value) {
  return value.kind == ValueKind::Call || value.kind == ValueKind::Convert;
}

static ops::BlockFn functionOf(const Plan &plan, const Value &value) {
  return value.kind == ValueKind::Call
             ? ops::blocks(plan.arithmeticOf(value))[value.op]
             : ops::conversion(plan.graph.computedType(value), value.type);
}

void Interpreter::assignRegisters() {
  const Graph &graph = plan.graph;
  std::vector<std::size_t> lastUse(graph.values.size(), 0);
  for (std::size_t id = 0; id < graph.values.size(); ++id)
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
  // Registers of inputs and numbers come first; all blocks keep them.
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    if (!isComputed(graph.values[id]))
      registers[id] = take();
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    if (!isComputed(value))
      continue;
    // Elements of another size would overwrite arguments not yet read.
    const auto args = graph.args(value);
    const bool inPlace =
        std::all_of(args.begin(), args.end(), [&](ValueId arg) {
          return sizeOf(value.type) == sizeOf(graph.values[arg].type);
        });
    if (!inPlace)
      registers[id] = take();
    for (ValueId arg : args)
      if (lastUse[arg] == id && isComputed(graph.values[arg])) {
        free.push_back(registers[arg]);
        lastUse[arg] = 0; // once, even if it is an argument twice
      }
    if (inPlace)
      registers[id] = take();
    Step step{functionOf(plan, value), static_cast<std::uint32_t>(id), {}, 0};
    for (ValueId arg : args)
      step.args[step.arity++] = arg;
    steps.push_back(step);
  }
}

/// `count` copies of the element of `size` bytes at `from`, whose address may
/// be any.
static void fill(std::byte *to, const void *from, std::size_t count,
                 std::size_t size) {
  std::memcpy(to, from, size);
  for (std::size_t done = 1; done < count; done *= 2)
    std::memcpy(to + done * size, to, std::min(done, count - done) * size);
}

/// Makes every byte of a host's bools 0 or 1.
static void normalize(std::byte *elements, std::int64_t count, DType type) {
  if (type == DType::Bool)
    for (std::int64_t i = 0; i < count; ++i)
      elements[i] = elements[i] == std::byte{0} ? std::byte{0} : std::byte{1};
}

void Interpreter::fillConstants(Block &block, void *const *pointers) const {
  const Graph &graph = plan.graph;
  void *const *inputs = pointers + plan.outputs.size();
  void *const *parameters = inputs + plan.inputs.size();
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    const void *element = nullptr;
    if (value.kind == ValueKind::Constant)
      element = &value.bits;
    else if (value.kind == ValueKind::Parameter)
      element = parameters[value.input];
    else if (value.kind == ValueKind::Input &&
             plan.inputs[value.input].pattern == AccessPattern::Constant)
      element = inputs[value.input];
    if (!element)
      continue;
    std::byte *to = block.registerAt(registers[id]);
    fill(to, element, static_cast<std::size_t>(block.size), sizeOf(value.type));
    normalize(to, block.size, value.type);
  }
}

/// The block's elements at `base`: where they are, or copied to `own` where
/// they cannot be read in place, or may be overwritten by an earlier output.
const std::byte *Interpreter::contiguous(const Value &value,
                                         const std::byte *base, std::byte *own,
                                         const Block &block) const {
  const std::size_t size = sizeOf(value.type);
  const std::byte *first = base + block.first * size;
  const bool aligned = reinterpret_cast<std::uintptr_t>(first) % size == 0;
  if (aligned && plan.outputs.size() == 1 && value.type != DType::Bool)
    return first;
  std::memcpy(own, first, block.size * size);
  normalize(own, block.size, value.type);
  return own;
}

template <class T>
static void copyElements(std::byte *to, std::int64_t toStep,
                         const std::byte *from, std::int64_t fromStep,
                         std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStep, from + i * fromStep, sizeof(T));
}

/// Copies `count` elements, in steps of their own.
static void copyStrided(std::byte *to, std::int64_t toStep,
                        const std::byte *from, std::int64_t fromStep,
                        std::int64_t count, std::size_t size) {
  switch (size) {
  case 8:
    return copyElements<std::uint64_t>(to, toStep, from, fromStep, count);
  case 4:
    return copyElements<std::uint32_t>(to, toStep, from, fromStep, count);
  case 2:
    return copyElements<std::uint16_t>(to, toStep, from, fromStep, count);
  default:
    return copyElements<std::uint8_t>(to, toStep, from, fromStep, count);
  }
}

void Interpreter::load(Block &block, void *const *pointers,
                       const std::int64_t *strides) const {
  const Graph &graph = plan.graph;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    std::byte *own = block.registerAt(registers[id]);
    block.elements[id] = own;
    const Value &value = graph.values[id];
    if (value.kind != ValueKind::Input)
      continue;
    const std::size_t slot = plan.outputs.size() + value.input;
    const auto *base = static_cast<const std::byte *>(pointers[slot]);
    const AccessPattern pattern = plan.inputs[value.input].pattern;
    if (pattern == AccessPattern::Contiguous) {
      block.elements[id] = contiguous(value, base, own, block);
    } else if (pattern == AccessPattern::Strided) {
      const std::size_t size = sizeOf(value.type);
      copyStrided(own, static_cast<std::int64_t>(size),
                  base + block.first * strides[slot], strides[slot], block.size,
                  size);
      normalize(own, block.size, value.type);
    }
  }
}

void Interpreter::compute(Block &block) const {
  for (const Step &step : steps) {
    const void *args[ops::MaxArity];
    for (std::uint32_t i = 0; i < step.arity; ++i)
      args[i] = block.elements[step.args[i]];
    step.function(static_cast<std::size_t>(block.size), args,
                  block.registerAt(registers[step.result]));
  }
}

/// The state of all elements of a loop while it takes them.
static constexpr std::size_t FoldedBytes = 3 * 8 * ops::ReductionLanes;

/// Whether the elements of a loop have one state.
static bool isFolded(const Access &access) {
  return access.reducing && access.pattern == AccessPattern::Strided;
}

std::byte *Interpreter::Block::folded(std::size_t output) const {
  return states + output * FoldedBytes;
}

/// Bytes for the states of all elements.
std::size_t Interpreter::stateBytes() const {
  return plan.isFolded() ? plan.outputs.size() * FoldedBytes : 0;
}

/// Gives the elements of a block to states of the i-th output.
void Interpreter::reduce(const Block &block, std::size_t i,
                         void *const *pointers,
                         const std::int64_t *strides) const {
  const Access &access = plan.outputs[i];
  const ops::ReductionLoops &loops = access.reducing->loops();
  const void *from = block.elements[plan.graph.outputs[i]];
  const auto count = static_cast<std::size_t>(block.size);
  const auto size = static_cast<std::int64_t>(sizeOf(access.type));
  if (isFolded(access))
    loops.along(count, from, block.folded(i));
  else if (access.pattern == AccessPattern::Constant)
    loops.along(count, from, pointers[i]);
  else
    loops.across(count, from,
                 static_cast<std::byte *>(pointers[i]) + block.first * size,
                 static_cast<std::size_t>(strides[i] / size));
}

/// Makes states of all elements those of none.
void Interpreter::openStates(const Block &block) const {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (isFolded(plan.outputs[i]))
      plan.outputs[i].reducing->loops().reset(
          ops::ReductionLanes, block.folded(i), ops::ReductionLanes, 0, 1);
}

/// Writes the states of all elements.
void Interpreter::closeStates(const Block &block, std::int64_t count,
                              void *const *pointers,
                              const std::int64_t *strides) const {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    if (!isFolded(plan.outputs[i]))
      continue;
    const ops::ReductionLoops &loops = plan.outputs[i].reducing->loops();
    const std::size_t size = sizeOf(loops.element);
    std::byte *states = block.folded(i);
    loops.fold(static_cast<std::size_t>(
                   std::min<std::int64_t>(count, ops::ReductionLanes)),
               states);
    for (std::size_t part = 0; part < loops.parts; ++part)
      std::memcpy(static_cast<std::byte *>(pointers[i]) +
                      static_cast<std::int64_t>(part) * strides[i],
                  states + part * ops::ReductionLanes * size, size);
  }
}

void Interpreter::store(const Block &block, void *const *pointers,
                        const std::int64_t *strides) const {
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const void *from = block.elements[plan.graph.outputs[i]];
    auto *base = static_cast<std::byte *>(pointers[i]);
    const std::size_t size = sizeOf(plan.outputs[i].type);
    const auto step = static_cast<std::int64_t>(size);
    if (plan.outputs[i].reducing)
      reduce(block, i, pointers, strides);
    else if (plan.outputs[i].pattern == AccessPattern::Contiguous)
      std::memmove(base + block.first * step, from, block.size * size);
    else
      copyStrided(base + block.first * strides[i], strides[i],
                  static_cast<const std::byte *>(from), step, block.size, size);
  }
}

/// Scratch for the largest plan that the thread has run.
static constinit thread_local ThreadMemory registersOfThread, pointersOfThread;

void Interpreter::reserve() const {
  registersOfThread.get(registerBytes());
  pointersOfThread.get(pointerBytes());
}

void Interpreter::run(std::int64_t count, void *const *pointers,
                      const std::int64_t *strides) const {
  if (!plan.isFolded())
    return runRow(count, pointers, strides);
  const std::size_t moving = plan.outputs.size() + plan.inputs.size();
  auto **own = static_cast<void **>(pointersOfThread.get(pointerBytes())) +
               registers.size();
  for (std::int64_t row = 0; row < strides[2 * moving]; ++row) {
    for (std::size_t i = 0; i < plan.slots(); ++i)
      own[i] = static_cast<std::byte *>(pointers[i]) +
               (i < moving ? row * strides[moving + i] : 0);
    runRow(count, own, strides);
  }
}

void Interpreter::runRow(std::int64_t count, void *const *pointers,
                         const std::int64_t *strides) const {
  Block block{0,
              std::min(blockSize, count),
              blockSize,
              static_cast<std::byte *>(registersOfThread.get(registerBytes())),
              static_cast<const void **>(pointersOfThread.get(pointerBytes())),
              elementSize,
              nullptr};
  block.states = block.scratch + registerBytes() - stateBytes();
  fillConstants(block, pointers);
  openStates(block);
  for (; block.first < count; block.first += block.size) {
    block.size = std::min(blockSize, count - block.first);
    load(block, pointers, strides);
    compute(block);
    store(block, pointers, strides);
  }
  closeStates(block, count, pointers, strides);
}
