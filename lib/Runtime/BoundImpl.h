//===- Runtime/BoundImpl.h - A call checked once --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BOUNDIMPL_H
#define KEXPR_RUNTIME_BOUNDIMPL_H

#include "Runtime/Invocation.h"

namespace kexpr::runtime {

/// A prepared call that is kept. One small loop of machine code is called
/// without looking at anything else.
class BoundImpl {
public:
  static Expected<std::shared_ptr<const BoundImpl>>
  create(std::shared_ptr<const KernelImpl> kernel,
         Span<const TensorView> inputs, Span<const TensorView> outputs,
         const RunOptions &options);

  explicit BoundImpl(std::shared_ptr<const KernelImpl> kernel,
                     const RunOptions &options)
      : call(*kernel), kernel(std::move(kernel)), options(options) {}

  void run() const {
    if (function)
      function(call.count(), pointers.data(), strides.data());
    else if (loop)
      loop->code().run(call.count(), pointers.data(), strides.data());
    else
      runAnyhow();
  }

private:
  void runAnyhow() const;
  Status divide(Span<const TensorView> inputs, Span<const TensorView> outputs);
  void chooseDirect();

  Invocation call;
  /// If the outputs differ in shape, the calls for each shape.
  std::vector<std::shared_ptr<const BoundImpl>> parts;
  std::shared_ptr<const KernelImpl> kernel;
  RunOptions options;
  /// If the call is one loop that stays on its thread: its machine code if
  /// that is the best there can be, or the loop.
  semantics::LoopFn function = nullptr;
  const Loop *loop = nullptr;
  std::vector<void *> pointers;
  std::vector<std::int64_t> strides;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BOUNDIMPL_H
