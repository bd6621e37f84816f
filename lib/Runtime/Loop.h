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
#include <mutex>
#include <optional>

namespace kexpr::runtime {

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
};

/// What runs a plan. Better code may take the place of what there is while
/// other threads run it: results have the same bits.
class Loop {
public:
  Loop(const semantics::Plan &plan, std::unique_ptr<const Code> first)
      : outputs(plan.outputs), inputs(plan.inputs), current(first.get()) {
    all.push_back(std::move(first));
  }

  /// Good for as long as the loop lives.
  const Code &code() const { return *current.load(std::memory_order_acquire); }
  void improve(std::unique_ptr<const Code> better);
  /// Bytes of machine code and constants.
  std::size_t codeSize() const;

  const std::vector<semantics::Access> outputs, inputs;

private:
  std::atomic<const Code *> current;
  mutable std::mutex mutex;
  /// Code that was replaced may still be running, so it is kept.
  std::vector<std::unique_ptr<const Code>> all;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOP_H
