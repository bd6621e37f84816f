//===- Runtime/Batch.h - Calls of one kernel, checked together ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BATCH_H
#define KEXPR_RUNTIME_BATCH_H

#include "Runtime/Invocation.h"

#include <deque>
#include <vector>

namespace kexpr::runtime {

/// The items of a batch. Those that lie in memory as the one before, as mostly
/// all do, are checked and prepared once: of them, only addresses are kept.
class Batch {
public:
  explicit Batch(const KernelImpl &kernel) : kernel(kernel) {}

  /// Checks and prepares all items; `inputs` holds operand 0's, then operand
  /// 1's, and so on, and must outlive the batch.
  Status prepare(std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs);

  /// Items with elements.
  std::span<const Item> items() const { return all; }

private:
  Arguments argumentsOf(std::size_t item) const;
  bool isLike(std::size_t item, std::size_t model) const;
  Status add(std::size_t item);
  void place(std::size_t item);

  const KernelImpl &kernel;
  std::span<const TensorView> inputs, outputs;
  std::deque<Invocation> invocations;
  /// Where the slots of every item begin, one item after the other.
  std::vector<void *> places;
  std::vector<Item> all;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BATCH_H
