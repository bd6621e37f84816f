//===- Runtime/PreparedImpl.h - Calls checked once ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PREPAREDIMPL_H
#define KEXPR_RUNTIME_PREPAREDIMPL_H

#include "Runtime/Execution.h"

namespace kexpr::runtime {

/// A call whose shapes, strides and types were checked, for any memory. Outputs
/// that differ in shape, as those of `[@0,@1]` do, cannot be written by one
/// loop: those of each shape have a kernel and a prepared call of their own.
class PreparedImpl {
public:
  /// With `withMemory`, the views' memory is checked, too.
  static Expected<std::shared_ptr<const PreparedImpl>>
  create(KernelPtr kernel, Span<const TensorView> inputs,
         Span<const TensorView> outputs, const RunOptions &options,
         bool withMemory);

  PreparedImpl(KernelPtr kernel, const RunOptions &options)
      : call(*kernel), kernel(std::move(kernel)), options(options) {}

  Status run(Span<const void *const> inputs, Span<void *const> outputs,
             DefaultFloats &floats) const;

  bool mayShare(std::size_t output, std::size_t operand) const;

  /// Of a kernel that reduces: its call, and whether the memory of tensors like
  /// those of the call can be used for it.
  const RowCall *rowCall() const { return rows ? &*rows : nullptr; }
  bool isRight(const CallArguments &arguments) const;
  /// Bytes that it keeps alive.
  std::size_t size() const;

  // For a call with its memory: `slots` points to the first elements of every
  // output, then of every operand that is used, and has room for parameters.

  std::size_t slots() const { return kernel->slots(); }
  /// Fills `slots`; `address` gives the first element of an input or output.
  template <class I, class O, class F>
  void fill(void **slots, I inputs, O outputs, F address) const {
    void **const first = slots;
    for (const auto &output : outputs)
      *slots++ = const_cast<void *>(address(output));
    for (std::uint32_t operand : kernel->plan().graph.inputs)
      *slots++ = const_cast<void *>(address(inputs[operand]));
    call.moveToFirsts(first);
    call.fillParameters(slots);
  }
  Status launch(void *const *slots, DefaultFloats &floats) const;
  /// The optimised code of a call that is one loop on the calling thread, done
  /// at once; null for another call, and before there is such code.
  semantics::LoopFn direct(void *const *slots) const;
  std::int64_t count() const { return call.count(); }
  const std::int64_t *loopStrides() const { return strides.data(); }

private:
  /// The outputs of one shape.
  struct OutputGroup {
    std::vector<std::size_t> outputs;
    std::shared_ptr<const PreparedImpl> call = nullptr;
  };

  Status prepare(Span<const TensorView> inputs, Span<const TensorView> outputs,
                 bool withMemory);
  Status divide(Span<const TensorView> inputs, Span<const TensorView> outputs,
                bool withMemory);
  void noteMemory(Span<const TensorView> inputs,
                  Span<const TensorView> outputs);
  Status check(Span<const void *const> inputs, Span<void *const> outputs) const;
  void runLoop(void *const *slots) const;
  void fillGroup(void **next, const OutputGroup &group,
                 void *const *slots) const;
  Status runGroups(void *const *slots, DefaultFloats &floats) const;

  Invocation call;
  /// Instead of it, of a kernel that reduces.
  std::optional<RowCall> rows;
  /// One for each shape, if the outputs differ in shape; else none.
  std::vector<OutputGroup> groups;
  KernelPtr kernel;
  RunOptions options;
  /// The loop, if the call is one loop on the calling thread.
  const Loop *loop = nullptr;
  std::vector<std::int64_t> strides;
  /// For memory that comes later: the bytes of every output and operand, and
  /// for every output which operands it may be, having their layout.
  std::vector<ByteReach> outputBytes, inputBytes;
  std::vector<bool> mayBe;
};

/// A prepared call with its memory. One small loop of machine code is called
/// without looking at anything else.
class BoundImpl {
public:
  BoundImpl(std::shared_ptr<const PreparedImpl> prepared,
            Span<const TensorView> inputs, Span<const TensorView> outputs);

  /// Runs the one loop of machine code that the call is; false if it is not.
  bool runDirect() const noexcept {
    if (function)
      function(count, slots.data(), strides);
    return function;
  }
  Status run(DefaultFloats &floats) const {
    return prepared->launch(slots.data(), floats);
  }

private:
  std::shared_ptr<const PreparedImpl> prepared;
  std::vector<void *> slots;
  semantics::LoopFn function;
  std::int64_t count;
  const std::int64_t *strides;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PREPAREDIMPL_H
