//===- CompiledLoop.h - Plans turned into code for tests ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODEGEN_COMPILEDLOOP_H
#define KEXPR_UNITTESTS_CODEGEN_COMPILEDLOOP_H

#include "Code/CodeMemory.h"
#include "CodeGen/CodeGen.h"
#include "Jit/Session.h"
#include "Semantics/Check.h"
#include "Semantics/Promotion.h"
#include "TestUtil/Parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kexpr::test {

/// The plan of an expression. `patterns` are those of the outputs, then of the
/// inputs in order of first use; what it leaves out is contiguous.
inline semantics::Plan
planFor(std::string_view text,
        std::vector<semantics::AccessPattern> patterns = {}) {
  semantics::Plan plan{.graph = *semantics::check(*Expression::parse(text), {}),
                       .inputs = {},
                       .outputs = {}};
  plan.setContiguous();
  for (std::size_t i = 0; i < patterns.size(); ++i)
    (i < plan.outputs.size() ? plan.outputs[i]
                             : plan.inputs[i - plan.outputs.size()])
        .pattern = patterns[i];
  return plan;
}

/// This machine with every width of vectors that it has; none where code is
/// never generated.
inline std::vector<codegen::Target> hostTargets() {
  std::vector<codegen::Target> targets;
  for (unsigned bits : {128, 256, 512}) {
    auto target = codegen::makeTarget(
        {.triple = {}, .cpu = {}, .features = {}, .vectorBits = bits});
    if (target && target->hasFma)
      targets.push_back(*target);
  }
  return targets;
}

/// A plan compiled and linked into this process.
class CompiledLoop {
public:
  CompiledLoop(const semantics::Plan &plan, const codegen::Target &target,
               codegen::OptLevel level = codegen::OptLevel::Optimized)
      : parameters(parametersOf(plan)) {
    static const auto session = *jit::Session::create();
    auto object = codegen::compile(plan, target, level);
    if (!object) {
      ADD_FAILURE() << object.error().message();
      return;
    }
    auto image = session->link(object->bytes, object->symbol);
    if (!image) {
      ADD_FAILURE() << image.error().message();
      return;
    }
    auto loaded = code::CodeMemory::ofProcess()->load(*image);
    if (!loaded) {
      ADD_FAILURE() << loaded.error().message();
      return;
    }
    machineCode = *loaded;
  }
  explicit operator bool() const { return machineCode != nullptr; }

  void run(std::int64_t count, std::vector<const void *> pointers,
           const std::vector<std::int64_t> &strides = {}) const {
    for (const std::uint64_t &parameter : parameters)
      pointers.push_back(&parameter);
    reinterpret_cast<semantics::LoopFn>(machineCode->address())(
        count, const_cast<void *const *>(pointers.data()), strides.data());
  }

private:
  std::vector<std::uint64_t> parameters;
  std::shared_ptr<const code::LoadedCode> machineCode;
};

/// Runs `test(target, level)` for every kind of code this machine can run.
template <class F> void forEachTier(F test) {
  for (const codegen::Target &target : hostTargets())
    for (auto level :
         {codegen::OptLevel::Baseline, codegen::OptLevel::Optimized}) {
      SCOPED_TRACE(
          std::to_string(target.vectorBits) + " bits, " +
          (level == codegen::OptLevel::Baseline ? "baseline" : "optimized"));
      test(target, level);
    }
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_COMPILEDLOOP_H
