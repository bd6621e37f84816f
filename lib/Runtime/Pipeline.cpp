//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The way of an expression from its text to the address of its code. Each
/// stage calls the next, and asks memory or the cache on disk first:
///
///   EngineImpl::compile      parse
///   EngineImpl::findOrMake   find the kernel in memory, or else
///   makeKernel                 check, plan
///   Compiler::compile          find the loop in memory, or else by its tiers
///   Compiler::codeFor            find the code on disk, load; or else
///                                emit, generate, link, load, keep on disk
///
/// Loops for other access patterns and for some of the outputs enter at
/// `Compiler::compile`, tiers in the background at `codeFor`.
///
//===----------------------------------------------------------------------===//
#include "Runtime/Pipeline.h"

#include "Semantics/Check.h"
#include "Support/InlineBuffer.h"
#include "Syntax/Parser.h"

#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;
using semantics::Plan;

using Clock = std::chrono::steady_clock;

namespace {
/// The key of a text in the cache: the options that code depends on, in one
/// form each, and the text.
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

Expected<KernelPtr> EngineImpl::compile(std::string_view text,
                                        const CompileOptions &options) {
  const auto start = Clock::now();
  auto expression = Expression::parse(text, options.limits);
  if (!expression)
    return expression.error();
  return findOrMake(*expression, options, Clock::now() - start);
}

Expected<KernelPtr> EngineImpl::findOrMake(const Expression &expression,
                                           const CompileOptions &options,
                                           std::chrono::nanoseconds parseTime) {
  return shared->withStack(options.mode, [&] {
    return cache.findOrMake(
        CacheKey(options, expression.canonical()),
        CacheKey(options, expression.text()),
        [&] { return makeKernel(shared, expression, options, parseTime); });
  });
}

Expected<KernelPtr>
runtime::makeKernel(std::shared_ptr<const Compiler> compiler,
                    const Expression &expression, const CompileOptions &options,
                    std::chrono::nanoseconds parseTime) {
  const Instrumentation *log = compiler->instrumentation();
  if (log)
    log->missed(expression);
  const auto start = Clock::now();
  auto plan = planOf(expression, options);
  if (!plan)
    return plan.error();
  plan->listing = compiler->listeners().listingOf(expression);
  if (log)
    plan->source = std::make_shared<const semantics::Source>(semantics::Source{
        expression, options.operandTypes, options.zeroDimOperands});
  CompileTimes times{.parse = parseTime, .plan = Clock::now() - start};
  std::unique_ptr<const RowProgram> sweeps;
  if (plan->graph.hasReductions()) {
    auto made = RowProgram::create(*compiler, *plan, options.mode, &times);
    if (!made)
      return made.error();
    sweeps = std::move(*made);
  }
  const Plan &last = sweeps ? sweeps->steps().back().sweep.plan : *plan;
  auto loop = compiler->compile(last, options.mode, sweeps ? nullptr : &times);
  if (!loop)
    return loop.error();
  auto kernel = std::make_shared<const KernelImpl>(
      KernelSource{std::move(compiler), expression, options, std::move(*plan),
                   times},
      std::move(*loop), std::move(sweeps));
  if (log)
    log->inserted(*kernel, Clock::now() - start);
  return KernelPtr(std::move(kernel));
}

Expected<LoopPtr> Compiler::compile(const Plan &plan, Mode mode,
                                    CompileTimes *times) const {
  return withStack(mode, [&]() -> Expected<LoopPtr> {
    // Loops of different modes are different loops, but one that is optimised
    // already serves a tiered kernel.
    const auto keyOf = [key = plan.key() + nameKey(plan)](Mode each) {
      return static_cast<char>('0' + static_cast<int>(each)) + key;
    };
    LoopPtr known =
        mode == Mode::Tiered ? loops.find(keyOf(Mode::Optimized)) : nullptr;
    bool isNew = false;
    auto loop = known ? known
                      : loops.findOrMake(
                            keyOf(mode),
                            [&] { return makeLoop(plan, mode, times); }, isNew);
    shared += loop && !isNew;
    return loop;
  });
}

Expected<std::shared_ptr<Loop>> Compiler::makeLoop(const Plan &plan, Mode mode,
                                                   CompileTimes *times) const {
  const auto level = lastLevel(plan, mode);
  const bool isTiered = mode == Mode::Tiered;
  limited += mode != Mode::Interpret && level != levelOf(mode);
  CodePtr code;
  if (level) {
    // Interpreting takes less time than loading LLVM.
    auto found = codeFor(plan, *level,
                         isTiered ? CodeOrigin::Disk : CodeOrigin::Any, times);
    if (!found)
      return found.error();
    code = std::move(*found);
  }
  if (code) {
    dump(plan, *level);
    return std::make_shared<Loop>(plan, std::move(code));
  }
  // Options that describe no machine are an error at once.
  if (level && isTiered && namesTarget)
    if (const auto machine = target(); !machine)
      return machine.error();
  code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  auto loop = std::make_shared<Loop>(plan, std::move(code));
  if (level && isTiered) {
    const auto kept = std::make_shared<const Plan>(plan);
    improveLater(loop, kept, OptLevel::Baseline);
    if (level == OptLevel::Optimized)
      improveLater(loop, kept, OptLevel::Optimized);
  }
  return loop;
}

Expected<Compiler::CodePtr> Compiler::codeFor(const Plan &plan, OptLevel level,
                                              CodeOrigin origin,
                                              CompileTimes *times) const {
  CompileTimes unasked;
  CompileTimes &spent = times ? *times : unasked;
  const auto &memory = code::CodeMemory::ofProcess();
  auto start = Clock::now();
  // Find on disk.
  if (disk && origin != CodeOrigin::Generator) {
    const auto image = disk->find(keyOnDisk(plan, level));
    if (log)
      log->diskAsked(plan, level, image.has_value(), Clock::now() - start);
    if (image)
      if (auto loaded = memory->load(*image, codeListeners.listeners())) {
        spent.link = Clock::now() - start;
        return codeOf(std::move(*loaded), level);
      }
  }
  if (origin == CodeOrigin::Disk)
    return CodePtr();
  // Emit, generate, link. Where nothing can be made executable, LLVM cannot be
  // loaded either, and there is no code instead of an error.
  const auto failed = [&memory](const Error &error) -> Expected<CodePtr> {
    if (memory->status())
      return error;
    return CodePtr();
  };
  const auto machine = target();
  if (!machine)
    return failed(machine.error());
  if (!memory->status() || !(*machine)->hasFma)
    return CodePtr();
  const auto backend = backend::load();
  if (!backend)
    return failed(backend.error());
  start = Clock::now();
  auto compiled =
      plan.listing ? (*backend)->compile(named(plan, level), **machine, level)
                   : (*backend)->compile(plan, **machine, level);
  if (!compiled)
    return failed(compiled.error());
  // Load.
  const auto linked = Clock::now();
  auto loaded = memory->load(compiled->image, codeListeners.listeners());
  if (!loaded)
    return failed(loaded.error());
  const auto end = Clock::now();
  spent.emit = compiled->times.emit;
  spent.codegen = compiled->times.codegen;
  spent.link = compiled->link + (end - linked);
  (level == OptLevel::Baseline ? baseline : optimized).add(end - start);
  if (log)
    log->compiled(plan, level, **machine, spent, (*loaded)->size());
  // Keep on disk.
  if (disk)
    keep(plan, level, compiled->image, **backend);
  return codeOf(std::move(*loaded), level);
}

// What enters the pipeline further on.

Expected<Plan> runtime::planOf(const Expression &expression,
                               const CompileOptions &options) {
  auto graph = semantics::check(
      expression,
      {options.operandTypes, options.zeroDimOperands, options.precision});
  if (!graph)
    return graph.error();
  Plan plan{.graph = std::move(*graph),
            .inputs = {},
            .outputs = {},
            .precision = options.precision};
  plan.setContiguous();
  return plan;
}

KernelPtr EngineImpl::find(std::string_view text,
                           const CompileOptions &options) {
  KernelPtr kernel = cache.find(CacheKey(options, text));
  return kernel && syntax::fits(kernel->expression(), options.limits) ? kernel
                                                                      : nullptr;
}

Expected<KernelPtr> EngineImpl::compile(const Expression &expression,
                                        const CompileOptions &options) {
  if (KernelPtr kernel = cache.find(CacheKey(options, expression.text())))
    return kernel;
  return findOrMake(expression, options, {});
}

EngineStats EngineImpl::stats() const {
  EngineStats stats = cache.stats();
  shared->addTo(stats);
  return stats;
}
