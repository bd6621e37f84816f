//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Cases.h"

#include "Bench/Latency.h"
#include "Bench/Limits.h"
#include "Bench/Peers.h"
#include "Bench/Suite.h"
#include "Bench/Workload.h"
#include "Support/Text.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

using namespace kexpr;
using namespace kexpr::tools;

static Pool &pool() {
  static Pool shared;
  return shared;
}

std::vector<Point> tools::pointsOf(const BenchCase &bench,
                                   const BenchOptions &options) {
  std::vector<Point> points;
  if (bench.shapes.empty()) {
    for (std::int64_t size : options.sizes)
      points.push_back({{Shape{size}}, std::to_string(size)});
    return points;
  }
  std::string label;
  for (std::int64_t extent :
       std::ranges::max(bench.shapes, {}, &Shape::elementCount))
    label += concat(label.empty() ? "" : "x", extent);
  return {{bench.shapes, label.empty() ? "scalar" : label}};
}

std::string tools::runName(const BenchCase &bench, const std::string &side,
                           const Point &point, unsigned threads) {
  return concat(bench.name, "/", side, "/", point.label, "/threads:", threads);
}

std::vector<std::string> tools::sideNames() {
  std::vector<std::string> sides = {"fused", "op-by-op"};
  for (const PlainLoops *peer : plainPeers())
    sides.emplace_back(peer->name);
  return sides;
}

/// What a run moves, and how that compares with the triad.
static void compareWithTriad(benchmark::State &state, const Workload &work,
                             unsigned threads) {
  const double triad = triadBandwidth(work.bytes(), threads);
  state.counters["elements"] = static_cast<double>(work.elements());
  state.counters["bytes"] = static_cast<double>(work.bytes());
  state.counters["operations"] = static_cast<double>(work.elements()) *
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
  state.SetItemsProcessed(state.iterations() * work.elements());
}

/// Stores past the caches are for what does not fit the near ones.
static bool isFor(const PlainLoops &peer, std::int64_t elements) {
  const auto &caches = dataCaches();
  const Cache &near = caches[std::min<std::size_t>(1, caches.size() - 1)];
  return &peer != streamingLoops() || elements * 8 > near.bytes;
}

static void registerPoint(const Engine &engine, const BenchOptions &options,
                          const BenchCase &bench, const Point &point) {
  auto work = std::make_shared<Workload>(bench.expression, point.shapes,
                                         options.precision);
  const auto add = [&](const char *side, unsigned threads, auto run) {
    benchmark::RegisterBenchmark(runName(bench, side, point, threads).c_str(),
                                 [=, &engine](benchmark::State &state) {
                                   run(state, engine, *work,
                                       RunOptions{.maxThreads = threads});
                                 })
        ->UseRealTime();
  };
  for (unsigned threads : options.threads) {
    add("fused", threads, runFused);
    add("op-by-op", threads, runOpByOp);
  }
  const std::int64_t elements = point.shapes[0].elementCount();
  constexpr std::int64_t worthSplitting = 500000;
  if (elements >= worthSplitting)
    for (unsigned threads : options.moreThreads)
      add("fused", threads, runFused);
  const int index = plainIndexOf(bench.expression);
  if (index < 0 || !bench.shapes.empty())
    return;
  for (const PlainLoops *peer : plainPeers())
    if (isFor(*peer, elements))
      add(peer->name, 1,
          [loop = peer->loops[index]](auto &state, const Engine &engine,
                                      Workload &work, const RunOptions &) {
            timePlain(state, engine, pool(), work, loop);
          });
}

/// Everything between asking for a kernel and calling it.
static void registerLatencies(const Engine &engine, const BenchCase &bench,
                              const BenchOptions &options) {
  auto add = [&, latency = latencyNames](const auto &measure) mutable {
    return benchmark::RegisterBenchmark(
        (bench.name + latency++->suffix).c_str(),
        [measure, text = bench.expression](auto &state) {
          measure(state, text);
        });
  };
  const auto in = [precision = options.precision](Mode mode) {
    return CompileOptions{.mode = mode, .precision = precision};
  };
  add([own = in(options.mode)](auto &state, auto &text) {
    timeCompile(state, text, own);
  })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  // An iteration takes a hundred times as long as what is timed.
  add([tiered = in(Mode::Tiered)](auto &state, auto &text) {
    timeFirst(state, text, tiered);
  })
      ->UseManualTime()
      ->Iterations(30);
  add([baseline = in(Mode::Baseline)](auto &state, auto &text) {
    timeCompile(state, text, baseline);
  })->UseManualTime();
  add([optimized = in(Mode::Optimized)](auto &state, auto &text) {
    timeDisk(state, text, optimized);
  })->UseManualTime();
  add([optimized = in(Mode::Optimized)](auto &state, auto &text) {
    timeLookup(state, text, optimized);
  });
  // So few elements that a call costs what a call costs.
  auto tiny = std::make_shared<Workload>(
      bench.expression, std::vector<Shape>{{16}}, options.precision);
  add([tiny, &engine](auto &state, auto &) {
    timeWorkload(state, engine, pool(), *tiny, {.maxThreads = 1});
  })->UseRealTime();
}

void tools::registerCases(const Engine &engine, const BenchOptions &options) {
  for (const BenchCase &bench : options.cases) {
    registerLatencies(engine, bench, options);
    for (const Point &point : pointsOf(bench, options))
      registerPoint(engine, options, bench, point);
  }
}
