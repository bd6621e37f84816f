//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"

#include "Bench/Machine.h"

#include <chrono>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

std::vector<std::string> tools::takeBenchmarkArguments(int &argc, char **argv) {
  std::vector<std::string> taken;
  int kept = 1;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("--benchmark_"))
      taken.emplace_back(argv[i]);
    else
      argv[kept++] = argv[i];
  argc = kept;
  return taken;
}

void tools::initializeSuite(const std::vector<std::string> &defaults,
                            const std::vector<std::string> &user) {
  // The library keeps a pointer to the first word: it must not go away.
  static std::vector<std::string> words;
  words = {"benchmark"};
  words.insert(words.end(), defaults.begin(), defaults.end());
  words.insert(words.end(), user.begin(), user.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
}

int tools::runSuite(int argc, char **argv, const Engine &engine,
                    const std::vector<std::string> &defaults,
                    const std::function<void(const RunLog &)> &summarize) {
  const auto user = takeBenchmarkArguments(argc, argv);
  if (argc > 1) {
    std::cerr << argv[0] << ": unknown argument '" << argv[1]
              << "'; all options start with --benchmark_\n";
    return 2;
  }
  initializeSuite(defaults, user);
  addMachineContext(engine);
  RunLog log(/*verbose=*/true);
  benchmark::RunSpecifiedBenchmarks(&log);
  if (summarize)
    summarize(log);
  return log.failed() ? 1 : 0;
}

bool tools::succeeded(benchmark::State &state, const Status &status) {
  if (status)
    return true;
  const std::string message = status.error().hasPlace()
                                  ? status.error().render()
                                  : status.error().message();
  state.SkipWithError(message.c_str());
  return false;
}

static void countWork(benchmark::State &state, const Workload &work) {
  state.SetItemsProcessed(state.iterations() * work.count());
  state.SetBytesProcessed(state.iterations() * work.bytes());
  state.counters["time_per_element"] =
      benchmark::Counter(static_cast<double>(work.count()),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void tools::timeBound(benchmark::State &state, const Engine &engine, Pool &pool,
                      Workload &work, const RunOptions &options) {
  if (!succeeded(state, work.prepare(engine, pool, options)))
    return;
  auto bound = work.bind(options);
  if (!bound) {
    succeeded(state, bound.error());
    return;
  }
  for (auto _ : state) {
    bound->run();
    benchmark::ClobberMemory();
  }
  countWork(state, work);
}

void tools::timeWorkload(benchmark::State &state, const Engine &engine,
                         Pool &pool, Workload &work,
                         const RunOptions &options) {
  if (!succeeded(state, work.prepare(engine, pool, options)))
    return;
  for (auto _ : state)
    if (!succeeded(state, work.run(options)))
      return;
  countWork(state, work);
}

void tools::timeCompile(benchmark::State &state, const std::string &expression,
                        Mode mode) {
  // Room for one kernel, so that another one makes the cache forget it.
  EngineOptions options;
  options.maxKernels = 1;
  const Engine engine(options);
  CompileTimes sum;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    auto kernel = engine.compile(expression, {.mode = mode});
    const auto time = std::chrono::steady_clock::now() - start;
    if (!kernel) {
      succeeded(state, kernel.error());
      return;
    }
    state.SetIterationTime(std::chrono::duration<double>(time).count());
    const CompileTimes times = kernel->compileTimes();
    sum.parse += times.parse;
    sum.plan += times.plan;
    sum.emit += times.emit;
    sum.codegen += times.codegen;
    sum.link += times.link;
    if (auto other = engine.compile("neg(@0)", {.mode = Mode::Interpret});
        !other) {
      succeeded(state, other.error());
      return;
    }
  }
  const auto add = [&](const char *name, std::chrono::nanoseconds time) {
    state.counters[name] =
        benchmark::Counter(std::chrono::duration<double>(time).count(),
                           benchmark::Counter::kAvgIterations);
  };
  add("parse", sum.parse);
  add("plan", sum.plan);
  add("emit", sum.emit);
  add("codegen", sum.codegen);
  add("link", sum.link);
}
