//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compile.h"

#include "Semantics/Check.h"

#include <new>

using namespace kexpr;
using namespace kexpr::runtime;

using Clock = std::chrono::steady_clock;

Expected<semantics::Plan> runtime::planOf(const Expression &expression) {
  auto graph = semantics::check(expression, {});
  if (!graph)
    return graph.error();
  semantics::Plan plan{.graph = std::move(*graph), .inputs = {}, .outputs = {}};
  plan.inputs.resize(plan.graph.inputs.size());
  plan.outputs.resize(plan.graph.outputs.size());
  return plan;
}

Expected<KernelPtr> runtime::compile(std::shared_ptr<const Compiler> compiler,
                                     const Expression &expression, Mode mode,
                                     std::chrono::nanoseconds parseTime) {
  const auto start = Clock::now();
  auto plan = planOf(expression);
  if (!plan)
    return plan.error();
  const auto planTime = Clock::now() - start;
  auto loop = compiler->compile(std::move(*plan), mode,
                                {.parse = parseTime, .plan = planTime});
  if (!loop)
    return loop.error();
  return std::make_shared<const KernelImpl>(std::move(compiler), expression,
                                            std::move(*loop), mode);
}

EngineImpl::EngineImpl(const EngineOptions &options)
    : shared(std::make_shared<const Compiler>(options)),
      cache(options.maxKernels) {}

Expected<KernelPtr> EngineImpl::lookUp(const Expression &expression, Mode mode,
                                       std::chrono::nanoseconds parseTime) {
  return cache.findOrMake(
      mode, expression.canonical(), expression.text(),
      [&]() -> Expected<KernelPtr> {
        // Threads that wait for this kernel must be told, whatever happens.
        try {
          return runtime::compile(shared, expression, mode, parseTime);
        } catch (const std::bad_alloc &) {
          return Error(ErrorCode::OutOfMemory, "out of memory while compiling");
        }
      });
}

Expected<KernelPtr> EngineImpl::compile(std::string_view text,
                                        const CompileOptions &options) {
  if (KernelPtr kernel = cache.find(options.mode, text))
    return kernel;
  const auto start = Clock::now();
  auto expression = Expression::parse(text, options.limits);
  if (!expression)
    return expression.error();
  return lookUp(*expression, options.mode, Clock::now() - start);
}

Expected<KernelPtr> EngineImpl::compile(const Expression &expression,
                                        const CompileOptions &options) {
  if (KernelPtr kernel = cache.find(options.mode, expression.text()))
    return kernel;
  return lookUp(expression, options.mode, {});
}

EngineStats EngineImpl::stats() const {
  EngineStats stats = cache.stats();
  stats.compiled = shared->compiledCount();
  return stats;
}
