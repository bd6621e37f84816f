//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Findings.h"

#include "Bench/Caches.h"
#include "Bench/Machine.h"
#include "Bench/Peers.h"

#include <algorithm>
#include <ctime>
#include <set>

using namespace kexpr;
using namespace kexpr::tools;

const Limits *Findings::limitsFor(unsigned threads) const {
  for (const Limits &entry : limits)
    if (entry.threads == threads)
      return &entry;
  return nullptr;
}

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
  std::vector<std::string> order = sidesOf();
  for (const RunRow &row : runs)
    if (std::find(order.begin(), order.end(), row.side) == order.end())
      order.push_back(row.side);
  std::erase_if(order, [this](const std::string &side) {
    return std::none_of(runs.begin(), runs.end(), [&side](const RunRow &row) {
      return row.side == side;
    });
  });
  return order;
}

static std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[32];
  const std::size_t length =
      std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return {text, length};
}

static LatencyRow latencyOf(const RunLog &log, const BenchCase &bench) {
  LatencyRow row;
  row.name = bench.name;
  const auto seconds = [&log](const std::string &name) {
    const auto *result = log.find(name);
    return result ? std::optional(result->seconds) : std::nullopt;
  };
  row.compile = seconds(compileName(bench));
  if (const auto *compile = log.find(compileName(bench)))
    for (const char *stage : {"parse", "plan", "emit", "codegen", "link"})
      row.stages.emplace_back(stage, compile->counters.at(stage));
  row.first = seconds(latencyName(bench, "first"));
  row.baseline = seconds(latencyName(bench, "baseline"));
  row.disk = seconds(latencyName(bench, "disk"));
  row.memory = seconds(latencyName(bench, "memory"));
  row.call = seconds(callName(bench));
  return row;
}

namespace {
/// The rows of one case at one size.
class PointRows {
public:
  PointRows(const RunLog &log, const BenchCase &bench, const Point &point,
            Findings &findings)
      : log(log), bench(bench), point(point), findings(findings) {}

  void add(unsigned threads) {
    const auto *fused = log.find(runName(bench, "fused", point, threads));
    if (!fused)
      return;
    RunRow row;
    row.name = bench.name;
    row.size = point.label;
    row.threads = threads;
    row.elements = fused->counters.at("elements");
    row.bytes = fused->counters.at("bytes");
    row.operations = fused->counters.at("operations");
    row.triad = fused->counters.at("triad");
    row.level =
        levelName(levelOf(static_cast<std::int64_t>(row.bytes), threads));
    if (const Limits *limits = findings.limitsFor(threads))
      row.limit = limitOf(*limits, row.bytes, row.operations, row.triad);
    for (const std::string &side : sidesOf())
      if (const auto *run = log.find(runName(bench, side, point, threads))) {
        row.side = side;
        row.seconds = run->seconds;
        findings.runs.push_back(row);
      }
  }

private:
  const RunLog &log;
  const BenchCase &bench;
  const Point &point;
  Findings &findings;
};
} // namespace

static std::vector<unsigned> allThreads(const BenchOptions &options) {
  std::set<unsigned> all(options.threads.begin(), options.threads.end());
  all.insert(options.moreThreads.begin(), options.moreThreads.end());
  return {all.begin(), all.end()};
}

Findings tools::collect(const RunLog &log, const BenchOptions &options,
                        const Engine &engine, std::vector<Limits> limits) {
  Findings findings;
  findings.machine = describeMachine(engine);
  findings.date = localTime();
  findings.limits = std::move(limits);
  for (const PlainLoops *peer : plainPeers())
    findings.peers.emplace_back(peer->name, peer->compiledBy);
  for (const BenchCase &bench : options.cases) {
    findings.expressions.emplace_back(bench.name, bench.expression);
    findings.latencies.push_back(latencyOf(log, bench));
    for (const Point &point : pointsOf(bench, options))
      for (unsigned threads : allThreads(options))
        PointRows(log, bench, point, findings).add(threads);
  }
  return findings;
}

static void raise(StreamSpeeds &speeds, const StreamSpeeds &least) {
  speeds.read = std::max(speeds.read, least.read);
  speeds.copy = std::max(speeds.copy, least.copy);
  speeds.triad = std::max(speeds.triad, least.triad);
  speeds.copyPast = std::max(speeds.copyPast, least.copyPast);
  speeds.triadPast = std::max(speeds.triadPast, least.triadPast);
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
        raise(limits.levels[i].speeds, fewer.levels[i].speeds);
    }
    all.push_back(std::move(limits));
  }
  return all;
}
