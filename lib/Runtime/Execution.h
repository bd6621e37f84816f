//===- Runtime/Execution.h - Prepared calls that can only succeed ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EXECUTION_H
#define KEXPR_RUNTIME_EXECUTION_H

#include "Runtime/Invocation.h"

namespace kexpr::runtime {

/// Prepared calls of a kernel laid end to end, and what the calling thread
/// needs to run all of them. To make one may fail where memory runs out; then
/// nothing was written.
class Execution {
public:
  /// Of items with elements, which must outlive it.
  Execution(const KernelImpl &kernel, std::span<const Item> items,
            const RunOptions &options);

  /// Runs them, in the environment that `floats` keeps. Errors: those of an
  /// executor that does not do what it should.
  Status run(DefaultFloats &floats);

private:
  TaskMemory memory() const;
  void stream();
  std::int64_t unitsOf(std::int64_t count) const;
  void run(std::int64_t begin, std::int64_t end, TaskMemory &memory) const;

  const KernelImpl &kernel;
  std::span<const Item> items;
  const RunOptions &options;
  /// Where the units of every item begin, and where those of the last end.
  InlineBuffer<std::int64_t, 64> starts;
  /// The loops that write past the caches, where there are any.
  InlineBuffer<const Loop *, 64> streams;
  /// Of all calls; their sum may pass 64 bits.
  double elements = 0;
  bool isStreamed = false;
  unsigned maxThreads; ///< As in `Split`.
  TaskMemory callers;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EXECUTION_H
