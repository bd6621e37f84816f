//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compile.h"

#include "Semantics/Check.h"
#include "Support/InlineBuffer.h"
#include "Syntax/Parser.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;

using Clock = std::chrono::steady_clock;

Expected<semantics::Plan> runtime::planOf(const Expression &expression,
                                          const CompileOptions &options) {
  auto graph = semantics::check(
      expression, {options.operandTypes, options.zeroDimOperands});
  if (!graph)
    return graph.error();
  semantics::Plan plan{.graph = std::move(*graph),
                       .inputs = {},
                       .outputs = {},
                       .precision = options.precision};
  plan.setContiguous();
  return plan;
}

Expected<KernelPtr> runtime::compile(std::shared_ptr<const Compiler> compiler,
                                     const Expression &expression,
                                     const CompileOptions &options,
                                     std::chrono::nanoseconds parseTime) {
  const auto start = Clock::now();
  auto plan = planOf(expression, options);
  if (!plan)
    return plan.error();
  plan->listing = compiler->profile().listingOf(expression);
  if (compiler->watcher())
    plan->source = std::make_shared<const semantics::Source>(semantics::Source{
        expression, options.operandTypes, options.zeroDimOperands});
  CompileTimes times{.parse = parseTime, .plan = Clock::now() - start};
  auto loop = compiler->compile(*plan, options.mode, &times);
  if (!loop)
    return loop.error();
  return std::make_shared<const KernelImpl>(std::move(compiler), expression,
                                            options, std::move(*plan),
                                            std::move(*loop), times);
}

EngineImpl::EngineImpl(const EngineOptions &options)
    : shared(std::make_shared<const Compiler>(options)),
      cache({options.maxKernels, options.maxCodeBytes}, shared->watcher()) {}

namespace {
/// A text behind all that `options` has the code depend on; no two differ only
/// where it does not matter.
class CacheKey {
public:
  CacheKey(const CompileOptions &options, std::string_view text)
      : chars(2 + options.operandTypes.size() +
              5 * options.zeroDimOperands.size() + 1 + text.size()) {
    put(static_cast<char>(options.mode));
    put(static_cast<char>(options.precision));
    std::size_t last = size;
    for (DType type : options.operandTypes) {
      put(static_cast<char>('A' + static_cast<int>(type)));
      if (type != DType::F32)
        last = size;
    }
    size = last; // F32 goes without saying
    for (std::uint32_t operand : options.zeroDimOperands) {
      put('@');
      std::memcpy(chars.data() + size, &operand, sizeof operand);
      size += sizeof operand;
    }
    put('\n');
    std::copy(text.begin(), text.end(), chars.data() + size);
    size += text.size();
  }
  operator std::string_view() const { return {chars.data(), size}; }

private:
  void put(char c) { chars[size++] = c; }

  InlineBuffer<char, 256> chars;
  std::size_t size = 0;
};
} // namespace

/// A kernel that the cache has not.
Expected<KernelPtr> EngineImpl::make(const Expression &expression,
                                     const CompileOptions &options,
                                     std::chrono::nanoseconds parseTime) {
  const Watcher *watcher = shared->watcher();
  if (!watcher)
    return runtime::compile(shared, expression, options, parseTime);
  watcher->missed(expression);
  const auto start = Clock::now();
  auto kernel = runtime::compile(shared, expression, options, parseTime);
  if (kernel)
    watcher->inserted(**kernel, Clock::now() - start);
  return kernel;
}

Expected<KernelPtr> EngineImpl::lookUp(const Expression &expression,
                                       const CompileOptions &options,
                                       std::chrono::nanoseconds parseTime) {
  return shared->withStack(options.mode, [&] {
    const Log::Deferral lines;
    return cache.findOrMake(CacheKey(options, expression.canonical()),
                            CacheKey(options, expression.text()), [&] {
                              return make(expression, options, parseTime);
                            });
  });
}

KernelPtr EngineImpl::find(std::string_view text,
                           const CompileOptions &options) {
  KernelPtr kernel = cache.find(CacheKey(options, text));
  return kernel && syntax::fits(kernel->expression(), options.limits) ? kernel
                                                                      : nullptr;
}

Expected<KernelPtr> EngineImpl::compile(std::string_view text,
                                        const CompileOptions &options) {
  const auto start = Clock::now();
  auto expression = Expression::parse(text, options.limits);
  if (!expression)
    return expression.error();
  return lookUp(*expression, options, Clock::now() - start);
}

Expected<KernelPtr> EngineImpl::compile(const Expression &expression,
                                        const CompileOptions &options) {
  if (KernelPtr kernel = cache.find(CacheKey(options, expression.text())))
    return kernel;
  return lookUp(expression, options, {});
}

EngineStats EngineImpl::stats() const {
  EngineStats stats = cache.stats();
  shared->addTo(stats);
  return stats;
}
