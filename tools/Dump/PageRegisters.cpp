//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageCost.h"
#include "Page/Html.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

// In units of the drawing, which is stretched.
static constexpr double height = 100, strip = 10;
/// Instructions beyond these are drawn several together.
static constexpr std::size_t mostColumns = 1000;

namespace {
/// Some instructions in a row: the most registers that are live, and the part
/// that the first comes from.
struct Column {
  unsigned live = 0;
  std::uint32_t part = 0;
};
} // namespace

static std::vector<Column> columnsOf(const PageData &data) {
  const auto &code = data.report.code;
  const std::size_t each = (code.size() + mostColumns - 1) / mostColumns;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (i % each == 0)
      columns.push_back({0, data.partAt(code[i].place)});
    columns.back().live = std::max(columns.back().live, code[i].live);
  }
  return columns;
}

/// A step up or down at each column, from the ground and back.
static std::vector<Spot> outlineOf(const std::vector<Column> &columns,
                                   double most) {
  std::vector<Spot> outline = {{0, height}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double y = height * (1 - columns[i].live / most);
    outline.push_back({double(i), y});
    outline.push_back({double(i + 1), y});
  }
  outline.push_back({double(columns.size()), height});
  return outline;
}

/// Below the columns, which part they are of.
static void drawStrip(Svg &svg, const PageData &data,
                      const std::vector<Column> &columns) {
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t end = i + 1;
    while (end < columns.size() && columns[end].part == columns[i].part)
      ++end;
    const Part &part = data.parts[columns[i].part];
    svg.beginGroup(seriesClass(part.colour), part.id, "");
    svg.rect({double(i), height}, double(end - i), strip, "fill", part.text);
    svg.endGroup();
    i = end;
  }
}

std::string tools::registerChart(const PageData &data) {
  const codegen::LoopReport &report = data.report;
  const std::vector<Column> columns = columnsOf(data);
  unsigned highest = 0;
  for (const Column &column : columns)
    highest = std::max(highest, column.live);
  const double most = std::max(highest, report.allVectorRegisters);
  const auto width = static_cast<double>(columns.size());
  Svg svg(width, height + strip, "live vector registers along the loop",
          Fit::Stretched);
  const double full = height * (1 - report.allVectorRegisters / most);
  svg.path(outlineOf(columns, most), "live");
  svg.line({0, full}, {width, full}, "limit");
  drawStrip(svg, data, columns);
  return concat("<figure class=\"registers\">\n<figcaption>", highest, " of ",
                report.allVectorRegisters, " vector registers at most",
                report.spills ? concat(", and ", report.spills,
                                       " instructions that go to the stack")
                              : "",
                "</figcaption>\n", svg.str(), "</figure>\n");
}
