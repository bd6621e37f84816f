//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Invocation.h"

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// Calls with more slots than this keep their pointers on the heap.
constexpr std::size_t InlineSlots = 16;

/// Where a call is no tiles, it is split at multiples of this many elements,
/// so that no two tasks write to one cache line of an aligned output.
constexpr std::int64_t Unit = 64;
} // namespace

Status Invocation::prepare(const KernelImpl &kernel,
                           const Arguments &arguments) {
  const Shape &shape = arguments.outputs[0].shape();
  elements = shape.elementCount();
  if (elements == 0)
    return {};
  auto status = kernel.findParameters(arguments.inputs, parameters.data());
  if (!status)
    return status;
  InlineBuffer<const TensorView *, InlineSlots> slots(nest.slots());
  std::size_t slot = 0;
  for (const TensorView &output : arguments.outputs)
    slots[slot++] = &output;
  for (std::uint32_t operand : kernel.plan().graph.inputs)
    slots[slot++] = &arguments.inputs[operand];
  nest.build(shape, {slots.data(), nest.slots()});
  outputs = arguments.outputs.size();
  traversal.choose(nest, outputs);
  unitCount = traversal.kind() == Traversal::Kind::Rows
                  ? (elements + Unit - 1) / Unit
                  : traversal.tiles();
  auto found = kernel.loopFor(traversal);
  if (!found)
    return found.error();
  loop = *found;
  return {};
}

void Invocation::fillParameters(void **pointers) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    pointers[i] = const_cast<std::uint64_t *>(parameters.data() + i);
}

void Invocation::locate(void *const *first, void **pointers,
                        std::int64_t *strides) const {
  fillParameters(pointers + nest.slots());
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    pointers[s] = first[s];
    strides[s] = nest.rank() ? nest.stride(s, nest.rank() - 1) : 0;
  }
}

void Invocation::run(void *const *first, std::int64_t begin, std::int64_t end,
                     const Loop *streaming, TaskMemory &memory) const {
  locate(first, memory.pointers.data(), memory.strides.data());
  if (traversal.kind() == Traversal::Kind::Rows)
    runRows(first, begin * Unit, std::min(end * Unit, elements), streaming,
            memory);
  else
    runTiles({loop->code(), nest, traversal, first}, begin, end, memory);
}

bool Invocation::canStream(void *const *first) const {
  // Shorter rows are mostly what is done before they are aligned, and behind.
  constexpr std::int64_t fewest = 1024;
  if (traversal.kind() != Traversal::Kind::Rows || nest.inner() < fewest)
    return false;
  for (std::size_t out = 0; out < outputs; ++out) {
    if (traversal.pattern(out) != semantics::AccessPattern::Contiguous)
      return false;
    for (std::size_t s = outputs; s < nest.slots(); ++s)
      if (first[s] == first[out])
        return false;
  }
  return true;
}

/// How many of `count` elements come before the first one that is aligned for
/// streaming in every output.
std::int64_t Invocation::unaligned(void *const *pointers,
                                   std::int64_t count) const {
  constexpr std::int64_t line = semantics::StreamAlignment;
  const auto isAligned = [&](std::size_t out, std::int64_t element) {
    const auto place = reinterpret_cast<std::uintptr_t>(pointers[out]);
    return (place + static_cast<std::uintptr_t>(element * nest.size(out))) %
               line ==
           0;
  };
  for (std::int64_t head = 0; head < std::min(line, count); ++head) {
    std::size_t out = 0;
    while (out < outputs && isAligned(out, head))
      ++out;
    if (out == outputs)
      return head;
  }
  return count;
}

/// Computes the elements [begin, end).
void Invocation::runRows(void *const *first, std::int64_t begin,
                         std::int64_t end, const Loop *streaming,
                         TaskMemory &memory) const {
  void **pointers = memory.pointers.data();
  const std::int64_t *strides = memory.strides.data();
  const std::int64_t inner = nest.inner();
  const auto shift = [&](std::int64_t columns) {
    for (std::size_t s = 0; columns != 0 && s < nest.slots(); ++s)
      pointers[s] = static_cast<char *>(pointers[s]) + columns * strides[s];
  };
  const Code &code = loop->code();
  Cursor cursor(nest, traversal, first, pointers);
  std::int64_t column = begin % inner;
  cursor.seek(begin / inner);
  while (begin < end) {
    const std::int64_t count = std::min(inner - column, end - begin);
    shift(column);
    const std::int64_t done = streaming ? unaligned(pointers, count) : count;
    if (done > 0)
      code.run(done, pointers, strides);
    if (done < count) {
      shift(done);
      streaming->code().run(count - done, pointers, strides);
      shift(-done);
    }
    shift(-column);
    begin += count;
    column = 0;
    cursor.advance();
  }
}
