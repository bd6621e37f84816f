//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Explain.h"

#include "Support/Text.h"

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::inspect;
using codegen::LoopInstruction;
using codegen::LoopPrediction;
using codegen::LoopReport;
using semantics::Access;
using semantics::Plan;

/// A line of a section: its subject and its text.
static std::string line(std::string_view about, const std::string &text) {
  return concat("  ", padded(std::string(about), 14), text, '\n');
}

static std::string accessLine(const Access &access) {
  return concat(nameOf(access.type), ' ', semantics::textOf(access));
}

/// The first lines of the graph.
static std::string graphText(const Plan &plan) {
  constexpr int most = 24;
  const std::string whole = plan.graph.str();
  std::string_view lines = whole;
  std::string text;
  int count = 0;
  for (; !lines.empty(); ++count) {
    const std::string_view each = lines.substr(0, lines.find('\n') + 1);
    lines.remove_prefix(each.size());
    if (count < most)
      text += concat("  ", each);
  }
  return count > most ? concat(text, "  and ", count - most, " more lines\n")
                      : text;
}

static std::string planText(const Plan &plan) {
  std::string patterns;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    patterns += concat(plan.graph.nameOfInput(i), ' ',
                       accessLine(plan.inputs[i]), ", ");
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    patterns += concat(i ? ", " : "to ", accessLine(plan.outputs[i]));
  std::string trees;
  for (const Access &output : plan.outputs)
    if (output.reducing)
      trees += line("tree", semantics::treeOf(output));
  const std::size_t written = plan.bytesWritten();
  return concat("Plan\n", graphText(plan), line("access", patterns), trees,
                line("an element",
                     concat(counted(plan.work().operations, "operation"), ", ",
                            counted(plan.bytesPerElement() - written, "byte"),
                            " read, ", written, " written")));
}

static const char *widthText(const Plan &plan, const codegen::Target &target) {
  if (plan.convertsInputs() && target.convertingVectorBits < target.vectorBits)
    return "conversions of wider ones take longer";
  switch (target.widthReason) {
  case codegen::WidthReason::Asked:
    return "as asked for";
  case codegen::WidthReason::Widest:
    return "the widest there are, at full speed";
  case codegen::WidthReason::Clock:
    break;
  }
  return codegen::isHeavy(plan)
             ? "many operations gain more by the widest than the clock loses"
             : "wider ones slow the clock down for few operations";
}

/// Why a step has so many vectors and stages.
static std::string shapeText(const Plan &plan, const LoopReport &report) {
  if (plan.isInParts)
    return "a part of rows, of the first sweep over them";
  if (plan.rowLength > 0)
    return plan.isAlongRows ? "rows, which wait for their folds"
                            : "a row in each lane";
  if (report.stages > 1)
    return concat("a chain of ", plan.work().latency,
                  " cycles is too long for the window");
  return report.unrollFactor > 1
             ? "so few operations that the loop's own would weigh"
             : "operations enough to hide the loop's own";
}

static std::string loopText(const Plan &plan, const codegen::Target &target,
                            const LoopReport &report) {
  const double elements = report.elements();
  return concat(
      line("vectors",
           concat(report.vectorBits, " bits: ", widthText(plan, target))),
      line("a step",
           concat(counted(report.unrollFactor, "vector"), " of ",
                  counted(report.lanes, "element"), ", ", report.elements(),
                  " together",
                  report.stages > 1 ? concat(", in ", report.stages, " stages")
                                    : "",
                  ": ", shapeText(plan, report))),
      line("instructions",
           concat(report.instructions, " a step, ",
                  number(report.instructions / elements, 3), " an element")),
      line("memory", concat(report.loads, " load, ", report.stores, " store, ",
                            report.spills, " spilled")),
      line("registers",
           concat(report.vectorRegisters, " of ", report.allVectorRegisters,
                  " vector registers, ", report.generalRegisters, " general")));
}

static double issueBound(const LoopPrediction &prediction) {
  return double(prediction.microOps) / prediction.issueWidth;
}

static const char *windowName(const LoopPrediction &prediction) {
  return prediction.window ? "window" : "order";
}

std::vector<LoopBound> inspect::boundsOf(const LoopPrediction &prediction) {
  std::vector<LoopBound> bounds = {
      {LimitKind::Issue, "issue", issueBound(prediction)},
      {LimitKind::Carried, "carried", prediction.carried},
      {prediction.window ? LimitKind::Window : LimitKind::Order,
       windowName(prediction), prediction.windowed}};
  if (!prediction.units.empty())
    bounds.push_back({LimitKind::Units, prediction.units[0].unit,
                      prediction.units[0].cycles});
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const LoopBound &a, const LoopBound &b) {
                     return a.cycles > b.cycles;
                   });
  return bounds;
}

Limit inspect::limitOf(const LoopReport &report) {
  // Units with this share of the busiest one's cycles count as limits, too.
  constexpr double aboutAsBusy = 0.9;
  Limit limit;
  if (!report.prediction)
    return limit;
  const LoopPrediction &prediction = *report.prediction;
  const LoopBound bound = boundsOf(prediction)[0];
  limit.kind = bound.kind;
  limit.cycles = bound.cycles;
  for (unsigned i = 0; i < prediction.units.size(); ++i)
    if (prediction.units[i].cycles >= aboutAsBusy * prediction.units[0].cycles)
      limit.units.push_back(i);
  return limit;
}

double inspect::unitCycles(const LoopInstruction &instruction,
                           const Limit &limit) {
  double cycles = 0;
  for (const codegen::UnitUse &use : instruction.units)
    if (std::find(limit.units.begin(), limit.units.end(), use.unit) !=
        limit.units.end())
      cycles += use.cycles;
  return limit.units.empty() ? 0 : cycles / double(limit.units.size());
}

double inspect::costOf(const LoopInstruction &instruction, const Limit &limit,
                       const LoopReport &report) {
  switch (limit.kind) {
  case LimitKind::Unknown:
    return 1;
  case LimitKind::Units:
    return unitCycles(instruction, limit);
  case LimitKind::Issue:
  case LimitKind::Carried:
    return double(instruction.microOps) / report.prediction->issueWidth;
  default:
    return instruction.chain;
  }
}

namespace {
struct Cost {
  std::string name;
  double cycles = 0;
  unsigned instructions = 0;
};
} // namespace

static std::vector<Cost> costsOf(const semantics::Plan &plan,
                                 const LoopReport &report) {
  const Limit limit = limitOf(report);
  std::map<SourceLocation, Cost> byLocation;
  for (const LoopInstruction &instruction : report.code) {
    Cost &cost = byLocation[instruction.location];
    cost.cycles += costOf(instruction, limit, report);
    ++cost.instructions;
  }
  std::vector<Cost> costs;
  for (auto &[location, cost] : byLocation) {
    cost.name = plan.listing->wordAt(location);
    costs.push_back(std::move(cost));
  }
  std::stable_sort(
      costs.begin(), costs.end(),
      [](const Cost &a, const Cost &b) { return a.cycles > b.cycles; });
  return costs;
}

/// "sin 24.0 (43 instructions), cos 18.5 (29)": the operators that take most;
/// empty without a listing.
static std::string operatorsText(const semantics::Plan &plan,
                                 const LoopReport &report) {
  constexpr std::size_t most = 6;
  if (!plan.listing)
    return "";
  std::string text;
  const std::vector<Cost> costs = costsOf(plan, report);
  for (std::size_t i = 0; i < std::min(most, costs.size()); ++i)
    text +=
        concat(i ? ", " : "", costs[i].name, ' ', number(costs[i].cycles, 2),
               " (", costs[i].instructions, i ? ")" : " instructions)");
  return costs.size() > most ? text + "..." : text;
}

static std::string unitsText(const LoopPrediction &prediction) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, prediction.units.size()); ++i)
    text += concat(i ? ", " : "", prediction.units[i].unit, ' ',
                   number(prediction.units[i].cycles, 2));
  return text + (prediction.units.size() > most ? "..." : "");
}

/// The largest bound; with the second one where the prediction exceeds the
/// largest by far, as both delay the loop in turn.
static std::string limitText(const LoopPrediction &prediction) {
  constexpr double near = 1.15;
  const std::vector<LoopBound> bounds = boundsOf(prediction);
  auto text = [](const LoopBound &bound) {
    return concat(bound.name, ", ", number(bound.cycles, 2), " a step");
  };
  return prediction.cycles <= near * bounds[0].cycles
             ? text(bounds[0])
             : concat(text(bounds[0]), ", and ", text(bounds[1]));
}

/// Other CPUs with the same model: LLVM gives some the model of an older one.
static std::string othersText(const LoopPrediction &prediction) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, prediction.alsoOf.size()); ++i)
    text += (i ? ", " : "") + prediction.alsoOf[i];
  if (prediction.alsoOf.size() > most)
    text += concat(" and ", prediction.alsoOf.size() - most, " more");
  return text.empty() ? text : line("also of", text);
}

static std::string predictionText(const Plan &plan, const LoopReport &report) {
  const auto bytes = static_cast<double>(plan.bytesPerElement());
  const LoopPrediction &prediction = *report.prediction;
  const double perElement = prediction.cycles / report.elements();
  std::string text = concat(
      othersText(prediction),
      line("cycles", concat(number(prediction.cycles, 2), " a step, ",
                            number(perElement, 4), " an element")),
      line("issue",
           concat(number(issueBound(prediction), 2), ": ", prediction.microOps,
                  " micro-operations, ", prediction.issueWidth, " a cycle")),
      line("units", unitsText(prediction)),
      line("carried", concat(number(prediction.carried, 2),
                             ": what a step waits for from the one before")));
  text +=
      line(windowName(prediction),
           concat(number(prediction.windowed, 2), ": a chain of ",
                  number(prediction.chain, 0), " while ",
                  prediction.window ? concat(prediction.window,
                                             " micro-operations are under way")
                                    : "instructions begin in order"));
  text += line("limit", limitText(prediction));
  if (const std::string costs = operatorsText(plan, report); !costs.empty())
    text += line("operators", costs);
  text += line("memory", concat(number(bytes / perElement, 1),
                                " bytes a cycle would keep up with it"));
  if (prediction.unknown)
    text += line("left out", concat(prediction.unknown,
                                    " instructions that the model lacks"));
  return text;
}

std::string inspect::explain(const Plan &plan, const codegen::Target &target,
                             codegen::OptLevel level,
                             const LoopReport &report) {
  std::string text = concat(
      planText(plan), "\nMain loop for ", target.cpu,
      level == codegen::OptLevel::Baseline ? ", baseline" : ", optimized",
      plan.precision == Precision::Default ? "" : ", ",
      plan.precision == Precision::Default ? "" : ops::nameOf(plan.precision),
      '\n', loopText(plan, target, report));
  if (!target.hasFma)
    text += line("unused", "kernels are interpreted where no instruction is a "
                           "fused multiply-add");
  if (!report.prediction)
    return concat(text, "\nNo prediction: LLVM has no scheduling model of ",
                  target.cpu, '\n');
  return concat(text, "\nPrediction, in cycles of LLVM's scheduling model of ",
                target.cpu, '\n', predictionText(plan, report));
}
