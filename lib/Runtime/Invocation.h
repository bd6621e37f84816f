//===- Runtime/Invocation.h - One prepared call of a kernel ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_INVOCATION_H
#define KEXPR_RUNTIME_INVOCATION_H

#include "Runtime/KernelImpl.h"

namespace kexpr::runtime {

class Invocation;

/// An invocation with addresses for its tensors: items of a batch mostly differ
/// in nothing else.
struct Launch {
  const Invocation *call;
  /// The elements that are visited first: of outputs, then of inputs.
  void *const *first;
};

/// The copy of an input, and the tile that it holds.
struct TileCopy {
  std::size_t slot;
  char *memory;
  const void *from;
  std::int64_t rows, columns;
};

/// The memory that a thread needs for calls of a kernel, allocated before the
/// first task, so that tasks allocate none.
class TaskMemory {
public:
  /// Of the calling thread. `tensors` of the slots are tensors; `bytes` are for
  /// copies.
  TaskMemory(std::size_t tensors, std::size_t slots, std::int64_t bytes);

  InlineBuffer<void *, 16> pointers;
  InlineBuffer<std::int64_t, 16> strides;
  /// The first elements of the current tile and of the next one, in the memory
  /// of the tensors.
  InlineBuffer<void *, 16> own, coming;
  /// Bytes from one row of a tile to the next.
  InlineBuffer<std::int64_t, 16> rowSteps;
  InlineBuffer<TileCopy, 8> copies;
  /// The memory for copies, aligned to a cache line. A nested call on this
  /// thread may move it.
  char *copied() const;

private:
  std::int64_t bytes;
};

/// One call of a kernel that was checked: its loop nest, traversal, parameters
/// and loop.
class Invocation {
public:
  explicit Invocation(const KernelImpl &kernel)
      : nest(kernel.tensors()), traversal(kernel.tensors()),
        parameters(kernel.slots() - kernel.tensors()) {}

  /// Prepares a call that was checked. Its loop is compiled if no call had
  /// these access patterns before.
  Status prepare(const KernelImpl &kernel, const CallArguments &arguments);

  /// Elements of each output.
  std::int64_t count() const { return elements; }
  /// Whether the call is one call of its loop.
  bool isOneLoop() const { return nest.rank() < 2; }
  const Loop &chosen() const { return *loop; }
  /// With the addresses of the tensors that it was prepared for.
  Launch launch() const { return {this, nest.firsts()}; }
  /// See `LoopNest`; for a `Launch` with other addresses.
  void moveToFirsts(void **pointers) const { nest.moveToFirsts(pointers); }
  /// The addresses of parameters, valid as long as this lives.
  void fillParameters(void **pointers) const;
  /// The arguments of the loop: the first element of every slot, and the byte
  /// stride of every tensor along the innermost axis.
  void locate(void *const *first, void **pointers, std::int64_t *strides) const;

  // `first` is as in `Launch`.

  /// The pieces that the call can be split into. Results do not depend on it.
  std::int64_t units() const { return unitCount; }
  /// Whether outputs of a kernel's plan may be written past the caches: rows
  /// are long, and no output is an input.
  bool canStream(const semantics::Plan &plan, void *const *first) const;
  /// Bytes that a task copies operands to.
  std::int64_t copyBytes() const;
  /// Computes the units [begin, end); by `streaming`, the chosen loop with
  /// streaming stores, from the first element on at which outputs are aligned.
  void run(void *const *first, std::int64_t begin, std::int64_t end,
           const Loop *streaming, TaskMemory &memory) const;

private:
  void runRows(void *const *first, std::int64_t begin, std::int64_t end,
               const Loop *streaming, TaskMemory &memory) const;

  std::size_t outputs = 0;
  semantics::LoopNest nest;
  Traversal traversal;
  InlineBuffer<std::uint64_t, 16> parameters;
  const Loop *loop = nullptr;
  std::int64_t elements = 0;
  std::int64_t unitCount = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_INVOCATION_H
