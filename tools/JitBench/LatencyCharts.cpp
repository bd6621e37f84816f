//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Charts.h"
#include "Page/Html.h"
#include "Page/Plot.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

using Items = std::vector<std::pair<std::size_t, std::string>>;

static std::vector<std::string> namesOf(const Findings &findings) {
  std::vector<std::string> names;
  for (const LatencyRow &row : findings.latencies)
    names.push_back(row.name);
  return names;
}

/// The stages, and what they leave of the whole.
static std::vector<std::pair<std::string, double>>
partsOf(const LatencyRow &row) {
  auto parts = row.stages;
  double rest = row.compile.value_or(0);
  for (const auto &part : parts)
    rest -= part.second;
  parts.emplace_back("other", std::max(rest, 0.0));
  return parts;
}

std::string tools::compileChart(const Findings &findings) {
  std::vector<double> totals;
  Items items;
  for (const LatencyRow &row : findings.latencies)
    if (row.compile) {
      totals.push_back(*row.compile * 1e3);
      if (items.empty())
        for (const auto &part : partsOf(row))
          items.emplace_back(items.size(), part.first);
    }
  if (totals.empty())
    return sentence("No compiling was measured.");
  RowPlot plot("compile time by stage", Axis::linear("ms", totals),
               namesOf(findings));
  for (std::size_t i = 0; i < findings.latencies.size(); ++i) {
    const LatencyRow &row = findings.latencies[i];
    double begin = 0;
    if (!row.compile)
      continue;
    const auto parts = partsOf(row);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const double end = begin + parts[part].second * 1e3;
      plot.bar(i, begin, end, part,
               concat(row.name, ", ", parts[part].first, ": ",
                      shortNumber(end - begin), " ms"));
      begin = end;
    }
  }
  return legend(items, Swatch::Box) +
         figures(figure(plot.str(), "Optimised code, or what was asked for"));
}

static std::vector<std::pair<const char *, std::optional<double>>>
waysOf(const LatencyRow &row) {
  return {{"call of 16 elements", row.call}, {"kernel from memory", row.memory},
          {"kernel from disk", row.disk},    {"first result", row.first},
          {"baseline code", row.baseline},   {"compiled", row.compile}};
}

std::string tools::latencyChart(const Findings &findings) {
  std::vector<double> values;
  for (const LatencyRow &row : findings.latencies)
    for (const auto &way : waysOf(row))
      if (way.second)
        values.push_back(*way.second * 1e6);
  if (values.empty())
    return sentence("No latency was measured.");
  RowPlot plot("ways to a kernel", Axis::logarithmic("microseconds", values),
               namesOf(findings));
  Items items;
  for (const auto &way : waysOf(findings.latencies[0]))
    items.emplace_back(items.size(), way.first);
  for (std::size_t i = 0; i < findings.latencies.size(); ++i) {
    const auto ways = waysOf(findings.latencies[i]);
    for (std::size_t way = 0; way < ways.size(); ++way)
      if (const auto seconds = ways[way].second)
        plot.mark(i, *seconds * 1e6, way,
                  concat(findings.latencies[i].name, ", ", ways[way].first,
                         ": ", shortNumber(*seconds * 1e6), " us"));
  }
  return legend(items, Swatch::Mark) +
         figures(figure(plot.str(), "From the text to a kernel, and a call"));
}
