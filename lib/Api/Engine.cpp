//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Engine.h"

#include "Runtime/Compile.h"
#include "Support/OutOfMemory.h"

#include <new>

using namespace kexpr;

Engine::Engine() : Engine(EngineOptions()) {}

Engine::Engine(const EngineOptions &options)
    : impl(std::make_shared<runtime::EngineImpl>(options)) {}

/// What may throw turned into what returns an error.
template <class F> static Expected<Kernel> guarded(F compile) {
  try {
    auto kernel = compile();
    if (!kernel)
      return kernel.error();
    return Kernel(std::move(*kernel));
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

Expected<Kernel> Engine::compile(std::string_view expression,
                                 const CompileOptions &options) const {
  return guarded([&] { return impl->compile(expression, options); });
}

Expected<Kernel> Engine::compile(const Expression &expression,
                                 const CompileOptions &options) const {
  return guarded([&] { return impl->compile(expression, options); });
}

void Engine::settle() const { impl->compiler().settle(); }

Status Engine::cacheStatus() const { return impl->compiler().cacheStatus(); }

Status Engine::listenerStatus() const {
  return impl->compiler().profile().status();
}

Status Engine::dumpStatus() const {
  const auto *watcher = impl->compiler().watcher();
  return watcher ? watcher->dumpStatus() : Status();
}

Status Engine::logStatus() const {
  const auto *watcher = impl->compiler().watcher();
  return watcher ? watcher->logStatus() : Status();
}

EngineStats Engine::stats() const { return impl->stats(); }

std::string_view Engine::targetCpu() const {
  const auto target = impl->compiler().target();
  return target ? std::string_view((*target)->cpu) : std::string_view();
}

unsigned Engine::vectorBits() const {
  const auto target = impl->compiler().target();
  return target && (*target)->hasFma ? (*target)->vectorBits : 0;
}
