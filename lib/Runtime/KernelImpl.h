//===- Runtime/KernelImpl.h - An expression and its loops -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELIMPL_H
#define KEXPR_RUNTIME_KERNELIMPL_H

#include "Runtime/Loop.h"
#include "Semantics/Broadcast.h"
#include "kexpr/Kernel.h"

#include <atomic>
#include <mutex>

namespace kexpr::runtime {

class Invocation;

/// A checked expression with the loops compiled for it so far: one for
/// contiguous operands from the start, others as calls need them. Looking a
/// loop up takes no lock.
class KernelImpl {
public:
  KernelImpl(std::shared_ptr<const Compiler> compiler, Expression expression,
             std::shared_ptr<const Loop> contiguous, Mode mode);
  ~KernelImpl();
  KernelImpl(const KernelImpl &) = delete;
  KernelImpl &operator=(const KernelImpl &) = delete;

  Status run(Span<const TensorView> inputs, Span<const TensorView> outputs,
             const RunOptions &options) const;
  /// Checks a call and fits `call` for it; `call` must have `slots()`.
  Status prepare(Invocation &call, Span<const TensorView> inputs,
                 Span<const TensorView> outputs) const;
  /// Runs what was prepared.
  void execute(std::span<const Invocation *const> calls,
               const RunOptions &options) const;
  /// Whether a call of so many elements stays on the calling thread.
  bool isSmall(std::int64_t count, const RunOptions &options) const;
  /// Outputs and inputs of the loop.
  std::size_t slots() const;
  Status runBatch(Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options) const;
  Expected<Shape> outputShape(Span<const TensorView> inputs) const;

  const Expression &expression() const { return text; }
  const Loop &contiguous() const { return *first.loop; }
  std::size_t codeSize() const;
  /// Of every operand used and every output.
  DType type() const { return contiguous().plan.outputs.front().type; }

private:
  friend class Invocation;

  /// Loops stand in a list that only grows, so readers need no lock.
  struct Variant {
    std::shared_ptr<const Loop> loop;
    const Variant *next = nullptr;
  };
  /// More walks than this share the loop in which everything is strided.
  static constexpr unsigned MaxVariants = 64;

  const Loop *find(const semantics::LoopNest &nest) const;
  Expected<const Loop *> loopFor(const semantics::LoopNest &nest) const;
  semantics::Plan planFor(const semantics::LoopNest &nest) const;
  bool runPlain(Span<const TensorView> inputs, Span<const TensorView> outputs,
                const RunOptions &options) const;

  std::shared_ptr<const Compiler> compiler;
  Expression text;
  Mode mode;
  Variant first;
  std::int64_t grain; ///< Elements of one task at least.
  mutable std::atomic<const Variant *> variants;
  mutable std::atomic<unsigned> variantCount = 1;
  mutable std::mutex growing;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELIMPL_H
