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
///   EngineImpl::compile      parse, and lower infix text
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
#include "Semantics/InfixLowering.h"
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
/// form each, and the text. That of infix text has what its meaning depends on
/// as well, and limits, as the kernel's expression does not tell what it took.
class CacheKey {
public:
  CacheKey(const CompileOptions &options, std::string_view text)
      : chars(2 + options.operandTypes.size() +
              5 * options.zeroDimOperands.size() + infixSize(options) + 1 +
              text.size()) {
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
      putBytes(&operand, sizeof operand);
    }
    if (options.syntax != Syntax::Pnnx)
      putInfix(options);
    put('\n');
    putBytes(text.data(), text.size());
  }
  operator std::string_view() const { return {chars.data(), size}; }

private:
  static std::size_t infixSize(const CompileOptions &options);
  void putInfix(const CompileOptions &options);
  void put(char c) { chars[size++] = c; }
  void putBytes(const void *bytes, std::size_t count) {
    if (count)
      std::memcpy(chars.data() + size, bytes, count);
    size += count;
  }

  InlineBuffer<char, 256> chars;
  std::size_t size = 0;
};
} // namespace

std::size_t CacheKey::infixSize(const CompileOptions &options) {
  if (options.syntax == Syntax::Pnnx)
    return 0;
  std::size_t bytes =
      2 + sizeof options.limits + 5 * options.numberOperands.size();
  for (const std::string &name : options.operandNames)
    bytes += 1 + sizeof name.size() + name.size();
  return bytes;
}

void CacheKey::putInfix(const CompileOptions &options) {
  put('~');
  put(static_cast<char>(options.semantics));
  putBytes(&options.limits, sizeof options.limits);
  for (std::uint32_t operand : options.numberOperands) {
    put('#');
    putBytes(&operand, sizeof operand);
  }
  for (const std::string &name : options.operandNames) {
    const std::size_t length = name.size();
    put('=');
    putBytes(&length, sizeof length);
    putBytes(name.data(), length);
  }
}

Expected<KernelPtr> EngineImpl::compile(std::string_view text,
                                        const CompileOptions &options) {
  if (options.syntax == Syntax::Infix)
    return compileInfix(text, options);
  if (options.semantics == Semantics::Numpy)
    return Error(ErrorCode::Unsupported,
                 "texts of PNNX have the semantics of PyTorch");
  const auto start = Clock::now();
  auto expression = Expression::parse(text, options.limits);
  if (!expression)
    return expression.error();
  return findOrMake(*expression, options, options, text, Clock::now() - start);
}

Expected<KernelPtr> EngineImpl::compileInfix(std::string_view text,
                                             const CompileOptions &options) {
  const auto start = Clock::now();
  auto program =
      semantics::readInfix(text, options.operandNames, options.limits);
  if (!program)
    return program.error();
  const bool isTorch = options.semantics == Semantics::Torch;
  std::vector<InfixOperand> operands;
  for (DType type : options.operandTypes)
    operands.push_back({type});
  for (std::uint32_t index : options.zeroDimOperands)
    if (index < operands.size())
      operands[index].kind = OperandKind::ZeroDim;
  for (std::uint32_t index : options.numberOperands) {
    if (index >= operands.size())
      return Error(ErrorCode::InvalidArgument,
                   "an operand that is a number has no type");
    operands[index].kind = OperandKind::Number;
  }
  auto lowered = semantics::lowerInfix(
      **program, {operands.data(), operands.size()}, options.semantics);
  if (!lowered)
    return lowered.error();
  // What the text means is all in the expression now.
  CompileOptions plain = options;
  plain.syntax = Syntax::Pnnx;
  plain.semantics = Semantics::Default;
  plain.operandNames.clear();
  plain.numberOperands.clear();
  if (!isTorch)
    plain.zeroDimOperands.clear();
  auto kernel = findOrMake(lowered->expression, plain, options, text,
                           Clock::now() - start);
  if (!kernel)
    return semantics::placeInInfix(kernel.error(), **program, *lowered);
  return kernel;
}

Expected<KernelPtr> EngineImpl::findOrMake(const Expression &expression,
                                           const CompileOptions &options,
                                           const CompileOptions &given,
                                           std::string_view text,
                                           std::chrono::nanoseconds parseTime) {
  return shared->withStack(options.mode, [&] {
    return cache.findOrMake(
        CacheKey(options, expression.canonical()), CacheKey(given, text),
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
  if (!options.aheadDirectory.empty()) {
    if (Status status = makeAhead(plan); !status)
      return status.error();
    mode = Mode::Interpret;
  }
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
    dump(plan, code->tier == Tier::Baseline ? OptLevel::Baseline
                                            : OptLevel::Optimized);
    return std::make_shared<Loop>(plan, std::move(code));
  }
  // Options that describe no machine are an error at once.
  if (level && isTiered && namesTarget && backend::isPartOfBuild())
    if (const auto machine = target(); !machine)
      return machine.error();
  code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  auto loop = std::make_shared<Loop>(plan, std::move(code));
  // All that there is on disk was found.
  if (level && isTiered && backend::isPartOfBuild()) {
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
    const auto image = findOnDisk(plan, level);
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
  // loaded either, and there is no code instead of an error, as in a build
  // without LLVM.
  const auto failed = [&memory](const Error &error) -> Expected<CodePtr> {
    if (memory->status() && backend::isPartOfBuild())
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
  spent.emit = compiled->emit;
  spent.codegen = compiled->codegen;
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
  const bool isFound =
      kernel && (options.syntax == Syntax::Infix ||
                 (options.semantics != Semantics::Numpy &&
                  syntax::fits(kernel->expression(), options.limits)));
  return isFound ? kernel : nullptr;
}

Expected<KernelPtr> EngineImpl::compile(const Expression &expression,
                                        const CompileOptions &options) {
  if (options.syntax != Syntax::Pnnx) {
    CompileOptions plain = options;
    plain.syntax = Syntax::Pnnx;
    plain.semantics = Semantics::Default;
    return compile(expression, plain);
  }
  if (KernelPtr kernel = cache.find(CacheKey(options, expression.text())))
    return kernel;
  return findOrMake(expression, options, options, expression.text(), {});
}

EngineStats EngineImpl::stats() const {
  EngineStats stats = cache.stats();
  shared->addTo(stats);
  return stats;
}
