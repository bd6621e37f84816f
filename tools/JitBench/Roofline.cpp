//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Charts.h"
#include "Page/Html.h"
#include "Page/Plot.h"

#include "Bench/Caches.h"
#include "Support/Text.h"

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::tools;

/// Names of more expressions would lie on top of each other.
static constexpr std::size_t mostNames = 12;

static std::vector<const RunRow *> fusedRows(const Findings &findings,
                                             unsigned threads) {
  std::vector<const RunRow *> rows;
  for (const RunRow &row : findings.runs)
    if (row.side == "fused" && row.threads == threads && row.operations > 0)
      rows.push_back(&row);
  return rows;
}

static std::size_t levelIndex(const Limits &limits, const std::string &name) {
  std::size_t index = 0;
  while (index + 1 < limits.levels.size() && limits.levels[index].name != name)
    ++index;
  return index;
}

/// The slanted roofs of the levels, and the flat one that they meet.
static void drawRoofs(Plot &plot, const Limits &limits) {
  const double left = plot.xAxis().low, right = plot.xAxis().high;
  const double peak = limits.fmaPerSecond * 1e-9;
  for (std::size_t i = 0; i < limits.levels.size(); ++i) {
    const double speed = limits.levels[i].speeds.best() * 1e-9;
    if (speed <= 0)
      continue;
    const double begin = std::max(left, plot.yAxis().low / speed);
    const double end = std::min(right, peak / speed);
    plot.line(begin, begin * speed, end, end * speed,
              concat("roof ", seriesClass(i)));
  }
  plot.line(left, peak, right, peak, "roof peak");
  plot.label(left, peak, concat(" ", shortNumber(peak), " G multiply-adds/s"),
             "start", 5);
}

/// Names of expressions above the axis, in rows where they come close.
static void nameExpressions(Plot &plot,
                            const std::vector<const RunRow *> &rows) {
  std::map<double, std::string> names;
  for (const RunRow *row : rows) {
    std::string &text = names[row->operations / row->bytes];
    if (text.find(row->name) == text.npos)
      text += (text.empty() ? "" : ", ") + row->name;
  }
  if (names.size() > mostNames)
    return;
  int step = 0;
  for (const auto &[intensity, name] : names)
    plot.label(intensity, plot.yAxis().low, name, "middle",
               5 + 12 * (step++ % 2));
}

static std::string rooflineOf(const Findings &findings, const Limits &limits) {
  const auto rows = fusedRows(findings, limits.threads);
  if (rows.empty())
    return "";
  std::vector<double> across = {}, up = {limits.fmaPerSecond * 1e-9};
  for (const RunRow *row : rows) {
    across.push_back(row->operations / row->bytes);
    up.push_back(row->operations / row->seconds * 1e-9 / 2);
  }
  Plot plot(concat("roofline for ", limits.threads, " threads"),
            Axis::logarithmic("operations / byte", across),
            Axis::logarithmic("G operations / s", up));
  drawRoofs(plot, limits);
  nameExpressions(plot, rows);
  for (const RunRow *row : rows) {
    const double speed = row->operations / row->seconds * 1e-9;
    plot.mark(row->operations / row->bytes, speed,
              levelIndex(limits, row->level),
              concat(row->name, " at ", row->size, ": ", shortNumber(speed),
                     " G operations/s, ", shortNumber(100 * row->ofLimit()),
                     " % of its limit"));
  }
  return figure(
      plot.str(),
      concat(limits.threads, limits.threads == 1 ? " thread" : " threads"));
}

std::string tools::rooflineCharts(const Findings &findings) {
  std::string content;
  for (const Limits &limits : findings.limits)
    content += rooflineOf(findings, limits);
  if (content.empty())
    return sentence("No throughput was measured.");
  std::vector<std::pair<std::size_t, std::string>> items;
  for (std::size_t i = 0; i < findings.limits[0].levels.size(); ++i)
    items.emplace_back(i, "data in " + findings.limits[0].levels[i].name);
  return legend(items, Swatch::Roof) + figures(content);
}
