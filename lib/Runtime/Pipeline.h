//===- Runtime/Pipeline.h - From a text to a kernel -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PIPELINE_H
#define KEXPR_RUNTIME_PIPELINE_H

#include "Runtime/KernelCache.h"

namespace kexpr::runtime {

/// What an Engine is. All members may be called from any thread.
class EngineImpl {
public:
  explicit EngineImpl(const EngineOptions &options)
      : shared(std::make_shared<const Compiler>(options)),
        cache({options.maxKernels, options.maxCodeBytes},
              shared->instrumentation()) {}

  /// The kernel that this very text led to before, if the text is within the
  /// limits of `options`; else null. Does nothing that a thread could be
  /// cancelled in, and no arithmetic.
  KernelPtr find(std::string_view text, const CompileOptions &options);
  /// The kernel of a text for which `find` has none.
  Expected<KernelPtr> compile(std::string_view text,
                              const CompileOptions &options);
  Expected<KernelPtr> compile(const Expression &expression,
                              const CompileOptions &options);
  EngineStats stats() const;
  const Compiler &compiler() const { return *shared; }

private:
  Expected<KernelPtr> compileInfix(std::string_view text,
                                   const CompileOptions &options);
  /// `given` and `text` are what the host asked for.
  Expected<KernelPtr> findOrMake(const Expression &expression,
                                 const CompileOptions &options,
                                 const CompileOptions &given,
                                 std::string_view text,
                                 std::chrono::nanoseconds parseTime);

  std::shared_ptr<const Compiler> shared;
  KernelCache cache;
};

/// The plan of an expression whose operands and outputs are all contiguous.
Expected<semantics::Plan> planOf(const Expression &expression,
                                 const CompileOptions &options = {});

/// A new kernel of a parsed expression.
Expected<KernelPtr> makeKernel(std::shared_ptr<const Compiler> compiler,
                               const Expression &expression,
                               const CompileOptions &options,
                               std::chrono::nanoseconds parseTime = {});

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PIPELINE_H
