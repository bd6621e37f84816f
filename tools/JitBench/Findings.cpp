//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Findings.h"

#include "Bench/Limits.h"
#include "Bench/Peers.h"
#include "Bench/Suite.h"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <set>
#include <sstream>

using namespace kexpr;
using namespace kexpr::tools;

const RunRow *Findings::find(const std::string &name, const std::string &size,
                             const std::string &side, unsigned threads) const {
  for (const RunRow &row : runs)
    if (row.name == name && row.size == size && row.side == side &&
        row.threads == threads)
      return &row;
  return nullptr;
}

std::string tools::titleOf(const std::string &side) {
  static const std::pair<const char *, const char *> titles[] = {
      {"fused", "kexpr"}, {"op-by-op", "one operator at a time"},
      {"cpp", "C++"},     {"cpp-nt", "C++, non-temporal stores"},
      {"eigen", "Eigen"}, {"pytorch", "PyTorch"},
      {"numpy", "NumPy"}};
  for (const auto &[id, title] : titles)
    if (side == id)
      return title;
  return side;
}

std::vector<std::string> Findings::sides() const {
  std::vector<std::string> order = sideNames();
  for (const RunRow &row : runs)
    if (std::ranges::find(order, row.side) == order.end())
      order.push_back(row.side);
  std::erase_if(order, [this](const std::string &side) {
    return std::ranges::find(runs, side, &RunRow::side) == runs.end();
  });
  return order;
}

static std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::ostringstream text;
  text << std::put_time(std::localtime(&now), "%Y-%m-%d %H:%M");
  return text.str();
}

static LatencyRow latencyOf(const RunLog &log, const BenchCase &bench) {
  LatencyRow row{.name = bench.name};
  for (const auto &[key, suffix] : latencyNames)
    if (const auto *result = log.find(bench.name + suffix))
      row.seconds[key] = result->seconds;
  if (const auto *compile = log.find(bench.name + latencyNames[0].suffix))
    for (const char *stage : {"parse", "plan", "emit", "codegen", "link"})
      row.stages.emplace_back(stage, compile->counters.at(stage));
  return row;
}

/// Adds the rows of one case at one size.
static void addRuns(Findings &findings, const RunLog &log,
                    const BenchCase &bench, const Point &point,
                    unsigned threads) {
  const auto *fused = log.find(runName(bench, "fused", point, threads));
  if (!fused)
    return;
  const auto counter = [fused](const char *name) {
    return fused->counters.at(name);
  };
  RunRow row{.name = bench.name,
             .size = point.label,
             .threads = threads,
             .elements = counter("elements"),
             .bytes = counter("bytes"),
             .operations = counter("operations"),
             .triad = counter("triad")};
  row.level = levelName(levelOf(static_cast<std::int64_t>(row.bytes), threads));
  const auto limits =
      std::ranges::find(findings.limits, threads, &Limits::threads);
  if (limits != findings.limits.end())
    row.limit = limitOf(*limits, row.bytes, row.operations, row.triad);
  for (const std::string &side : sideNames())
    if (const auto *run = log.find(runName(bench, side, point, threads))) {
      row.side = side;
      row.seconds = run->seconds;
      findings.runs.push_back(row);
    }
}

static std::set<unsigned> allThreads(const BenchOptions &options) {
  std::set<unsigned> all(options.threads.begin(), options.threads.end());
  all.insert(options.moreThreads.begin(), options.moreThreads.end());
  return all;
}

Findings tools::collect(const RunLog &log, const BenchOptions &options,
                        const Engine &engine, std::vector<Limits> limits) {
  Findings findings{.machine = describeMachine(engine),
                    .date = localTime(),
                    .limits = std::move(limits)};
  for (const PlainLoops *peer : plainPeers())
    findings.peers.emplace_back(peer->name, peer->compiledBy);
  for (const BenchCase &bench : options.cases) {
    findings.expressions.emplace_back(bench.name, bench.expression);
    findings.latencies.push_back(latencyOf(log, bench));
    for (const Point &point : pointsOf(bench, options))
      for (unsigned threads : allThreads(options))
        addRuns(findings, log, bench, point, threads);
  }
  return findings;
}

std::vector<Limits> tools::measureAllLimits(const BenchOptions &options,
                                            bool quick) {
  std::vector<Limits> all;
  for (unsigned threads : allThreads(options)) {
    Limits limits = measureLimits(threads, quick);
    if (!all.empty()) {
      const Limits &fewer = all.back();
      limits.fmaPerSecond = std::max(limits.fmaPerSecond, fewer.fmaPerSecond);
      for (std::size_t i = 0; i < limits.levels.size(); ++i)
        for (const auto speed : StreamSpeeds::All)
          limits.levels[i].speeds.*speed = std::max(
              limits.levels[i].speeds.*speed, fewer.levels[i].speeds.*speed);
    }
    all.push_back(std::move(limits));
  }
  return all;
}
