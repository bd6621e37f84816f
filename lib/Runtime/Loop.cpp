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

Status Compiler::generate(Loop &loop, Mode mode) const {
  const bool baseline = mode == Mode::Baseline;
  auto object = codegen::compile(loop.plan, **machine,
                                 baseline ? codegen::OptLevel::Baseline
                                          : codegen::OptLevel::Optimized);
  if (!object)
    return object.error();
  loop.times.emit = object->times.emit;
  loop.times.codegen = object->times.codegen;

  auto linker = session();
  if (!linker)
    return linker.error();
  const auto start = Clock::now();
  auto code = (*linker)->link(std::move(object->bytes), object->symbol);
  if (!code)
    return code.error();
  loop.times.link = Clock::now() - start;
  loop.code = std::move(*code);
  loop.function = reinterpret_cast<semantics::LoopFn>(loop.code->address());
  loop.tier = baseline ? Tier::Baseline : Tier::Optimized;
  ++compiled;
  return {};
}

Expected<std::shared_ptr<const Loop>>
Compiler::compile(semantics::Plan plan, Mode mode,
                  const CompileTimes &before) const {
  if (!*machine && mode != Mode::Interpret)
    return machine->error();
  auto loop = std::make_shared<Loop>();
  loop->plan = std::move(plan);
  loop->times = before;
  if (mode == Mode::Interpret || !(*machine)->hasFma)
    loop->interpreter.emplace(loop->plan);
  else if (auto status = generate(*loop, mode); !status)
    return status.error();
  return std::shared_ptr<const Loop>(std::move(loop));
}
