//===- Runtime/Loop.h - One fused loop, ready to be called ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_LOOP_H
#define KEXPR_RUNTIME_LOOP_H

#include "Jit/Session.h"
#include "Runtime/Background.h"
#include "Semantics/Interpreter.h"
#include "kexpr/Engine.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace kexpr::codegen {
struct Target;
}

namespace kexpr::runtime {

/// A plan in the form that runs: machine code, or the interpreter. Immutable.
struct Code {
  Tier tier = Tier::Interpreter;
  std::shared_ptr<jit::Code> machine;
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

/// What loops are compiled for and with; shared by an engine and its kernels.
class Compiler {
public:
  explicit Compiler(const EngineOptions &options);
  ~Compiler();

  /// The plan as a loop of the tier that `mode` asks for, which a better one
  /// takes the place of later if it asks for that; the interpreter where the
  /// target has no fused multiply-add. Plans that differ in the
  /// values of parameters alone share a loop for as long as one of its kernels
  /// lives. What making the loop took is put in `times`.
  Expected<std::shared_ptr<const Loop>>
  compile(const semantics::Plan &plan, Mode mode,
          CompileTimes *times = nullptr) const;
  /// Waits until no tier is being built in the background.
  void settle() const { workers.settle(); }

  /// The machine; an error if the options do not describe one that runs here.
  const Expected<codegen::Target> &target() const;
  /// Loops turned into machine code so far, and kernels' loops that another
  /// kernel had already.
  std::uint64_t compiledCount() const { return compiled; }
  std::uint64_t sharedCount() const { return shared; }

private:
  Expected<std::shared_ptr<jit::Session>> session() const;
  Expected<std::unique_ptr<const Code>>
  generate(const semantics::Plan &plan, Mode mode, CompileTimes *times) const;
  void improveLater(const std::shared_ptr<Loop> &loop,
                    const semantics::Plan &plan) const;
  std::shared_ptr<const Loop> find(const std::string &key) const;
  void keep(const std::string &key,
            const std::shared_ptr<const Loop> &loop) const;

  std::unique_ptr<const Expected<codegen::Target>> machine;
  mutable std::mutex mutex;
  mutable std::shared_ptr<jit::Session> linked;
  mutable std::atomic<std::uint64_t> compiled = 0;
  mutable std::atomic<std::uint64_t> shared = 0;
  mutable std::unordered_map<std::string, std::weak_ptr<const Loop>> loops;
  /// Entries at which those of loops that are gone are removed.
  mutable std::size_t sweepAt = 64;
  /// Last, so that its jobs end before what they use.
  mutable Background workers;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_LOOP_H
