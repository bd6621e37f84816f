//===- Runtime/KernelImpl.h - An expression and its loops -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELIMPL_H
#define KEXPR_RUNTIME_KERNELIMPL_H

#include "Runtime/Arguments.h"
#include "Runtime/Compiler.h"
#include "Support/DefaultFloats.h"
#include "kexpr/Kernel.h"

#include <atomic>

namespace kexpr::runtime {

class Invocation;
class Traversal;

/// A checked expression with the loops compiled for it so far: one for
/// contiguous operands from the start, others as calls need them. Looking a
/// loop up takes no lock.
class KernelImpl {
public:
  /// `contiguous` is the loop of `plan`, in which everything is contiguous;
  /// `times` are those of the stages before it.
  KernelImpl(std::shared_ptr<const Compiler> compiler, Expression expression,
             CompileOptions options, semantics::Plan plan,
             std::shared_ptr<const Loop> contiguous, const CompileTimes &times);
  ~KernelImpl();
  KernelImpl(const KernelImpl &) = delete;
  KernelImpl &operator=(const KernelImpl &) = delete;

  Status run(Span<const TensorView> inputs, Span<const TensorView> outputs,
             const RunOptions &options) const;
  /// Checks a call and fits `call` for it; `call` must have `slots()`.
  Status prepare(Invocation &call, Span<const TensorView> inputs,
                 Span<const TensorView> outputs, bool withMemory = true) const;
  /// The first thing wrong with a call; without `withMemory`, with all of it
  /// but the memory.
  Status check(const Arguments &arguments, bool withMemory = true) const;
  /// Elements of one task at least.
  std::int64_t tileOf(const RunOptions &options) const;
  /// Whose threads run a call: the host's, if the executor has a function.
  Executor executorFor(const RunOptions &options) const;
  /// Whether a call of so many elements stays on the calling thread.
  bool isSmall(std::int64_t count, const RunOptions &options) const;
  /// Whether a call or batch of so many elements should write past the caches.
  bool isLarge(double count, const RunOptions &options) const;
  /// Whether so many elements pass the caches, and nothing else takes as long.
  bool waitsForMemory(double count) const;
  /// The loop that computes what `regular`, a loop of this kernel, does, but
  /// writes past the caches; null where there is none. For outputs that a plan
  /// which streams may have.
  const Loop *streaming(const Loop &regular) const;
  /// Outputs, inputs and parameters of the loop.
  std::size_t slots() const { return contiguousPlan.slots(); }
  /// Outputs and inputs.
  std::size_t tensors() const {
    return contiguousPlan.outputs.size() + contiguousPlan.inputs.size();
  }
  /// The bits of every parameter, for operands of these shapes.
  Status findParameters(const semantics::Operands &inputs,
                        std::uint64_t *bits) const;
  Status runBatch(Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options) const;
  Expected<Shape> outputShape(Span<const TensorView> inputs,
                              std::size_t output) const;

  /// Some outputs of one shape, and the kernel that computes them alone.
  struct Part {
    std::shared_ptr<const KernelImpl> kernel;
    std::vector<std::size_t> outputs;
  };
  /// Whether outputs have shapes that differ, so that no one loop can write
  /// them.
  bool needsParts(Span<const TensorView> outputs) const;
  /// Checks a call whose outputs differ in shape and divides it.
  Expected<std::vector<Part>> divide(Span<const TensorView> inputs,
                                     Span<const TensorView> outputs,
                                     bool withMemory = true) const;

  /// See Kernel.h.
  Expected<std::string> dump(Stage stage) const;

  const Expression &expression() const { return text; }
  const Loop &contiguous() const { return *first.loop; }
  std::size_t codeSize() const;
  /// Bytes that it keeps alive.
  std::size_t size() const;
  const semantics::Plan &plan() const { return contiguousPlan; }
  const Demands &demands() const { return asked; }
  const CompileTimes &times() const { return spent; }

private:
  friend class Invocation;

  /// Loops stand in a list that only grows, so readers need no lock.
  struct Variant {
    std::shared_ptr<const Loop> loop;
    Variant *next = nullptr;
    /// The same loop with streaming stores, once it was asked for.
    mutable std::shared_ptr<const Loop> streaming = nullptr;
    mutable std::atomic<const Loop *> streams = nullptr;
  };
  /// The kernel for some of the outputs.
  struct Restriction {
    std::vector<std::size_t> outputs;
    std::shared_ptr<const KernelImpl> kernel;
    Restriction *next = nullptr;
  };
  /// Whether the kernel serves calls in which these operands are 0-d.
  struct Ranks {
    std::vector<std::uint32_t> zeroDim; ///< Ascending.
    bool isServed;
    Ranks *next = nullptr;

    bool match(const semantics::Operands &inputs,
               const std::vector<std::uint32_t> &operands) const;
  };
  /// More walks than this share the loop in which everything is strided.
  static constexpr unsigned MaxVariants = 64;
  /// More kernels for some of the outputs, and more choices of operands that
  /// are 0-d, are not kept.
  static constexpr unsigned MaxRestrictions = 64, MaxRanks = 64;

  const Loop *find(const Traversal &traversal) const;
  Expected<const Loop *> loopFor(const Traversal &traversal) const;
  semantics::Plan planFor(const Traversal &traversal) const;
  static std::size_t streamedBytes(const semantics::Plan &plan);
  const Loop *makeStreaming(const Variant &variant) const;
  bool runPlain(Span<const TensorView> inputs, Span<const TensorView> outputs,
                const RunOptions &options) const;

  Status checkRanks(const semantics::Operands &inputs) const;
  Ranks ranksOf(const semantics::Operands &inputs) const;
  Error ranksError(const semantics::Operands &inputs) const;
  Expected<std::shared_ptr<const KernelImpl>>
  part(const std::vector<std::size_t> &kept) const;
  Status runParts(Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options, DefaultFloats &floats) const;

  std::shared_ptr<const Compiler> compiler;
  Expression text;
  CompileOptions options;
  semantics::Plan contiguousPlan;
  Demands asked;
  CompileTimes spent;
  /// The bits of parameters that are literals; of all if `hasSizes` is false.
  std::vector<std::uint64_t> literals;
  bool hasSizes = false;
  mutable Variant first;
  std::int64_t grain; ///< Elements of one task at least.
  /// Bytes an element moves; 0 if it is not memory that a call waits for.
  std::size_t streamed;
  // Lists that only grow, so that to read one, or to fork, takes no lock.
  mutable std::atomic<Variant *> variants;
  mutable std::atomic<Restriction *> restrictions = nullptr;
  mutable std::atomic<Ranks *> ranks = nullptr;
  mutable std::atomic<unsigned> variantCount = 1, restrictionCount = 0,
                                ranksCount = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELIMPL_H
