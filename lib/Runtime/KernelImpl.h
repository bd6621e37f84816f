//===- Runtime/KernelImpl.h - What a Kernel is ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELIMPL_H
#define KEXPR_RUNTIME_KERNELIMPL_H

#include "Runtime/LaunchPolicy.h"
#include "Runtime/LoopVariants.h"
#include "Runtime/Parameters.h"
#include "Runtime/RowCall.h"
#include "Runtime/ZeroDimCheck.h"

namespace kexpr::runtime {

class Invocation;
class KernelImpl;
class PreparedImpl;
struct OutputSums;
struct SumStateImpl;

using KernelPtr = std::shared_ptr<const KernelImpl>;

/// What a kernel is made from.
struct KernelSource {
  std::shared_ptr<const Compiler> compiler;
  Expression expression;
  CompileOptions options;
  semantics::Plan plan; ///< With contiguous operands and outputs.
  CompileTimes times = {};
};

/// A checked expression: its compiled loops, what checks its calls, and what
/// launches them. All members may be called from any thread.
class KernelImpl {
public:
  /// `contiguous` is the loop of the plan; of one that reduces, that of the
  /// last of its sweeps.
  KernelImpl(KernelSource source, LoopPtr contiguous,
             std::unique_ptr<const RowProgram> sweeps = nullptr);
  KernelImpl(const KernelImpl &) = delete;
  KernelImpl &operator=(const KernelImpl &) = delete;

  // See Kernel.h.
  Status run(Span<const TensorView> inputs, Span<const TensorView> outputs,
             const RunOptions &options) const;
  Status runBatch(Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options) const;
  Expected<Shape> outputShape(Span<const TensorView> inputs,
                              std::size_t output) const;
  Expected<std::string> dump(Stage stage) const;
  Expected<std::shared_ptr<const SumStateImpl>>
  sumState(Span<const TensorView> inputs, const RunOptions &options) const;

  /// Checks a call, its memory too if `withMemory`.
  Status check(const CallArguments &arguments, bool withMemory = true) const;
  /// Checks a call whose outputs have one shape, and prepares `call`, which is
  /// of this kernel.
  Status prepare(Invocation &call, Span<const TensorView> inputs,
                 Span<const TensorView> outputs, bool withMemory = true) const;
  /// The same for a call of a kernel that reduces, whose outputs may have any
  /// shapes.
  Status prepareRows(RowCall &call, const CallArguments &arguments,
                     bool withMemory = true) const;
  /// Whether outputs differ in shape, so that no one loop can write them.
  bool differInShape(Span<const TensorView> outputs) const;
  /// The kernel that computes these outputs alone.
  Expected<KernelPtr>
  restrictedTo(const std::vector<std::size_t> &outputs) const;
  /// The bits of every parameter, for operands of these shapes.
  Status findParameters(const semantics::Operands &inputs,
                        std::uint64_t *bits) const;
  /// Whose threads run a call: the host's, if the executor has a function.
  Executor executorFor(const RunOptions &options) const {
    return options.executor.run ? options.executor
                                : source.compiler->executor();
  }

  const Expression &expression() const { return source.expression; }
  const semantics::Plan &plan() const { return source.plan; }
  const CompileTimes &times() const { return source.times; }
  const Requirements &requirements() const { return required; }
  const LoopVariants &loops() const { return compiled; }
  /// Its sweeps if it reduces, else null.
  const RowProgram *rows() const { return sweeps.get(); }
  const LaunchPolicy &policy() const { return launching; }
  /// Outputs, inputs and parameters of the loop.
  std::size_t slots() const { return plan().slots(); }
  /// Outputs and inputs.
  std::size_t tensors() const {
    return plan().outputs.size() + plan().inputs.size();
  }
  unsigned vectorBits() const;
  std::size_t codeSize() const;
  /// Bytes that it keeps alive.
  std::size_t size() const;

private:
  /// The kernel for some of the outputs.
  struct Restriction {
    std::vector<std::size_t> outputs;
    KernelPtr kernel;
  };
  /// More kernels for some of the outputs are not kept.
  static constexpr std::size_t MaxRestrictions = 64;

  /// A call of a kernel that reduces, prepared for tensors like these.
  struct KeptCall {
    std::vector<TensorView> inputs, outputs;
    std::shared_ptr<const PreparedImpl> call;

    bool isFor(const CallArguments &arguments) const;
    std::size_t size() const;
  };
  using KeptCalls = std::vector<std::unique_ptr<const KeptCall>>;
  /// Calls with other shapes or strides are prepared each time.
  static constexpr std::size_t MaxKeptCalls = 16;

  const KeptCall *findCall(const CallArguments &arguments) const;
  Expected<const KeptCall *> makeCall(const CallArguments &arguments,
                                      const RunOptions &options,
                                      KeptCalls &own) const;
  Status runReducing(const CallArguments &arguments, const RunOptions &options,
                     DefaultFloats &floats) const;
  bool runContiguous(const CallArguments &call,
                     const RunOptions &options) const;
  Status runRows(const RowCall &call, const CallArguments &arguments,
                 const RunOptions &options, DefaultFloats &floats,
                 const RowSumSink *sink = nullptr) const;
  Error hasNoSum(std::size_t output) const;
  Expected<OutputSums> emptySums(std::size_t output,
                                 const std::vector<Shape> &shapes) const;
  Status runSums(Span<const TensorView> inputs, SumStateImpl &state,
                 const RunOptions &options) const;
  Status runRowBatch(const CallArguments &all, const RunOptions &options,
                     DefaultFloats &floats) const;

  const KernelSource source;
  const Requirements required;
  const ZeroDimCheck zeroDims;
  const LoopVariants compiled;
  const std::unique_ptr<const RowProgram> sweeps;
  const LaunchPolicy launching;
  const Parameters parameters;
  mutable AppendList<Restriction> restrictions;
  mutable AppendList<KeptCall> keptCalls;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELIMPL_H
