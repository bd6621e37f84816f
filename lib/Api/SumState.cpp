//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelImpl.h"
#include "Runtime/SumStateImpl.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"
#include "kexpr/Kernel.h"

using namespace kexpr;
using runtime::SumStateImpl;

Expected<SumState> Kernel::sumState(Span<const TensorView> inputs,
                                    const RunOptions &options) const {
  return guardedCall([&]() -> Expected<SumState> {
    auto made = impl->sumState(inputs, options);
    if (!made)
      return made.error();
    return SumState(std::move(*made));
  });
}

Expected<SumState> SumState::parse(std::string_view bytes) {
  return guarded([&]() -> Expected<SumState> {
    auto made = SumStateImpl::parse(bytes);
    if (!made)
      return made.error();
    return SumState(std::make_shared<const SumStateImpl>(std::move(*made)));
  });
}

Expected<std::string> SumState::bytes() const {
  return guarded([&]() -> Expected<std::string> { return impl->bytes(); });
}

Status SumState::merge(const SumState &other) {
  return guarded([&]() -> Status {
    auto merged = std::make_shared<SumStateImpl>(*impl);
    if (auto status = merged->merge(*other.impl); !status)
      return status;
    impl = std::move(merged);
    return {};
  });
}

Status SumState::finish(Span<const TensorView> outputs) const {
  return guarded([&]() -> Status {
    const DefaultFloats floats;
    return impl->finish({outputs.data(), outputs.size()});
  });
}

std::size_t SumState::outputCount() const { return impl->outputs.size(); }

DType SumState::outputType(std::size_t index) const {
  return impl->outputs[index].type;
}

Shape SumState::outputShape(std::size_t index) const {
  return impl->outputs[index].shape;
}
