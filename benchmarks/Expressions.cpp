//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work set against the loops that a C++ compiler makes of it, measured in
// turns in one run.
//
//===----------------------------------------------------------------------===//
#include "Bench/ExpressionFile.h"
#include "Bench/Peers.h"
#include "Bench/Suite.h"
#include "Bench/Table.h"

#include <iostream>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// First- and second-level cache, last-level cache, memory.
static constexpr std::int64_t sizes[] = {1000, 32000, 1000000, 64000000};

static std::string nameOf(const char *side, const BenchCase &bench,
                          std::int64_t size) {
  return bench.name + "/" + side + "/" + std::to_string(size);
}

static void registerPair(const Engine &engine, Pool &pool,
                         const BenchCase &bench, std::int64_t size) {
  auto work =
      std::make_shared<Workload>(bench.expression, std::vector<Shape>{{size}});
  const PlainLoop loop =
      handWrittenLoops().loops[plainIndexOf(bench.expression)];
  benchmark::RegisterBenchmark(
      nameOf("bound", bench, size).c_str(), [=, &engine, &pool](auto &state) {
        timeBound(state, engine, pool, *work, {.maxThreads = 1});
      });
  benchmark::RegisterBenchmark(
      nameOf("run", bench, size).c_str(), [=, &engine, &pool](auto &state) {
        timeWorkload(state, engine, pool, *work, {.maxThreads = 1});
      });
  benchmark::RegisterBenchmark(nameOf("plain", bench, size).c_str(),
                               [=, &engine, &pool](auto &state) {
                                 timePlain(state, engine, pool, *work, loop);
                               });
}

static void summarize(const RunLog &log) {
  Table table({"expression", "elements", "bound ns/element", "run ns/element",
               "plain ns/element", "plain / bound", "plain / run"});
  for (const BenchCase &bench : workset())
    for (std::int64_t size : sizes) {
      const auto *ours = log.find(nameOf("bound", bench, size));
      const auto *run = log.find(nameOf("run", bench, size));
      const auto *plain = log.find(nameOf("plain", bench, size));
      if (!ours || !run || !plain)
        continue;
      const double scale = 1e9 / static_cast<double>(size);
      table.add(
          {bench.name, std::to_string(size), number(ours->seconds * scale, 3),
           number(run->seconds * scale, 3), number(plain->seconds * scale, 3),
           number(plain->seconds / ours->seconds, 2),
           number(plain->seconds / run->seconds, 2)});
    }
  std::cout << "\nOne thread, checked at every call (run) or once (bound); the "
               "plain loops are compiled by "
            << handWrittenLoops().compiledBy
            << ".\nMedians of the repetitions.\n\n";
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  benchmark::AddCustomContext("plain_compiler", handWrittenLoops().compiledBy);
  for (std::int64_t size : sizes)
    for (const BenchCase &bench : workset())
      registerPair(engine, pool, bench, size);
  return runSuite(argc, argv, engine,
                  {"--benchmark_min_time=0.02", "--benchmark_repetitions=5",
                   "--benchmark_enable_random_interleaving=true",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
