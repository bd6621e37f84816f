//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/RowCall.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;
using semantics::Plan;
using semantics::SweepTarget;

Status RowProgram::compile(Steps &steps, bool keepsElements,
                           CompileTimes *times) const {
  for (semantics::Sweep &sweep : semantics::sweepsOf(plan, keepsElements)) {
    CompileTimes spent;
    auto loop = compiler.compile(sweep.plan, mode, &spent);
    if (!loop)
      return loop.error();
    if (times) {
      times->emit += spent.emit;
      times->codegen += spent.codegen;
      times->link += spent.link;
    }
    steps.emplace_back(compiler, std::move(sweep), mode, std::move(*loop));
  }
  return {};
}

Expected<std::unique_ptr<const RowProgram>>
RowProgram::create(const Compiler &compiler, const Plan &plan, Mode mode,
                   CompileTimes *times) {
  auto program = std::make_unique<RowProgram>(compiler, plan, mode);
  if (auto status = program->compile(program->keeping, true, times); !status)
    return status.error();
  for (const Step &step : program->keeping)
    for (const SweepTarget &target : step.sweep.targets)
      program->keepsAny |=
          target.kind == SweepTarget::Kind::Kept && step.sweep.axisSet;
  return std::unique_ptr<const RowProgram>(std::move(program));
}

Expected<const RowProgram::Steps *> RowProgram::stepsThatKeepNone() const {
  if (!keepsAny)
    return &keeping;
  if (!isCompiled.load(std::memory_order_acquire)) {
    Steps made;
    if (auto status = compile(made, false, nullptr); !status)
      return status.error();
    std::lock_guard lock(mutex);
    if (!isCompiled.load()) {
      plain.swap(made);
      isCompiled.store(true, std::memory_order_release);
    }
  }
  return &plain;
}

Expected<const Loop *>
RowProgram::Step::unrolled(const Compiler &compiler, Mode mode,
                           unsigned elements, bool takesRows,
                           std::span<const AccessPattern> patterns) const {
  std::vector<AccessPattern> all;
  for (AccessPattern pattern : patterns)
    all.insert(all.end(), elements, pattern);
  const auto isSame = [&](const Unrolled &each) {
    return each.elements == elements && each.takesRows == takesRows;
  };
  // Of so many lengths of rows there are loops; others do without.
  constexpr std::size_t most = 32;
  std::size_t made = 0;
  for (const Unrolled &each : unrolledLoops) {
    if (isSame(each))
      return each.loops.loopFor(all);
    made += each.takesRows ? 1 : 0;
  }
  if (takesRows && made >= most)
    return nullptr;
  Plan plan = sweep.plan.unrolled(elements, takesRows);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    plan.inputs[i].pattern = all[plan.outputs.size() + i];
  auto loop = compiler.compile(plan, mode);
  if (!loop)
    return loop.error();
  return unrolledLoops
      .pushUnless(isSame, compiler, mode, elements, takesRows, std::move(plan),
                  std::move(*loop))
      .loops.loopFor(all);
}

std::size_t RowProgram::Step::codeSize() const {
  std::size_t bytes = loops.codeSize();
  // The plans, roughly, count too.
  for (const Unrolled &each : unrolledLoops)
    bytes += each.loops.codeSize() + sizeof(Unrolled) +
             each.plan.graph.values.size() * sizeof(semantics::Value);
  return bytes;
}

std::size_t RowProgram::codeSize() const {
  std::size_t bytes = 0;
  for (const Step &step : keeping)
    bytes += step.codeSize();
  if (isCompiled.load(std::memory_order_acquire))
    for (const Step &step : plain)
      bytes += step.codeSize();
  for (const Whole &each : wholes)
    bytes += each.loops.codeSize() + sizeof(Whole) +
             each.rows.plan.graph.values.size() * sizeof(semantics::Value);
  return bytes;
}
