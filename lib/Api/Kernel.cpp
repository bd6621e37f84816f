//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Kernel.h"

#include "Runtime/BoundImpl.h"
#include "Runtime/KernelImpl.h"
#include "Support/OutOfMemory.h"

#include <new>

using namespace kexpr;

std::string_view kexpr::nameOf(Tier tier) {
  constexpr std::string_view names[] = {"interpreter", "baseline", "optimized"};
  return names[static_cast<int>(tier)];
}

Status Kernel::run(Span<const TensorView> inputs,
                   Span<const TensorView> outputs,
                   const RunOptions &options) const {
  try {
    return impl->run(inputs, outputs, options);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

Expected<BoundKernel> Kernel::bind(Span<const TensorView> inputs,
                                   Span<const TensorView> outputs,
                                   const RunOptions &options) const {
  try {
    auto bound = runtime::BoundImpl::create(impl, inputs, outputs, options);
    if (!bound)
      return bound.error();
    return BoundKernel(std::move(*bound));
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

void BoundKernel::run() const { impl->run(); }

Status Kernel::runBatch(Span<const TensorView> inputs,
                        Span<const TensorView> outputs,
                        const RunOptions &options) const {
  try {
    return impl->runBatch(inputs, outputs, options);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

Expected<Shape> Kernel::outputShape(Span<const TensorView> inputs,
                                    std::size_t index) const {
  return impl->outputShape(inputs, index);
}

Expected<std::string> Kernel::dump(Stage stage) const {
  try {
    return impl->dump(stage);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

const Expression &Kernel::expression() const { return impl->expression(); }

std::size_t Kernel::outputCount() const {
  return impl->demands().outputs.size();
}

DType Kernel::outputType(std::size_t index) const {
  return impl->demands().outputs[index];
}

Precision Kernel::precision() const { return impl->plan().precision; }

Tier Kernel::tier() const { return impl->contiguous().code().tier; }

const void *Kernel::codeAddress() const {
  const auto &machine = impl->contiguous().code().machine;
  return machine ? machine->address() : nullptr;
}

std::size_t Kernel::codeSize() const { return impl->codeSize(); }

CompileTimes Kernel::compileTimes() const { return impl->times(); }

unsigned Kernel::operationsPerElement() const {
  return impl->plan().work().operations;
}
