//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Cases.h"

#include "Bench/Caches.h"
#include "Bench/Latency.h"
#include "Bench/Peers.h"
#include "Bench/Suite.h"
#include "Bench/Triad.h"
#include "Bench/Workload.h"
#include "Support/Text.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

/// Small enough that a call costs what a call costs.
static constexpr std::int64_t callSize = 16;

static Pool &pool() {
  static Pool shared;
  return shared;
}

static std::string pointLabel(const Shape &shape) {
  std::string text;
  for (std::int64_t extent : shape)
    text += concat(text.empty() ? "" : "x", extent);
  return text.empty() ? "scalar" : text;
}

std::vector<Point> tools::pointsOf(const BenchCase &bench,
                                   const BenchOptions &options) {
  std::vector<Point> points;
  if (!bench.shapes.empty()) {
    const auto largest =
        std::max_element(bench.shapes.begin(), bench.shapes.end(),
                         [](const Shape &a, const Shape &b) {
                           return a.elementCount() < b.elementCount();
                         });
    points.push_back({bench.shapes, pointLabel(*largest)});
    return points;
  }
  for (std::int64_t size : options.sizes)
    points.push_back({{Shape{size}}, std::to_string(size)});
  return points;
}

std::string tools::compileName(const BenchCase &bench) {
  return bench.name + "/compile";
}

std::string tools::latencyName(const BenchCase &bench, const char *what) {
  return bench.name + "/latency/" + what;
}

std::string tools::callName(const BenchCase &bench) {
  return concat(bench.name, "/call/", callSize);
}

std::string tools::runName(const BenchCase &bench, const std::string &side,
                           const Point &point, unsigned threads) {
  return concat(bench.name, "/", side, "/", point.label, "/threads:", threads);
}

std::vector<std::string> tools::sidesOf() {
  std::vector<std::string> sides = {"fused", "op-by-op"};
  for (const PlainLoops *peer : plainPeers())
    sides.push_back(peer->name);
  return sides;
}

/// What a run moves, and how that compares with the triad.
static void compareWithTriad(benchmark::State &state, const Workload &work,
                             unsigned threads) {
  const double triad = triadBandwidth(work.bytes(), threads);
  state.counters["elements"] = static_cast<double>(work.count());
  state.counters["bytes"] = static_cast<double>(work.bytes());
  state.counters["operations"] = static_cast<double>(work.count()) *
                                 work.compiled().operationsPerElement();
  state.counters["triad"] = triad;
  state.counters["of_triad"] = benchmark::Counter(
      triad > 0 ? static_cast<double>(work.bytes()) / triad : 0,
      benchmark::Counter::kIsIterationInvariantRate);
}

static void runFused(benchmark::State &state, const Engine &engine,
                     Workload &work, const RunOptions &options) {
  timeWorkload(state, engine, pool(), work, options);
  if (!state.error_occurred())
    compareWithTriad(state, work, options.maxThreads);
}

static void runOpByOp(benchmark::State &state, const Engine &engine,
                      Workload &work, const RunOptions &options) {
  if (!succeeded(state, work.prepare(engine, pool(), options)) ||
      !succeeded(state, work.prepareOpByOp(engine, options)))
    return;
  for (auto _ : state)
    if (auto results = work.opByOp().run(work.inputViews(), options);
        !results) {
      succeeded(state, results.error());
      break;
    }
  state.SetItemsProcessed(state.iterations() * work.count());
}

static void registerFused(const Engine &engine, const BenchCase &bench,
                          const Point &point,
                          const std::shared_ptr<Workload> &work,
                          unsigned threads) {
  const RunOptions run{.maxThreads = threads};
  benchmark::RegisterBenchmark(runName(bench, "fused", point, threads).c_str(),
                               [=, &engine](benchmark::State &state) {
                                 runFused(state, engine, *work, run);
                               })
      ->UseRealTime();
}

static void registerPair(const Engine &engine, const BenchCase &bench,
                         const Point &point,
                         const std::shared_ptr<Workload> &work,
                         unsigned threads) {
  registerFused(engine, bench, point, work, threads);
  const RunOptions run{.maxThreads = threads};
  benchmark::RegisterBenchmark(
      runName(bench, "op-by-op", point, threads).c_str(),
      [=, &engine](benchmark::State &state) {
        runOpByOp(state, engine, *work, run);
      })
      ->UseRealTime();
}

/// Stores past the caches are for what does not fit the near ones.
static bool isFor(const PlainLoops &peer, std::int64_t elements) {
  const auto &caches = dataCaches();
  const Cache &near = caches[std::min<std::size_t>(1, caches.size() - 1)];
  return &peer != streamingLoops() || elements * 8 > near.bytes;
}

static void registerPeers(const Engine &engine, const BenchCase &bench,
                          const Point &point,
                          const std::shared_ptr<Workload> &work) {
  const int index = plainIndexOf(bench.expression);
  if (index < 0 || !bench.shapes.empty())
    return;
  for (const PlainLoops *peer : plainPeers())
    if (isFor(*peer, point.shapes[0].elementCount()))
      benchmark::RegisterBenchmark(
          runName(bench, peer->name, point, 1).c_str(),
          [=, &engine, loop = peer->loops[index]](benchmark::State &state) {
            timePlain(state, engine, pool(), *work, loop);
          })
          ->UseRealTime();
}

static void registerPoint(const Engine &engine, const BenchOptions &options,
                          const BenchCase &bench, const Point &point) {
  auto work = std::make_shared<Workload>(bench.expression, point.shapes);
  for (unsigned threads : options.threads)
    registerPair(engine, bench, point, work, threads);
  constexpr std::int64_t worthSplitting = 500000;
  if (point.shapes[0].elementCount() >= worthSplitting)
    for (unsigned threads : options.moreThreads)
      registerFused(engine, bench, point, work, threads);
  registerPeers(engine, bench, point, work);
}

/// Everything between asking for a kernel and calling it.
static void registerLatency(const BenchCase &bench) {
  const auto add = [&bench](const char *what, auto measure) {
    return benchmark::RegisterBenchmark(
        latencyName(bench, what).c_str(),
        [measure, text = bench.expression](auto &state) {
          measure(state, text);
        });
  };
  // An iteration takes a hundred times as long as what is timed.
  add("first",
      [](auto &state, auto &text) { timeFirst(state, text, Mode::Tiered); })
      ->UseManualTime()
      ->Iterations(30);
  add("baseline", [](auto &state, auto &text) {
    timeCompile(state, text, Mode::Baseline);
  })->UseManualTime();
  add("disk", [](auto &state, auto &text) {
    timeDisk(state, text);
  })->UseManualTime();
  add("memory", [](auto &state, auto &text) { timeLookup(state, text); });
}

void tools::registerCases(const Engine &engine, const BenchOptions &options) {
  for (const BenchCase &bench : options.cases) {
    benchmark::RegisterBenchmark(
        compileName(bench).c_str(),
        [text = bench.expression, mode = options.mode](
            benchmark::State &state) { timeCompile(state, text, mode); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    registerLatency(bench);
    auto tiny = std::make_shared<Workload>(bench.expression,
                                           std::vector<Shape>{{callSize}});
    benchmark::RegisterBenchmark(callName(bench).c_str(),
                                 [tiny, &engine](benchmark::State &state) {
                                   timeWorkload(state, engine, pool(), *tiny,
                                                {.maxThreads = 1});
                                 })
        ->UseRealTime();
    for (const Point &point : pointsOf(bench, options))
      registerPoint(engine, options, bench, point);
  }
}
