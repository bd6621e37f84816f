//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compile.h"
#include "Runtime/Compiler.h"

#include <new>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;

static Expected<codegen::Target> chooseTarget(const backend::Backend &backend,
                                              const EngineOptions &options) {
  auto target = backend.makeTarget({.triple = {},
                                    .cpu = options.cpu,
                                    .features = options.features,
                                    .vectorBits = options.vectorBits});
  if (!target)
    return target;
  if (auto status = backend.checkRunsHere(*target); !status)
    return status.error();
  return target;
}

Expected<const codegen::Target *> Compiler::target() const {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  std::lock_guard lock(mutex);
  if (!machine)
    machine = chooseTarget(**backend, options);
  if (!*machine)
    return machine->error();
  return &**machine;
}

/// What a process does once, while nobody waits for it: LLVM is loaded, its
/// tables and a target machine are made, and the code that generates code is
/// brought into memory.
void Compiler::warmUp() const {
  try {
    const auto machine = target();
    const auto expression = Expression::parse("add(mul(@0,@1),exp(@2))");
    if (!machine || !(*machine)->hasFma || !expression)
      return;
    const auto plan = planOf(*expression);
    auto backend = backend::load();
    for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline})
      if (!(*backend)->compile(*plan, **machine, level))
        return;
  } catch (const std::bad_alloc &) {
    return;
  }
}
