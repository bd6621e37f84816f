//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Engine.h"

#include "Runtime/Pipeline.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"

#include <functional>

using namespace kexpr;

Engine::Engine() : Engine(EngineOptions()) {}

/// Null where there is no memory for one.
static std::shared_ptr<runtime::EngineImpl>
makeEngine(const EngineOptions &options) noexcept {
  return guardedOr(std::shared_ptr<runtime::EngineImpl>(), [&] {
    const DefaultFloats floats;
    return std::make_shared<runtime::EngineImpl>(options);
  });
}

Engine::Engine(const EngineOptions &options) : impl(makeEngine(options)) {}

/// The kernel that `compile` returns, with exceptions as errors.
template <class F> static Expected<Kernel> kernelOf(F compile) {
  return guarded([&]() -> Expected<Kernel> {
    const DefaultFloats floats;
    auto kernel = compile();
    if (!kernel)
      return kernel.error();
    return Kernel(std::move(*kernel));
  });
}

/// The result of `ask` for an engine; `otherwise` where there is none, or where
/// resources ran out.
template <class T, class F>
static T answer(const std::shared_ptr<runtime::EngineImpl> &impl, T otherwise,
                F ask) noexcept {
  return guardedOr(otherwise, [&] {
    const DefaultFloats floats;
    return impl ? std::invoke(ask, impl->compiler()) : otherwise;
  });
}

Expected<Kernel> Engine::compile(std::string_view expression,
                                 const CompileOptions &options) const {
  if (!impl)
    return outOfMemory();
  auto known = guardedCall([&]() -> Expected<runtime::KernelPtr> {
    return impl->find(expression, options);
  });
  if (!known)
    return known.error();
  if (*known)
    return Kernel(std::move(*known));
  return kernelOf([&] { return impl->compile(expression, options); });
}

Expected<Kernel> Engine::compile(const Expression &expression,
                                 const CompileOptions &options) const {
  return kernelOf([&]() -> Expected<runtime::KernelPtr> {
    if (!impl)
      return outOfMemory();
    return impl->compile(expression, options);
  });
}

using runtime::Compiler;

void Engine::settle() const {
  answer(impl, 0, [](const Compiler &compiler) {
    compiler.settle();
    return 0;
  });
}

Status Engine::codeStatus() const {
  return answer(impl, Status(outOfMemory()), &Compiler::codeStatus);
}

Status Engine::cacheStatus() const {
  return answer(impl, Status(outOfMemory()), &Compiler::cacheStatus);
}

Status Engine::listenerStatus() const {
  return answer(impl, Status(outOfMemory()), [](const Compiler &compiler) {
    return compiler.listeners().status();
  });
}

Status Engine::dumpStatus() const {
  return answer(impl, Status(outOfMemory()), [](const Compiler &compiler) {
    const auto *log = compiler.instrumentation();
    return log ? log->dumpStatus() : Status();
  });
}

Status Engine::logStatus() const {
  return answer(impl, Status(outOfMemory()), [](const Compiler &compiler) {
    const auto *log = compiler.instrumentation();
    return log ? log->logStatus() : Status();
  });
}

EngineStats Engine::stats() const {
  return answer(impl, EngineStats(),
                [this](const Compiler &) { return impl->stats(); });
}

std::string_view Engine::targetCpu() const {
  return answer(impl, std::string_view(), [](const Compiler &compiler) {
    const auto target = compiler.target();
    return target ? std::string_view((*target)->cpu) : std::string_view();
  });
}

unsigned Engine::vectorBits() const {
  return answer(impl, 0U, [](const Compiler &compiler) {
    const auto target = compiler.target();
    return target && (*target)->hasFma ? (*target)->vectorBits : 0U;
  });
}
