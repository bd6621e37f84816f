//===- Runtime/Invocation.h - A loop bound to memory ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_INVOCATION_H
#define KEXPR_RUNTIME_INVOCATION_H

#include "Runtime/Arguments.h"
#include "Runtime/KernelImpl.h"
#include "Runtime/Tiles.h"

namespace kexpr::runtime {

class Invocation;

/// A call of something prepared with every slot at an address of its own:
/// items of a batch mostly differ in nothing else.
struct Item {
  const Invocation *call;
  void *const *first; ///< Where the slots begin: outputs, then inputs.
};

/// One call of a kernel with everything checked and chosen: where operands
/// are, how they are walked, which loop serves.
class Invocation {
public:
  explicit Invocation(const KernelImpl &kernel)
      : nest(kernel.tensors()), traversal(kernel.tensors()),
        parameters(kernel.slots() - kernel.tensors()) {}

  /// Chooses the loop of a call that was checked, compiling it if this walk is
  /// new.
  Status prepare(const KernelImpl &kernel, const Arguments &arguments);

  /// Elements of each output.
  std::int64_t count() const { return elements; }
  /// Whether the call is one call of its loop.
  bool isOneLoop() const { return nest.rank() < 2; }
  const Loop &chosen() const { return *loop; }
  /// The call where its own tensors are.
  Item item() const { return {this, nest.firsts()}; }
  /// Where the bits of every parameter are, as long as the call lives.
  void fillParameters(void **pointers) const;
  /// All that the loop is given: where every slot begins, and the step of every
  /// tensor in the innermost loop in bytes.
  void locate(void *const *first, void **pointers, std::int64_t *strides) const;

  // `first` is an item's.

  /// What the call can be split into. Results do not depend on it.
  std::int64_t units() const { return unitCount; }
  /// Whether outputs may be written past the caches: their rows are long, and
  /// none is an input.
  bool canStream(void *const *first) const;
  /// Bytes that a task copies operands to.
  std::int64_t copyBytes() const {
    return traversal.kind() == Traversal::Kind::Rows
               ? 0
               : runtime::copyBytes(nest, traversal);
  }
  /// Computes the units [begin, end); with `streaming`, which computes what the
  /// chosen loop does, wherever outputs are aligned for it.
  void run(void *const *first, std::int64_t begin, std::int64_t end,
           const Loop *streaming, TaskMemory &memory) const;

private:
  void runRows(void *const *first, std::int64_t begin, std::int64_t end,
               const Loop *streaming, TaskMemory &memory) const;
  std::int64_t unaligned(void *const *pointers, std::int64_t count) const;

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
