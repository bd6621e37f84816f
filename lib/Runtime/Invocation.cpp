//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Invocation.h"

#include "Runtime/Pack.h"
#include "Support/ThreadMemory.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::LoopNest;

namespace {
/// Calls with more slots than this keep their pointers on the heap.
constexpr std::size_t InlineSlots = 16;

/// Rows are split at multiples of this many elements, so that no two tasks
/// write to one cache line of an aligned output.
constexpr std::int64_t Unit = 64;
} // namespace

static constinit thread_local ThreadMemory copiesOfThread;

TaskMemory::TaskMemory(std::size_t tensors, std::size_t slots,
                       std::int64_t bytes)
    : pointers(slots), strides(tensors), own(tensors), coming(tensors),
      rowSteps(tensors), copies(tensors), bytes(bytes) {
  copied();
}

char *TaskMemory::copied() const {
  return static_cast<char *>(
      copiesOfThread.get(static_cast<std::size_t>(bytes)));
}

namespace {
/// Computes tiles one by one. `memory` has the parameters' pointers.
class TileRun {
public:
  TileRun(const Loop &loop, const LoopNest &nest, const Traversal &traversal,
          void *const *first, TaskMemory &memory);
  /// Computes the tiles [begin, end).
  void run(std::int64_t begin, std::int64_t end);

private:
  void makeCopies();
  void runTile();
  void fetchDirect(std::int64_t columns) const;
  void refresh(TileCopy &copy, std::int64_t rows, std::int64_t columns);

  const Loop &loop;
  const LoopNest &nest;
  const Traversal &traversal;
  TaskMemory &memory;
  std::size_t copyCount = 0;
  Cursor cursor, next; ///< At the tile, and at the one behind it.
};
} // namespace

TileRun::TileRun(const Loop &loop, const LoopNest &nest,
                 const Traversal &traversal, void *const *first,
                 TaskMemory &memory)
    : loop(loop), nest(nest), traversal(traversal), memory(memory),
      cursor(nest, traversal, first, memory.own.data()),
      next(nest, traversal, first, memory.coming.data()) {
  makeCopies();
  const unsigned axis = traversal.rowAxis();
  for (std::size_t s = 0; axis < nest.rank() && s < nest.slots(); ++s)
    memory.rowSteps[s] =
        traversal.isPacked(s) ? traversal.pitch(s) : nest.stride(s, axis);
}

void TileRun::makeCopies() {
  char *next = memory.copied();
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (!traversal.isPacked(s))
      continue;
    memory.copies[copyCount++] = {s, next, nullptr, 0, 0};
    // For the loop in which everything is strided.
    memory.strides[s] = nest.size(s);
    next += traversal.copyBytes(s);
  }
}

/// Prefetches the tile in slots that are not copied: while copies are made,
/// hardware prefetchers lose track of these.
void TileRun::fetchDirect(std::int64_t columns) const {
  constexpr std::int64_t line = 64, most = 8 * line;
  for (std::size_t s = 0; s < nest.slots(); ++s) {
    if (traversal.isPacked(s) ||
        traversal.pattern(s) != AccessPattern::Contiguous)
      continue;
    const std::int64_t bytes = std::min(columns * nest.size(s), most);
    for (std::int64_t at = 0; at < bytes; at += line)
      __builtin_prefetch(static_cast<const char *>(memory.own[s]) + at);
  }
}

/// Copies the current tile, unless the copy holds just these elements: an input
/// may be constant from tile to tile.
void TileRun::refresh(TileCopy &copy, std::int64_t rows, std::int64_t columns) {
  const void *from = memory.own[copy.slot];
  if (copy.from == from && copy.rows == rows && copy.columns == columns)
    return;
  copy.from = from;
  copy.rows = rows;
  copy.columns = columns;
  PackAxis axes[MaxRank];
  PackAxis *first = axes + nest.rank();
  std::int64_t to = nest.size(copy.slot);
  for (unsigned axis = nest.rank(); axis-- > 0;) {
    const std::int64_t count = cursor.extent(axis);
    if (axis == traversal.rowAxis())
      to = traversal.pitch(copy.slot);
    *--first = {count, nest.stride(copy.slot, axis), to};
    to *= count;
  }
  const auto *source = static_cast<const char *>(from);
  pack({{axes, nest.rank()},
        nest.size(copy.slot),
        source,
        copy.memory,
        static_cast<const char *>(memory.coming[copy.slot]) - source});
}

void TileRun::runTile() {
  const unsigned axis = traversal.rowAxis();
  std::int64_t rows = axis < nest.rank() ? cursor.extent(axis) : 1;
  std::int64_t columns = 1;
  for (unsigned a = traversal.loopAxis(); a < nest.rank(); ++a)
    columns *= cursor.extent(a);
  void **pointers = memory.pointers.data();
  std::copy_n(memory.own.data(), nest.slots(), pointers);
  if (copyCount > 0)
    fetchDirect(columns);
  for (std::size_t i = 0; i < copyCount; ++i) {
    refresh(memory.copies[i], rows, columns);
    pointers[memory.copies[i].slot] = memory.copies[i].memory;
  }
  loop.run(columns, pointers, memory.strides.data());
  while (--rows > 0) {
    for (std::size_t s = 0; s < nest.slots(); ++s)
      pointers[s] = static_cast<char *>(pointers[s]) + memory.rowSteps[s];
    loop.run(columns, pointers, memory.strides.data());
  }
}

void TileRun::run(std::int64_t begin, std::int64_t end) {
  cursor.seek(begin);
  next.seek(begin);
  for (; begin < end; ++begin) {
    if (begin + 1 < end)
      next.advance();
    runTile();
    cursor.advance();
  }
}

std::int64_t Invocation::copyBytes() const {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < nest.slots(); ++s)
    bytes += traversal.isPacked(s) ? traversal.copyBytes(s) : 0;
  return bytes;
}

Status Invocation::prepare(const KernelImpl &kernel,
                           const CallArguments &arguments) {
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
  auto found = kernel.loops().loopFor(traversal);
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
  if (isOneLoop() && !streaming && begin == 0 && end == unitCount)
    loop->run(elements, memory.pointers.data(), memory.strides.data());
  else if (traversal.kind() == Traversal::Kind::Rows)
    runRows(first, begin * Unit, std::min(end * Unit, elements), streaming,
            memory);
  else
    TileRun(*loop, nest, traversal, first, memory).run(begin, end);
}

bool Invocation::canStream(const semantics::Plan &plan,
                           void *const *first) const {
  // Of shorter rows, too much is in lines that are not whole: their elements
  // take a masked step each time, or one by one if they are narrow.
  constexpr std::int64_t fewest = 128, fewestSlow = 1024, word = 4;
  const bool isLong = plan.hasLongBody();
  if (traversal.kind() != Traversal::Kind::Rows)
    return false;
  for (std::size_t out = 0; out < outputs; ++out) {
    if (traversal.pattern(out) != AccessPattern::Contiguous ||
        nest.inner() < (isLong || nest.size(out) < word ? fewestSlow : fewest))
      return false;
    for (std::size_t s = outputs; s < nest.slots(); ++s)
      if (first[s] == first[out])
        return false;
  }
  return true;
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
  NextCall next;
  if (nest.rank() > 1)
    next = {nest.strides(nest.rank() - 2), MaxRank};
  Cursor cursor(nest, traversal, first, pointers);
  std::int64_t column = begin % inner;
  cursor.seek(begin / inner);
  while (begin < end) {
    const std::int64_t count = std::min(inner - column, end - begin);
    shift(column);
    if (streaming)
      loop->runStreamed(*streaming, count, pointers, strides, next);
    else
      loop->run(count, pointers, strides);
    shift(-column);
    begin += count;
    column = 0;
    cursor.advance();
  }
}
