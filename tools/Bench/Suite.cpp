//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"

#include "Bench/Machine.h"

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
  const std::string message = status.error().hasRange()
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
    if (!bound->run())
      return state.SkipWithError("a bound call failed");
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
