//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Page.h"

#include "Dump/PageCode.h"
#include "Dump/PageCost.h"
#include "Dump/PageStyle.h"
#include "Dump/PageTree.h"
#include "Dump/PageWords.h"
#include "Page/Html.h"
#include "Page/Style.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::inspect;
using namespace kexpr::tools;

/// The expression, cut where it is very long.
static std::string titleOf(const PageData &data) {
  constexpr std::size_t most = 600;
  const std::string &text = data.expression.canonical();
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

static std::string headerHtml(const PageData &data) {
  constexpr std::size_t most = 12;
  std::string operands;
  for (std::size_t i = 0; i < data.plan.inputs.size(); ++i)
    if (i < most)
      operands += concat("@", data.plan.graph.inputs[i], ' ',
                         nameOf(data.plan.inputs[i].type), ' ',
                         semantics::nameOf(data.plan.inputs[i].walk), ", ");
  if (data.plan.inputs.size() > most)
    operands += concat("and ", data.plan.inputs.size() - most, " more, ");
  for (std::size_t i = 0; i < std::min(most, data.plan.outputs.size()); ++i)
    operands +=
        concat(i == 0 ? "to " : ", ", nameOf(data.plan.outputs[i].type));
  return concat(
      "<header>\n<p class=\"kicker\">Why this kernel takes the time it takes"
      "</p>\n<h1><code>",
      escape(titleOf(data)), "</code></h1>\n<p class=\"soft\">",
      escape(operands), "; ",
      data.level == codegen::OptLevel::Baseline ? "baseline" : "optimized",
      " code for ", escape(data.target.cpu),
      data.plan.precision == Precision::Accurate ? ", accurate" : "",
      "</p>\n</header>\n");
}

static std::string column(const std::string &title, const std::string &note,
                          const std::string &content) {
  return concat("<div class=\"column\">\n<h3>", title, " <small>", note,
                "</small></h3>\n", content, "</div>\n");
}

static std::string pane(const std::string &content) {
  return concat("<div class=\"pane\" tabindex=\"-1\">\n", content, "</div>\n");
}

static std::string codeSection(const PageData &data) {
  const bool hasFigures = data.report.prediction && data.listsReport();
  return section(
      "code", "What became of it",
      "Point at an operator or tap it, or go to it by Tab: all that it became "
      "lights up. A click or Enter keeps it so.",
      concat("<p id=\"card\" aria-live=\"polite\">No operator is chosen.</p>\n"
             "<div class=\"code\">\n",
             column("Expression", "results on top",
                    concat("<div class=\"drawing\">", treeSvg(data), "</div>\n",
                           pane(listingHtml(data)))),
             column("LLVM IR", "what kexpr writes", pane(irHtml(data))),
             column("Assembly",
                    hasFigures ? concat("what runs; on the right the ",
                                        term("latency", "latency"))
                               : "what runs",
                    pane(assemblyHtml(data))),
             "</div>\n"));
}

/// What the shares of operators are shares of.
static const char *shareWords(Limit::Kind kind) {
  switch (kind) {
  case Limit::Kind::Unknown:
    return "There is no prediction, so shares are those of instructions.";
  case Limit::Kind::Units:
    return "Shares are those of the cycles that the busiest units work on it.";
  case Limit::Kind::Issue:
  case Limit::Kind::Carried:
    return "Shares are those of the micro-operations.";
  case Limit::Kind::Window:
  case Limit::Kind::Order:
    return "Shares are those of the longest chain: what is beside it costs "
           "nothing.";
  }
  return "";
}

static std::string costSection(const PageData &data) {
  return section(
      "cost", "What each operator costs",
      concat(shareWords(data.limit.kind),
             " All is of one step but the arithmetic, which is of one "
             "element; constants are loads of numbers that the formulas "
             "need, counted for the operator that needs one first."),
      costTable(data));
}

static std::string unitSection(const PageData &data) {
  const std::string registers =
      concat("<h3>", term("register", "Registers"),
             " <small>that hold something, from the first instruction of the "
             "loop to the last</small></h3>\n",
             registerChart(data));
  if (!data.report.prediction)
    return section(
        "units", "How busy the core is",
        concat("LLVM has no scheduling model of ", data.target.cpu, "."),
        registers);
  return section(
      "units", "How busy the core is", "",
      concat("<h3>", term("unit", "Units"),
             " <small>cycles of a step that each is busy, by operator"
             "</small></h3>\n",
             unitBars(data), registers));
}

std::string tools::renderPage(const PageData &data) {
  return document(
      titleOf(data), concat(pageStyle, kernelStyle),
      concat(headerHtml(data), "<section id=\"answer\" class=\"answer\">\n",
             factsHtml(data), answerHtml(data), "</section>\n",
             costSection(data), codeSection(data), unitSection(data),
             section("times", "From cache to memory", "", timesHtml(data)),
             section("doubts", "How far to trust this", "", doubtsHtml(data)),
             section("words", "Words", "", wordsHtml()), "<script>",
             kernelScript, "</script>\n"));
}
