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
#include "Runtime/Traversal.h"

namespace kexpr::runtime {

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
  /// All that the loop is given: where every slot begins, and the step of every
  /// tensor in the innermost loop in bytes.
  void locate(void **pointers, std::int64_t *strides) const;

  /// What the call can be split into. Results do not depend on it.
  std::int64_t units() const { return unitCount; }
  /// Whether outputs may be written past the caches: their rows are long, and
  /// none is an input.
  bool canStream() const;
  /// Computes the units [begin, end); with `streaming`, which computes what the
  /// chosen loop does, wherever outputs are aligned for it.
  void run(std::int64_t begin, std::int64_t end,
           const Loop *streaming = nullptr) const;

private:
  void runRows(std::int64_t begin, std::int64_t end, const Loop *streaming,
               void **pointers, const std::int64_t *strides) const;
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
