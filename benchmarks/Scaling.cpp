//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What more threads are worth, from one to all that the machine has.
//
//===----------------------------------------------------------------------===//
#include "Bench/ExpressionFile.h"
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Limits.h"

#include <iostream>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// Last-level cache, memory.
static constexpr std::int64_t sizes[] = {1000000, 64000000};

static std::string nameOf(const BenchCase &bench, std::int64_t size,
                          unsigned threads) {
  return bench.name + "/" + std::to_string(size) +
         "/threads:" + std::to_string(threads);
}

static void registerPoint(const Engine &engine, Pool &pool,
                          const BenchCase &bench, std::int64_t size,
                          unsigned threads) {
  auto work =
      std::make_shared<Workload>(bench.expression, std::vector<Shape>{{size}});
  benchmark::RegisterBenchmark(
      nameOf(bench, size, threads).c_str(),
      [=, &engine, &pool](benchmark::State &state) {
        timeWorkload(state, engine, pool, *work, {.maxThreads = threads});
        if (!state.error_occurred())
          state.counters["triad"] = triadBandwidth(work->bytes(), threads);
      })
      ->UseRealTime();
}

static void summarize(const RunLog &log) {
  Table table({"expression", "elements", "threads", "ns/element", "speed-up",
               "triad GB/s"});
  for (const BenchCase &bench : workset())
    for (std::int64_t size : sizes)
      for (unsigned threads = 1; threads <= hardwareThreads(); ++threads) {
        const auto *one = log.find(nameOf(bench, size, 1));
        const auto *many = log.find(nameOf(bench, size, threads));
        if (!one || !many)
          continue;
        table.add({bench.name, std::to_string(size), std::to_string(threads),
                   number(many->seconds * 1e9 / static_cast<double>(size), 3),
                   number(one->seconds / many->seconds, 2),
                   number(many->counters.at("triad") * 1e-9, 1)});
      }
  std::cout << '\n';
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  for (const BenchCase &bench : workset())
    for (std::int64_t size : sizes)
      for (unsigned threads = 1; threads <= hardwareThreads(); ++threads)
        registerPoint(engine, pool, bench, size, threads);
  return runSuite(argc, argv, engine, {"--benchmark_min_time=0.2"}, summarize);
}
