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

namespace kexpr::runtime {

/// One call of a kernel with everything checked and chosen: where operands
/// are, how they walk, which loop serves.
class Invocation {
public:
  explicit Invocation(const KernelImpl &kernel)
      : nest(kernel.tensors()), parameters(kernel.slots() - nest.slots()) {}

  /// Chooses the loop of a call that was checked, compiling it if this walk is
  /// new.
  Status prepare(const KernelImpl &kernel, const Arguments &arguments);

  /// Elements of each output.
  std::int64_t count() const { return elements; }
  /// Innermost loops in all; 1 for a call that is one loop.
  std::int64_t rows() const { return nest.rows(); }
  const Loop &chosen() const { return *loop; }
  /// Where every slot begins, and the step of every tensor in the innermost
  /// loop in bytes.
  void locate(void **pointers, std::int64_t *strides) const;

  /// Computes the elements [begin, end) of the iteration space.
  void run(std::int64_t begin, std::int64_t end) const;

private:
  semantics::LoopNest nest;
  InlineBuffer<std::uint64_t, 16> parameters;
  const Loop *loop = nullptr;
  std::int64_t elements = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_INVOCATION_H
