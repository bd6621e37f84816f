//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageCost.h"

#include "Bench/Table.h"
#include "Dump/PageWords.h"
#include "Page/Html.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

std::string tools::cyclesText(double cycles) {
  return number(cycles, cycles < 9.95 ? 2 : 1);
}

std::string tools::percentText(double share) {
  return concat(number(100 * share, share < 0.095 ? 1 : 0), " %");
}

/// A filled part of a bar.
static std::string fill(double share, const std::string &cls,
                        const std::string &attributes = {}) {
  return concat("<i class=\"", cls, "\" style=\"width:",
                number(100 * std::clamp(share, 0.0, 1.0), 2), "%\"", attributes,
                "></i>");
}

static std::string cell(const std::string &text) {
  return concat("<td>", escape(text), "</td>");
}

/// A number, or a dash for none.
static std::string count(unsigned value) {
  return cell(value ? std::to_string(value) : "-");
}

/// What the page says of a part that was chosen.
static std::string sayOf(const PageData &data, const Part &part) {
  auto counted = [](unsigned n, const char *what) {
    return concat(n, ' ', what, n == 1 ? "" : "s");
  };
  std::string say = concat(part.text, part.kind == Part::Kind::Store
                                          ? concat(" (", part.name, ")")
                                          : std::string());
  if (part.instructions == 0)
    return say + (part.assemblyLines
                      ? ": no instruction of the loop, but some outside of it"
                      : ": no instruction of its own; others do it as well");
  say += concat(": ", counted(part.instructions, "instruction"));
  if (data.report.prediction)
    say += concat(", ", counted(part.microOps, "micro-operation"), ", ",
                  cyclesText(part.cost), " cycles, ", percentText(part.share));
  if (part.nodes > 1)
    say += concat("; computed once for ", part.nodes, " places");
  return say;
}

/// The figures of a row, beginning with the share.
static std::string figuresOf(const PageData &data, const Part &part) {
  const bool isPredicted = data.report.prediction.has_value();
  std::string html = cell(part.cost > 0 ? percentText(part.share) : "-");
  if (isPredicted)
    html += cell(part.cost > 0 ? cyclesText(part.cost) : "-");
  html += count(part.instructions);
  if (isPredicted)
    html += count(part.microOps) + count(part.chain);
  html += count(part.constants) + count(part.loads) + count(part.stores);
  if (data.report.spills)
    html += count(part.spills);
  return html + count(part.operations);
}

static std::string costRow(const PageData &data, const Part &part,
                           double most) {
  return concat("<tr class=\"s", part.colour, "\" data-k=\"", part.id,
                "\" tabindex=\"0\" data-say=\"", escape(sayOf(data, part)),
                "\"><th scope=\"row\"><code>", escape(part.name), "</code>",
                part.kind == Part::Kind::Operator
                    ? concat("<small>", escape(part.text), "</small>")
                    : std::string(),
                "</th><td class=\"share\"><span class=\"bar\">",
                fill(most > 0 ? part.cost / most : 0, "fill"), "</span></td>",
                figuresOf(data, part), "</tr>\n");
}

static std::string costHeader(const PageData &data) {
  const bool isPredicted = data.report.prediction.has_value();
  return concat(
      "<tr><th>operator</th><th colspan=\"2\">share</th>",
      isPredicted ? "<th>cycles</th>" : "", "<th>instructions</th>",
      isPredicted ? concat("<th>", term("micro-operation", "micro-ops"),
                           "</th><th>", term("chain", "chain"), "</th>")
                  : std::string(),
      "<th>constants</th><th>loads</th><th>stores</th>",
      data.report.spills ? concat("<th>", term("register", "stack"), "</th>")
                         : std::string(),
      "<th>arithmetic</th></tr>\n");
}

std::string tools::costTable(const PageData &data) {
  constexpr std::size_t most = 40;
  std::string html =
      concat("<div class=\"wide\"><table class=\"costs\">\n", costHeader(data));
  const double highest = data.parts[data.byCost[0]].cost;
  std::size_t rows = 0;
  for (std::uint32_t id : data.byCost) {
    const Part &part = data.parts[id];
    if (part.kind == Part::Kind::Leaf && part.assemblyLines == 0)
      continue;
    if (rows++ < most)
      html += costRow(data, part, highest);
  }
  Part sum = data.sum();
  sum.share = 1;
  html += concat("<tr class=\"all\"><th scope=\"row\">all</th><td></td>",
                 figuresOf(data, sum), "</tr>\n</table></div>\n");
  return rows > most ? html + sentence(concat("There are ", rows - most,
                                              " more, each with less."))
                     : html;
}

std::string tools::unitNames(const PageData &data) {
  std::string names;
  const auto &units = data.limit.units;
  for (std::size_t i = 0; i < units.size(); ++i)
    names += concat(i == 0                 ? ""
                    : i + 1 < units.size() ? ", "
                                           : " and ",
                    data.report.prediction->units[units[i]].unit);
  return names;
}

namespace {
/// A line of a chart of bars; what its name means is the word `term`, if any.
struct Bar {
  std::string term, name, note;
  double value;
};
} // namespace

/// Where a line crosses a bar.
static std::string mark(double share, const char *cls) {
  return concat("<b class=\"", cls, "\" style=\"left:",
                number(100 * std::clamp(share, 0.0, 1.0), 2), "%\"></b>");
}

static std::vector<Bar> boundsAsBars(const PageData &data) {
  const codegen::LoopPrediction &prediction = *data.report.prediction;
  const char *const window = prediction.window ? "window" : "order";
  std::vector<Bar> bars = {
      {"issue", "issue",
       concat(prediction.microOps, " micro-operations, ", prediction.issueWidth,
              " a cycle"),
       double(prediction.microOps) / prediction.issueWidth},
      {window, window,
       concat("a chain of ", number(prediction.chain, 0), ", ",
              prediction.window ? concat(prediction.window, " under way")
                                : std::string("begun in order")),
       prediction.windowed},
      {"carried", "carried", "from step to step", prediction.carried}};
  if (!prediction.units.empty())
    bars.push_back(
        {"unit", data.limit.units.size() > 1 ? "busiest units" : "busiest unit",
         unitNames(data), prediction.units[0].cycles});
  std::stable_sort(bars.begin(), bars.end(), [](const Bar &a, const Bar &b) {
    return a.value > b.value;
  });
  for (const LoopTime &time : data.measured.times)
    if (time.moving > 0)
      bars.push_back({"", concat("moving bytes, ", time.level), "measured",
                      time.moving * time.clock * data.elements()});
  return bars;
}

std::string tools::boundBars(const PageData &data) {
  if (!data.report.prediction)
    return "";
  const double predicted = data.report.prediction->cycles;
  const double measured = data.measuredCycles();
  const std::vector<Bar> bars = boundsAsBars(data);
  double most = std::max(predicted, measured);
  for (const Bar &bar : bars)
    most = std::max(most, bar.value);
  std::string html =
      "<div>\n<h3>What a step takes at least <small>cycles, each limit by "
      "itself, in LLVM's model</small></h3>\n<div class=\"bars\">\n";
  for (const Bar &bar : bars)
    html += concat(
        "<div class=\"row\"><span>",
        bar.term.empty() ? escape(bar.name) : term(bar.term, bar.name),
        "<small>", escape(bar.note), "</small></span><span class=\"bar\">",
        fill(bar.value / most,
             bar.term.empty() ? "fill moving" : "fill computing"),
        mark(predicted / most, "predicted"),
        measured > 0 ? mark(measured / most, "measured") : "",
        "</span><span class=\"value\">", cyclesText(bar.value),
        "</span></div>\n");
  return concat(
      html, "</div>\n<p class=\"key\"><b class=\"predicted\"></b>predicted, ",
      cyclesText(predicted), " cycles",
      measured > 0 ? concat("<b class=\"measured\"></b>measured, ",
                            cyclesText(measured), " cycles")
                   : "",
      "</p>\n</div>\n");
}

std::string tools::unitBars(const PageData &data) {
  if (!data.report.prediction)
    return "";
  constexpr std::size_t most = 12;
  const auto &units = data.report.prediction->units;
  const std::size_t shown = std::min(most, units.size());
  std::vector<std::map<std::uint32_t, double>> busy(shown);
  for (const codegen::LoopInstruction &instruction : data.report.code)
    for (const codegen::UnitUse &use : instruction.units)
      if (use.unit < shown)
        busy[use.unit][data.partAt(instruction.place)] += use.cycles;
  const double longest = std::max(data.report.prediction->cycles,
                                  units.empty() ? 0 : units[0].cycles);
  std::string html = "<div class=\"bars\">\n";
  for (std::size_t unit = 0; unit < shown; ++unit) {
    html += concat("<div class=\"row\"><span>", escape(units[unit].unit),
                   "</span><span class=\"bar\">");
    for (std::uint32_t id : data.byCost)
      if (const auto found = busy[unit].find(id); found != busy[unit].end())
        html += fill(found->second / longest,
                     concat("fill s", data.parts[id].colour),
                     concat(" data-k=\"", data.parts[id].id, "\" title=\"",
                            escape(concat(data.parts[id].name, ", ",
                                          cyclesText(found->second))),
                            "\""));
    html += concat("</span><span class=\"value\">",
                   cyclesText(units[unit].cycles), "</span></div>\n");
  }
  return html + "</div>\n";
}
