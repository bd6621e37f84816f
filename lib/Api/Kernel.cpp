//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Kernel.h"

#include "Runtime/PreparedImpl.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"

using namespace kexpr;

std::string_view kexpr::nameOf(Tier tier) {
  constexpr std::string_view names[] = {"interpreter", "baseline", "optimized"};
  return names[static_cast<int>(tier)];
}

Status Kernel::run(Span<const TensorView> inputs,
                   Span<const TensorView> outputs,
                   const RunOptions &options) const {
  return guardedCall([&] { return impl->run(inputs, outputs, options); });
}

Expected<BoundKernel> Kernel::bind(Span<const TensorView> inputs,
                                   Span<const TensorView> outputs,
                                   const RunOptions &options) const {
  return guarded([&]() -> Expected<BoundKernel> {
    const DefaultFloats floats;
    auto made =
        runtime::PreparedImpl::create(impl, inputs, outputs, options, true);
    if (!made)
      return made.error();
    return BoundKernel(std::make_shared<const runtime::BoundImpl>(
        std::move(*made), inputs, outputs));
  });
}

Status BoundKernel::run() const {
  DefaultFloats floats;
  if (impl->runDirect())
    return {};
  return guardedCall([&] { return impl->run(floats); });
}

Expected<PreparedCall> Kernel::prepare(Span<const TensorView> inputs,
                                       Span<const TensorView> outputs,
                                       const RunOptions &options) const {
  return guarded([&]() -> Expected<PreparedCall> {
    const DefaultFloats floats;
    auto made =
        runtime::PreparedImpl::create(impl, inputs, outputs, options, false);
    if (!made)
      return made.error();
    return PreparedCall(std::move(*made));
  });
}

Status PreparedCall::run(Span<const void *const> inputs,
                         Span<void *const> outputs) const {
  return guardedCall([&] {
    DefaultFloats floats;
    return impl->run(inputs, outputs, floats);
  });
}

bool PreparedCall::mayShare(std::size_t output, std::size_t operand) const {
  return impl->mayShare(output, operand);
}

Status Kernel::runBatch(Span<const TensorView> inputs,
                        Span<const TensorView> outputs,
                        const RunOptions &options) const {
  return guardedCall([&] { return impl->runBatch(inputs, outputs, options); });
}

Expected<Shape> Kernel::outputShape(Span<const TensorView> inputs,
                                    std::size_t index) const {
  return guardedCall([&] { return impl->outputShape(inputs, index); });
}

Expected<std::string> Kernel::dump(Stage stage) const {
  return guarded([&] {
    const DefaultFloats floats;
    return impl->dump(stage);
  });
}

const Expression &Kernel::expression() const { return impl->expression(); }

std::size_t Kernel::outputCount() const {
  return impl->requirements().outputs.size();
}

DType Kernel::outputType(std::size_t index) const {
  return impl->requirements().outputs[index];
}

Precision Kernel::precision() const { return impl->plan().precision; }

Tier Kernel::tier() const { return impl->loops().contiguous().code().tier; }

const void *Kernel::codeAddress() const {
  const auto &machine = impl->loops().contiguous().code().machine;
  return machine ? machine->address() : nullptr;
}

unsigned Kernel::vectorBits() const {
  return guardedOr(0U, [this] { return impl->vectorBits(); });
}

std::size_t Kernel::codeSize() const { return impl->codeSize(); }

CompileTimes Kernel::compileTimes() const { return impl->times(); }

unsigned Kernel::operationsPerElement() const {
  return impl->plan().work().operations;
}
