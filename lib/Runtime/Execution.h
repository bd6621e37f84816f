//===- Runtime/Execution.h - Prepared calls, executed together ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EXECUTION_H
#define KEXPR_RUNTIME_EXECUTION_H

#include "Runtime/Invocation.h"

#include <deque>

namespace kexpr::runtime {

/// The items of a batch. Those with the shapes and strides of the one before,
/// as mostly all have, share its check and preparation: of them, only addresses
/// are kept.
class BatchCall {
public:
  /// `inputs` holds operand 0's items, then operand 1's, and so on. All must
  /// outlive this.
  BatchCall(const KernelImpl &kernel, std::span<const TensorView> inputs,
            std::span<const TensorView> outputs)
      : kernel(kernel), inputs(inputs), outputs(outputs) {}

  /// Checks and prepares all items.
  Status prepare();
  /// Items with elements.
  std::span<const Launch> launches() const { return all; }

private:
  CallArguments argumentsOf(std::size_t item) const;
  bool isLike(std::size_t item, std::size_t model) const;
  Status addInvocation(std::size_t item);
  void addLaunch(std::size_t item);

  const KernelImpl &kernel;
  const std::span<const TensorView> inputs, outputs;
  std::deque<Invocation> invocations;
  /// The first elements of every item's tensors, one item after the other.
  std::vector<void *> addresses;
  std::vector<Launch> all;
};

/// Prepared calls of a kernel laid end to end, and the memory that the calling
/// thread needs to run all of them: where it runs out, the constructor throws,
/// and no output was written.
class Execution {
public:
  /// Of launches with elements, which must outlive it.
  Execution(const KernelImpl &kernel, std::span<const Launch> launches,
            const RunOptions &options);

  /// Runs them, in the environment that `floats` keeps. Errors: those of an
  /// executor that does not do what it should.
  Status run(DefaultFloats &floats);

private:
  TaskMemory memory() const;
  std::int64_t unitsOf(std::int64_t count) const;
  Status runAll(DefaultFloats &floats);
  void run(std::int64_t begin, std::int64_t end, TaskMemory &memory) const;

  const KernelImpl &kernel;
  std::span<const Launch> launches;
  const RunOptions &options;
  /// Where the units of every item begin, and where those of the last end.
  InlineBuffer<std::int64_t, 64> starts;
  /// The loops that write past the caches, where there are any.
  InlineBuffer<const Loop *, 64> streams;
  /// Of all calls; their sum may pass 64 bits.
  double elements = 0;
  bool isStreamed = false;
  /// Whether the policy is to be told what this took.
  bool learns = false;
  unsigned maxThreads; ///< As in `Split`.
  TaskMemory callers;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EXECUTION_H
