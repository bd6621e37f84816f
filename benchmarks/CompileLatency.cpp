//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long it takes to get a kernel, and to call it.
//
//===----------------------------------------------------------------------===//
#include "Bench/Latency.h"
#include "Bench/Suite.h"
#include "ColdStart.h"

#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// Additions and multiplications in turns, each of the one before and another
/// operand, so that none can be merged with another.
static std::string chain(int operators) {
  std::string text = "@0";
  for (int i = 0; i < operators; ++i)
    text = std::string(i % 2 ? "mul(" : "add(") + text + ",@" +
           std::to_string(1 + i % 2) + ")";
  return text;
}

static void registerLength(const Engine &engine, Pool &pool, int operators) {
  constexpr std::pair<const char *, Mode> modes[] = {
      {"interpret", Mode::Interpret},
      {"baseline", Mode::Baseline},
      {"optimized", Mode::Optimized},
      {"tiered", Mode::Tiered}};
  const std::string text = chain(operators);
  const std::string suffix = "/operators:" + std::to_string(operators);
  for (const auto &[name, mode] : modes) {
    benchmark::RegisterBenchmark(
        ("first/" + std::string(name) + suffix).c_str(),
        [text, mode = mode](auto &state) {
          timeFirst(state, text, {.mode = mode});
        })
        ->UseManualTime()
        ->Iterations(300)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(
        ("compile/" + std::string(name) + suffix).c_str(),
        [text, mode = mode](auto &state) {
          timeCompile(state, text, {.mode = mode});
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RegisterBenchmark(("disk" + suffix).c_str(),
                               [text](auto &state) { timeDisk(state, text); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("lookup" + suffix).c_str(), timeLookup, text,
                               CompileOptions())
      ->ThreadRange(1, 2)
      ->UseRealTime();
  auto work = std::make_shared<Workload>(text, std::vector<Shape>{{16}});
  benchmark::RegisterBenchmark(
      ("call/16" + suffix).c_str(), [=, &engine, &pool](auto &state) {
        timeWorkload(state, engine, pool, *work, {.maxThreads = 1});
      });
}

int main(int argc, char **argv) {
  if (auto status = runAsFreshProcess(argc, argv))
    return *status;
  const Engine engine;
  Pool pool;
  for (int operators : {1, 2, 8, 60})
    registerLength(engine, pool, operators);
  registerColdStarts();
  return runSuite(argc, argv, engine, {"--benchmark_min_time=0.2"});
}
