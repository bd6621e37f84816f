//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of each operator's kernel, with its operands in cache.
//
//===----------------------------------------------------------------------===//
#include "kexpr/Operators.h"
#include "Bench/Suite.h"

#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// Three operands and a result of it fit any second-level cache.
static constexpr std::int64_t elements = 8192;

/// `name(@0,@1...)`.
static std::string callOf(const OperatorInfo &op) {
  std::string text = std::string(op.name) + "(";
  for (unsigned i = 0; i < op.arity; ++i)
    text += (i ? ",@" : "@") + std::to_string(i);
  return text + ")";
}

/// Whether there is a kernel of it in f32: there is none of an operator on
/// integers.
static bool worksOnFloats(const Engine &engine, const std::string &call) {
  const auto kernel = engine.compile(call, {.mode = Mode::Interpret});
  return kernel || kernel.error().code() != ErrorCode::TypeMismatch;
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  for (const OperatorInfo &op : operators()) {
    const std::string call = callOf(op);
    if (!worksOnFloats(engine, call))
      continue;
    auto work =
        std::make_shared<Workload>(call, std::vector<Shape>{{elements}});
    benchmark::RegisterBenchmark(
        std::string(op.name).c_str(), [=, &engine, &pool](auto &state) {
          timeWorkload(state, engine, pool, *work, {.maxThreads = 1});
        });
  }
  return runSuite(argc, argv, engine, {"--benchmark_min_time=0.1"});
}
