//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

#include "CodeGen/CodeGen.h"

#include <new>

using namespace kexpr;
using namespace kexpr::runtime;

using Clock = std::chrono::steady_clock;

static Expected<codegen::Target> chooseTarget(const EngineOptions &options) {
  if (options.cpu.empty() && options.features.empty() && !options.vectorBits)
    return codegen::hostTarget();
  auto target = codegen::makeTarget({.triple = {},
                                     .cpu = options.cpu,
                                     .features = options.features,
                                     .vectorBits = options.vectorBits});
  if (!target)
    return target;
  if (auto status = codegen::checkRunsHere(*target); !status)
    return status.error();
  return target;
}

Compiler::Compiler(const EngineOptions &options)
    : machine(std::make_unique<const Expected<codegen::Target>>(
          chooseTarget(options))) {}

Compiler::~Compiler() = default;

const Expected<codegen::Target> &Compiler::target() const { return *machine; }

Expected<std::shared_ptr<jit::Session>> Compiler::session() const {
  std::lock_guard lock(mutex);
  if (linked)
    return linked;
  auto made = jit::Session::create();
  if (made)
    linked = *made;
  return made;
}

void Loop::improve(std::unique_ptr<const Code> better) {
  std::lock_guard lock(mutex);
  all.push_back(std::move(better));
  current.store(all.back().get(), std::memory_order_release);
}

std::size_t Loop::codeSize() const {
  std::lock_guard lock(mutex);
  std::size_t bytes = 0;
  for (const auto &code : all)
    bytes += code->machine ? code->machine->size() : 0;
  return bytes;
}

Expected<std::unique_ptr<const Code>>
Compiler::generate(const semantics::Plan &plan, Mode mode,
                   CompileTimes *times) const {
  const bool baseline = mode == Mode::Baseline;
  auto object = codegen::compile(plan, **machine,
                                 baseline ? codegen::OptLevel::Baseline
                                          : codegen::OptLevel::Optimized);
  if (!object)
    return object.error();
  auto linker = session();
  if (!linker)
    return linker.error();
  const auto start = Clock::now();
  auto linked = (*linker)->link(std::move(object->bytes), object->symbol);
  if (!linked)
    return linked.error();
  if (times) {
    times->emit = object->times.emit;
    times->codegen = object->times.codegen;
    times->link = Clock::now() - start;
  }
  auto code = std::make_unique<Code>();
  code->machine = std::move(*linked);
  code->function =
      reinterpret_cast<semantics::LoopFn>(code->machine->address());
  code->tier = baseline ? Tier::Baseline : Tier::Optimized;
  ++compiled;
  return std::unique_ptr<const Code>(std::move(code));
}

static std::unique_ptr<const Code> interpret(const semantics::Plan &plan) {
  auto code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  return code;
}

/// Baseline code soon, before any other loop's optimised code; then that. What
/// fails, for lack of memory, leaves the tier there is.
void Compiler::improveLater(const std::shared_ptr<Loop> &loop,
                            const semantics::Plan &plan) const {
  auto job = [this, plan](const std::weak_ptr<Loop> &later, Mode mode) {
    return [=, this] {
      // A loop that nobody has any more is not worth the work.
      const auto loop = later.lock();
      if (!loop)
        return;
      try {
        if (auto code = generate(plan, mode, nullptr))
          loop->improve(std::move(*code));
      } catch (const std::bad_alloc &) {
        return;
      }
    };
  };
  workers.add(true, job(loop, Mode::Baseline));
  workers.add(false, job(loop, Mode::Optimized));
}

std::shared_ptr<const Loop> Compiler::find(const std::string &key) const {
  std::lock_guard lock(mutex);
  auto place = loops.find(key);
  return place == loops.end() ? nullptr : place->second.lock();
}

void Compiler::keep(const std::string &key,
                    const std::shared_ptr<const Loop> &loop) const {
  std::lock_guard lock(mutex);
  loops[key] = loop;
  if (loops.size() < sweepAt)
    return;
  std::erase_if(loops,
                [](const auto &entry) { return entry.second.expired(); });
  sweepAt = 2 * loops.size() + 64;
}

/// What loops of a mode are kept under.
static std::string keyOf(const semantics::Plan &plan, Mode mode) {
  return static_cast<char>('0' + static_cast<int>(mode)) + plan.key();
}

Expected<std::shared_ptr<const Loop>>
Compiler::compile(const semantics::Plan &plan, Mode mode,
                  CompileTimes *times) const {
  if (!*machine && mode != Mode::Interpret)
    return machine->error();
  const bool isTiered = mode == Mode::Tiered;
  const std::string key = keyOf(plan, mode);
  auto known = find(key);
  if (!known && isTiered)
    known = find(keyOf(plan, Mode::Optimized));
  if (known) {
    ++shared;
    return known;
  }
  const bool hasCode = mode != Mode::Interpret && (*machine)->hasFma;
  std::unique_ptr<const Code> code;
  if (!hasCode || isTiered) {
    code = interpret(plan);
  } else {
    auto made = generate(plan, mode, times);
    if (!made)
      return made.error();
    code = std::move(*made);
  }
  auto loop = std::make_shared<Loop>(plan, std::move(code));
  if (hasCode && isTiered)
    improveLater(loop, plan);
  keep(key, loop);
  return std::shared_ptr<const Loop>(std::move(loop));
}
