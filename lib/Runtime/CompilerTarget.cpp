//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compiler.h"

using namespace kexpr;
using namespace kexpr::runtime;

static Expected<codegen::Target> chooseTarget(const EngineOptions &options) {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto target = (*backend)->makeTarget({.triple = {},
                                        .cpu = options.cpu,
                                        .features = options.features,
                                        .vectorBits = options.vectorBits});
  if (!target)
    return target;
  if (auto status = (*backend)->checkRunsHere(*target); !status)
    return status.error();
  return target;
}

Expected<const codegen::Target *> Compiler::target() const {
  const auto known = [this]() -> Expected<const codegen::Target *> {
    if (!*machine)
      return machine->error();
    return &**machine;
  };
  {
    std::lock_guard lock(mutex);
    if (machine)
      return known();
  }
  auto chosen =
      withStack(Mode::Optimized, [&] { return chooseTarget(options); });
  // What options describe is wrong for ever; all else that fails may pass.
  if (!chosen && chosen.error().code() != ErrorCode::InvalidArgument)
    return chosen.error();
  std::lock_guard lock(mutex);
  if (!machine)
    machine = std::move(chosen);
  return known();
}

Status Compiler::codeStatus() const {
  if (auto status = code::CodeMemory::ofProcess()->status(); !status)
    return status;
  const auto machine = target();
  if (!machine)
    return machine.error();
  if (!(*machine)->hasFma)
    return Error(ErrorCode::Unsupported,
                 "the CPU has no fused multiply-add, which code is made of");
  return {};
}
