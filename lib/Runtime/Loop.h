//===- Runtime/Loop.h - One fused loop, ready to be called ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LOOP_H
#define KEXPR_RUNTIME_LOOP_H

#include "Code/CodeMemory.h"
#include "Semantics/Interpreter.h"
#include "kexpr/Kernel.h"

#include <atomic>
#include <memory>
#include <optional>

namespace kexpr::runtime {

/// Puts `entry` in front of a list that others may read.
template <class T> void push(std::atomic<T *> &list, T *entry) {
  entry->next = list.load();
  while (!list.compare_exchange_weak(entry->next, entry)) {
  }
}

/// A plan in the form that runs: machine code, or the interpreter. Immutable.
struct Code {
  Tier tier = Tier::Interpreter;
  std::shared_ptr<const code::LoadedCode> machine;
  semantics::LoopFn function = nullptr; ///< In `machine`; null if interpreted.
  std::optional<semantics::Interpreter> interpreter;

  void run(std::int64_t count, void *const *pointers,
           const std::int64_t *strides) const {
    if (function)
      function(count, pointers, strides);
    else
      interpreter->run(count, pointers, strides);
  }
  /// Has the calling thread get what memory it takes to run this.
  void reserve() const {
    if (!function)
      interpreter->reserve();
  }
};

/// What runs a plan. Better code may take the place of what there is while
/// other threads run it: results have the same bits.
class Loop {
public:
  Loop(const semantics::Plan &plan, std::unique_ptr<const Code> first);
  ~Loop();
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;

  /// Good for as long as the loop lives.
  const Code &code() const { return *current.load(std::memory_order_acquire); }
  void improve(std::unique_ptr<const Code> better);
  /// Bytes of machine code and constants.
  std::size_t codeSize() const;

  const std::vector<semantics::Access> outputs, inputs;

private:
  /// Code that was replaced may still be running, so it is kept.
  struct Kept {
    std::unique_ptr<const Code> code;
    Kept *next = nullptr;
  };

  std::atomic<const Code *> current = nullptr;
  std::atomic<Kept *> all = nullptr; ///< The newest first.
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOP_H
