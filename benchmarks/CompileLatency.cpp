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
#include "Bench/Suite.h"

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

/// One engine for all threads: a hit must not wait for another one.
static void runLookup(benchmark::State &state, const std::string &expression) {
  static const Engine engine;
  for (auto _ : state) {
    auto kernel = engine.compile(expression);
    if (!kernel) {
      succeeded(state, kernel.error());
      return;
    }
    benchmark::DoNotOptimize(kernel);
  }
}

/// A new expression to its first result, over 4096 elements. What is built in
/// the background is waited for outside of the time.
static void runFirst(benchmark::State &state, const std::string &text,
                     Mode mode) {
  constexpr std::int64_t elements = 4096;
  const std::vector<float> x(elements, 0.5f);
  std::vector<float> out(elements);
  const TensorView view(x.data(), {elements}), result(out.data(), {elements});
  EngineOptions options;
  options.maxKernels = 1;
  const Engine engine(options);
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    auto kernel = engine.compile(text, {.mode = mode});
    const bool isDone = kernel && kernel->run({view, view, view}, result);
    const auto time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(std::chrono::duration<double>(time).count());
    engine.settle();
    // Room for one kernel: another one makes the cache forget it.
    if (!isDone || !engine.compile("neg(@0)", {.mode = Mode::Interpret})) {
      state.SkipWithError("no result");
      return;
    }
  }
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
        [text, mode = mode](auto &state) { runFirst(state, text, mode); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(
        ("compile/" + std::string(name) + suffix).c_str(),
        [text, mode = mode](auto &state) { timeCompile(state, text, mode); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RegisterBenchmark(("lookup" + suffix).c_str(), runLookup, text)
      ->ThreadRange(1, 2)
      ->UseRealTime();
  auto work = std::make_shared<Workload>(text, std::vector<Shape>{{16}});
  benchmark::RegisterBenchmark(
      ("call/16" + suffix).c_str(), [=, &engine, &pool](auto &state) {
        timeWorkload(state, engine, pool, *work, {.maxThreads = 1});
      });
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  for (int operators : {1, 2, 8, 60})
    registerLength(engine, pool, operators);
  return runSuite(argc, argv, engine, {"--benchmark_min_time=0.2"});
}
