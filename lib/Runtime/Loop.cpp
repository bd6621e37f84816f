//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

#include "CodeGen/CodeGen.h"

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

Expected<CompileTimes>
Compiler::generate(Loop &loop, const semantics::Plan &plan, Mode mode) const {
  const bool baseline = mode == Mode::Baseline;
  auto object = codegen::compile(plan, **machine,
                                 baseline ? codegen::OptLevel::Baseline
                                          : codegen::OptLevel::Optimized);
  if (!object)
    return object.error();
  CompileTimes times{.emit = object->times.emit,
                     .codegen = object->times.codegen};

  auto linker = session();
  if (!linker)
    return linker.error();
  const auto start = Clock::now();
  auto code = (*linker)->link(std::move(object->bytes), object->symbol);
  if (!code)
    return code.error();
  times.link = Clock::now() - start;
  loop.code = std::move(*code);
  loop.function = reinterpret_cast<semantics::LoopFn>(loop.code->address());
  loop.tier = baseline ? Tier::Baseline : Tier::Optimized;
  ++compiled;
  return times;
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

Expected<std::shared_ptr<const Loop>>
Compiler::compile(const semantics::Plan &plan, Mode mode,
                  CompileTimes *times) const {
  if (!*machine && mode != Mode::Interpret)
    return machine->error();
  const std::string key =
      static_cast<char>('0' + static_cast<int>(mode)) + plan.key();
  if (auto known = find(key)) {
    ++shared;
    return known;
  }
  auto loop = std::make_shared<Loop>();
  loop->outputs = plan.outputs;
  loop->inputs = plan.inputs;
  if (mode == Mode::Interpret || !(*machine)->hasFma) {
    loop->interpreter.emplace(plan);
  } else {
    auto spent = generate(*loop, plan, mode);
    if (!spent)
      return spent.error();
    if (times) {
      times->emit = spent->emit;
      times->codegen = spent->codegen;
      times->link = spent->link;
    }
  }
  keep(key, loop);
  return std::shared_ptr<const Loop>(std::move(loop));
}
