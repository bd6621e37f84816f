//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageCost.h"
#include "Dump/PageWords.h"
#include "Inspect/Explain.h"

#include "Bench/Table.h"
#include "Page/Plot.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::inspect;
using namespace kexpr::tools;
using codegen::LoopPrediction;

static std::string strong(const std::string &text) {
  return concat("<strong>", escape(text), "</strong>");
}

static std::string counted(std::size_t count, std::string_view what) {
  return concat(count, ' ', what, count == 1 ? "" : "s");
}

/// Three digits where it is less than ten.
static std::string nanoseconds(double seconds) {
  const double time = seconds * 1e9;
  return number(time, time < 0.0995 ? 4 : time < 0.995 ? 3 : 2);
}

static std::string fact(const std::string &value, const std::string &about) {
  return concat("<li><b>", escape(value), "</b> ", escape(about), "</li>\n");
}

/// "1.95" of 1.95e9.
static std::string billions(double rate) { return number(rate * 1e-9, 2); }

static std::string timeFacts(const PageData &data) {
  const double measured = data.measuredCycles();
  std::string html;
  if (measured > 0) {
    const LoopTime &time = data.measured.times[0];
    html += fact(cyclesText(measured),
                 concat("cycles a step, measured in ", time.level));
    html += fact(
        nanoseconds(time.median) + " ns",
        concat("an element: ", billions(1 / time.median), " billion a second"));
  }
  if (const auto &prediction = data.report.prediction) {
    const double rate = measured > 0 ? data.measured.times[0].clock *
                                           data.elements() / prediction->cycles
                                     : 0;
    html += fact(cyclesText(prediction->cycles),
                 rate > 0 ? concat("cycles a step, predicted: ", billions(rate),
                                   " billion elements a second")
                          : "cycles a step, predicted");
  }
  return html;
}

std::string tools::factsHtml(const PageData &data) {
  const codegen::LoopReport &report = data.report;
  const unsigned operations = data.plan.work().operations;
  const auto bytes = static_cast<double>(data.plan.bytesPerElement());
  return concat(
      "<ul class=\"facts\">\n", timeFacts(data),
      fact(std::to_string(operations),
           concat("arithmetic operations an element, ",
                  number(operations / bytes, 1), " for each byte")),
      fact(number(bytes, 0),
           concat("bytes an element, ",
                  data.plan.bytesPerElement() - data.plan.bytesWritten(),
                  " read and ", data.plan.bytesWritten(), " written")),
      fact(concat(report.vectorRegisters, " of ", report.allVectorRegisters),
           report.spills
               ? concat("vector registers, ",
                        counted(report.spills, "instruction"), " to the stack")
               : "vector registers, nothing on the stack"),
      "</ul>\n");
}

/// "2 loads of operands and 1 store".
static std::string memoryParts(const Part &sum) {
  std::vector<std::string> parts;
  if (sum.loads)
    parts.push_back(counted(sum.loads, "load") + " of operands");
  if (sum.constants)
    parts.push_back(counted(sum.constants, "load") + " of constants");
  if (sum.stores)
    parts.push_back(counted(sum.stores, "store"));
  if (sum.spills)
    parts.push_back(counted(sum.spills, "trip") + " to the stack");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

static std::string stepText(const PageData &data) {
  const codegen::LoopReport &report = data.report;
  return concat("<p>One ", term("step", "step"), " of the loop makes ",
                strong(counted(report.elements(), "element")), ": ",
                counted(report.copies, "vector"), " of ", report.lanes, ", ",
                report.vectorBits, " bits wide. It is ",
                strong(counted(report.instructions, "instruction")), ", ",
                memoryParts(data.sum()), " among them.");
}

/// "; LLVM's model of it predicts 58.0".
static std::string predictedText(const PageData &data) {
  if (!data.report.prediction)
    return "";
  const double predicted = data.report.prediction->cycles;
  const double ratio = predicted / data.measuredCycles();
  std::string text =
      concat("; LLVM's model of it predicts ", cyclesText(predicted));
  if (ratio > 1.15 || ratio < 0.85)
    text += concat(", ", number(ratio, 2),
                   " times that (<a href=\"#doubts\">why it may</a>)");
  return text;
}

static std::string timeText(const PageData &data) {
  const auto &prediction = data.report.prediction;
  const double measured = data.measuredCycles();
  if (measured > 0)
    return concat(" It takes ", strong(concat(cyclesText(measured), " cycles")),
                  ", measured on this ", escape(data.target.cpu),
                  " while the data are in the ",
                  escape(data.measured.times[0].level), " cache",
                  predictedText(data), ".</p>\n");
  if (!prediction)
    return concat(" LLVM has no model of ", escape(data.target.cpu),
                  " to predict what that takes.</p>\n");
  return concat(" LLVM's model of ", escape(data.target.cpu), " predicts ",
                strong(concat(cyclesText(prediction->cycles), " cycles")),
                ".</p>\n");
}

/// How long each of the busiest units is busy, if they are few.
static std::string busyText(const PageData &data) {
  const auto &units = data.report.prediction->units;
  const auto &limiting = data.limit.units;
  if (limiting.size() == 2)
    return concat(cyclesText(units[limiting[0]].cycles), " and ",
                  cyclesText(units[limiting[1]].cycles));
  return concat(limiting.size() > 2 ? "up to " : "",
                cyclesText(data.limit.cycles));
}

/// What the limit means.
static std::string limitWords(const PageData &data) {
  const LoopPrediction &prediction = *data.report.prediction;
  const bool areSeveral = data.limit.units.size() > 1;
  switch (data.limit.kind) {
  case Limit::Kind::Units:
    return concat(
        data.limit.isMemory ? "loading and storing" : "computing",
        "</strong>: the ", term("unit", areSeveral ? "units" : "unit"),
        " <code>", escape(unitNames(data)), "</code> ",
        areSeveral ? "are" : "is", " busy for ", busyText(data), " of the ",
        cyclesText(prediction.cycles), " predicted cycles");
  case Limit::Kind::Issue:
    return concat(
        "the sheer number of instructions</strong>: ", prediction.microOps, ' ',
        term("micro-operation", "micro-operations"), " at ",
        prediction.issueWidth, " a cycle take ", cyclesText(data.limit.cycles),
        " cycles");
  case Limit::Kind::Carried:
    return concat("the step before</strong>: what a step needs of it is there "
                  "after ",
                  cyclesText(data.limit.cycles), " cycles");
  case Limit::Kind::Window:
    return concat("its own results</strong>: its ", term("chain", "chain"),
                  " takes ", number(prediction.chain, 0), " cycles, and the ",
                  term("window", "window"), " of ", prediction.window,
                  " micro-operations lets too few steps overlap to hide it, "
                  "which makes ",
                  cyclesText(data.limit.cycles), " a step");
  default:
    return concat("its own results</strong>: the core begins instructions "
                  "in order, so a ",
                  term("chain", "chain"), " of ", number(prediction.chain, 0),
                  " cycles is waited for");
  }
}

/// "(issue)", with what that is; a unit is its own name.
static std::string boundText(const LoopBound &bound) {
  for (const char *word : {"issue", "carried", "window", "order"})
    if (bound.name == word)
      return concat(cyclesText(bound.cycles), " (", term(word, word), ")");
  return concat(cyclesText(bound.cycles), " (<code>", escape(bound.name),
                "</code>)");
}

static std::string limitText(const PageData &data) {
  if (!data.report.prediction)
    return "";
  const auto bounds = boundsOf(*data.report.prediction);
  const double predicted = data.report.prediction->cycles;
  std::string text =
      concat("<p>What it waits for is <strong>", limitWords(data), ".");
  if (predicted > 1.15 * data.limit.cycles)
    text += concat(" That does not explain all: limits take turns, and the "
                   "next one is ",
                   boundText(bounds[1]), ".");
  else if (bounds[1].cycles < 0.6 * data.limit.cycles)
    text += concat(" Nothing else comes near: the next limit is ",
                   boundText(bounds[1]), ".");
  return text + "</p>\n";
}

/// " (31 operations became 43 instructions)".
static std::string becameText(const Part &part) {
  return part.operations
             ? concat(" (", counted(part.operations, "operation"), " became ",
                      counted(part.instructions, "instruction"), ")")
             : concat(" (", counted(part.instructions, "instruction"), ")");
}

static std::string costText(const PageData &data) {
  constexpr std::size_t most = 3;
  constexpr double little = 0.05;
  std::string text;
  double rest = 1;
  std::size_t named = 0, left = 0;
  for (std::uint32_t id : data.byCost) {
    const Part &part = data.parts[id];
    if (part.cost <= 0)
      break;
    if (named == most || (named > 0 && part.share < little)) {
      ++left;
      continue;
    }
    text += concat(named++ ? ", " : "", "<code>", escape(part.name),
                   "</code> takes ", strong(percentText(part.share)),
                   becameText(part));
    rest -= part.share;
  }
  if (text.empty())
    return "";
  return concat(
      data.report.prediction ? "<p>Of that, " : "<p>Of the instructions, ",
      text,
      left ? concat("; ", left == 1 ? "one other" : concat(left, " others"),
                    left == 1 ? " takes " : " share ",
                    percentText(std::max(0.0, rest)))
           : std::string(),
      ".</p>\n");
}

static std::string memoryText(const PageData &data) {
  std::string text;
  for (const LoopTime &time : data.measured.times)
    if (time.moving > 0)
      text +=
          concat(text.empty() ? "" : ", ", percentText(time.moving / time.best),
                 " of the time in ", escape(time.level));
  if (text.empty())
    return "";
  const LoopTime &last = data.measured.times.back();
  return concat("<p>Moving its ", data.plan.bytesPerElement(),
                " bytes an element alone would take ", text, ". With ",
                shortNumber(double(last.elements)), " elements the limit is ",
                strong(verdictOf(data, last)), ".</p>\n");
}

std::string tools::answerHtml(const PageData &data) {
  return concat("<div class=\"beside\">\n<div>\n", stepText(data),
                timeText(data), limitText(data), costText(data),
                memoryText(data), "</div>\n", boundBars(data), "</div>\n");
}
