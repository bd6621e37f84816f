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

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// A line: elements, and billions of elements a second.
struct Line {
  std::vector<std::pair<double, double>> values;
  std::vector<std::string> tips;
};
} // namespace

static double speedOf(const RunRow &row) { return 1e-9 / row.perElement(); }

static Line lineOf(const Findings &findings, const std::string &name,
                   const std::string &side, unsigned threads) {
  std::vector<const RunRow *> rows;
  for (const RunRow &row : findings.runs)
    if (row.name == name && row.side == side && row.threads == threads)
      rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const auto *a, const auto *b) {
    return a->elements < b->elements;
  });
  Line line;
  for (const RunRow *row : rows) {
    line.values.emplace_back(row->elements, speedOf(*row));
    line.tips.push_back(
        concat(titleOf(side), ", ", row->size, ", ", row->threads,
               " threads: ", shortNumber(speedOf(*row)), " G elements/s"));
  }
  return line;
}

/// Series of the page: the sides, then ours on all threads.
static std::vector<std::pair<std::size_t, std::string>>
seriesOf(const Findings &findings, unsigned fewest, unsigned most) {
  std::vector<std::pair<std::size_t, std::string>> items;
  const auto sides = findings.sides();
  for (std::size_t i = 0; i < sides.size(); ++i)
    items.emplace_back(i, titleOf(sides[i]));
  if (most > fewest)
    items.emplace_back(sides.size(), concat("kexpr, ", most, " threads"));
  return items;
}

/// Where operands and outputs together outgrow each cache.
static void drawCaches(Plot &plot, double bytesPerElement) {
  for (const Cache &cache : dataCaches()) {
    const double elements = static_cast<double>(cache.bytes) / bytesPerElement;
    if (elements > plot.xAxis().low && elements < plot.xAxis().high)
      plot.upright(elements, cache.name);
  }
}

static void drawLimit(Plot &plot, const Findings &findings,
                      const std::string &name, unsigned threads) {
  std::vector<std::pair<double, double>> limits;
  for (const RunRow &row : findings.runs)
    if (row.name == name && row.side == "fused" && row.threads == threads &&
        row.limit.seconds() > 0)
      limits.emplace_back(row.elements,
                          row.elements / row.limit.seconds() * 1e-9);
  std::sort(limits.begin(), limits.end());
  for (std::size_t i = 1; i < limits.size(); ++i)
    plot.line(limits[i - 1].first, limits[i - 1].second, limits[i].first,
              limits[i].second, "limit");
}

static std::string throughputOf(const Findings &findings,
                                const std::string &name, unsigned fewest,
                                unsigned most) {
  const auto sides = findings.sides();
  std::vector<Line> lines;
  lines.reserve(sides.size() + 1);
  for (const std::string &side : sides)
    lines.push_back(lineOf(findings, name, side, fewest));
  if (most > fewest)
    lines.push_back(lineOf(findings, name, "fused", most));
  std::vector<double> across, up;
  for (const Line &line : lines)
    for (const auto &[elements, speed] : line.values) {
      across.push_back(elements);
      up.push_back(speed);
    }
  if (across.empty())
    return "";
  Plot plot(concat("throughput of ", name),
            Axis::logarithmic("elements", across),
            Axis::logarithmic("G elements / s", up));
  for (const RunRow &row : findings.runs)
    if (row.name == name) {
      drawCaches(plot, row.bytes / row.elements);
      break;
    }
  drawLimit(plot, findings, name, fewest);
  // Ours last, on top.
  for (std::size_t i = lines.size(); i-- > 0;)
    plot.series(lines[i].values, i, lines[i].tips);
  return figure(plot.str(), name);
}

static std::pair<unsigned, unsigned> threadRange(const Findings &findings) {
  unsigned fewest = ~0u, most = 0;
  for (const RunRow &row : findings.runs) {
    fewest = std::min(fewest, row.threads);
    most = std::max(most, row.threads);
  }
  return {fewest, most};
}

std::string tools::throughputCharts(const Findings &findings) {
  const auto [fewest, most] = threadRange(findings);
  std::string content;
  for (const auto &expression : findings.expressions)
    content += throughputOf(findings, expression.first, fewest, most);
  if (content.empty())
    return sentence("No throughput was measured.");
  return legend(seriesOf(findings, fewest, most), Swatch::Line) +
         figures(content);
}

/// The sizes with the most elements that more than one number of threads has.
static std::vector<std::string> largestSizes(const Findings &findings) {
  std::vector<std::pair<double, std::string>> sizes;
  for (const RunRow &row : findings.runs)
    if (row.side == "fused" && row.threads > 1)
      sizes.emplace_back(row.elements, row.size);
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<std::string> names;
  for (const auto &size : sizes)
    if (names.size() < 2)
      names.push_back(size.second);
  return names;
}

/// Speed over that of one thread; empty without a run on one.
static Line scalingOf(const Findings &findings, const std::string &name,
                      const std::string &size) {
  Line line;
  const RunRow *one = findings.find(name, size, "fused", 1);
  for (const RunRow &row : findings.runs)
    if (one && row.name == name && row.size == size && row.side == "fused") {
      const double gain = one->seconds / row.seconds;
      line.values.emplace_back(row.threads, gain);
      line.tips.push_back(concat(name, " on ", row.threads, " threads: ",
                                 shortNumber(gain), " times one"));
    }
  std::sort(line.values.begin(), line.values.end());
  return line;
}

static std::string scalingAt(const Findings &findings,
                             const std::string &size) {
  std::vector<Line> lines;
  std::vector<double> across, up;
  for (const auto &expression : findings.expressions) {
    lines.push_back(scalingOf(findings, expression.first, size));
    for (const auto &[threads, gain] : lines.back().values) {
      across.push_back(threads);
      up.push_back(gain);
    }
  }
  if (across.empty())
    return "";
  Plot plot(concat("scaling at ", size), Axis::whole("threads", across),
            Axis::linear("times one thread", up));
  const double begin = plot.xAxis().low;
  const double end = std::min(plot.xAxis().high, plot.yAxis().high);
  if (end > begin)
    plot.line(begin, begin, end, end, "limit");
  for (std::size_t i = lines.size(); i-- > 0;)
    plot.series(lines[i].values, i, lines[i].tips);
  return figure(plot.str(), size + " elements");
}

std::string tools::scalingCharts(const Findings &findings) {
  std::string content;
  for (const std::string &size : largestSizes(findings))
    content += scalingAt(findings, size);
  if (content.empty())
    return sentence("Only one number of threads was measured.");
  std::vector<std::pair<std::size_t, std::string>> items;
  for (const auto &expression : findings.expressions)
    items.emplace_back(items.size(), expression.first);
  return legend(items, Swatch::Line) + figures(content);
}
