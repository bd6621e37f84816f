//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/LoopCosts.h"

#include "Inspect/Explain.h"
#include "Support/Text.h"

#include <algorithm>
#include <map>

using namespace kexpr;
using namespace kexpr::inspect;
using codegen::LoopInstruction;
using codegen::LoopPrediction;
using codegen::LoopReport;

static Limit::Kind kindOf(const std::string &bound) {
  static const std::pair<const char *, Limit::Kind> kinds[] = {
      {"issue", Limit::Kind::Issue},
      {"carried", Limit::Kind::Carried},
      {"window", Limit::Kind::Window},
      {"order", Limit::Kind::Order}};
  for (const auto &[name, kind] : kinds)
    if (bound == name)
      return kind;
  return Limit::Kind::Units;
}

Limit inspect::limitOf(const LoopReport &report) {
  // Units that are this much as busy as the busiest limit with it.
  constexpr double aboutAsBusy = 0.9;
  Limit limit;
  if (!report.prediction)
    return limit;
  const LoopPrediction &prediction = *report.prediction;
  const LoopBound bound = boundsOf(prediction)[0];
  limit.kind = kindOf(bound.name);
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
  case Limit::Kind::Unknown:
    return 1;
  case Limit::Kind::Units:
    return unitCycles(instruction, limit);
  case Limit::Kind::Issue:
  case Limit::Kind::Carried:
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

std::string inspect::operatorsText(const semantics::Plan &plan,
                                   const LoopReport &report) {
  constexpr std::size_t most = 6;
  if (!plan.listing || !report.prediction)
    return "";
  std::string text;
  const std::vector<Cost> costs = costsOf(plan, report);
  for (std::size_t i = 0; i < std::min(most, costs.size()); ++i)
    text +=
        concat(i ? ", " : "", costs[i].name, ' ', number(costs[i].cycles, 2),
               " (", costs[i].instructions, i ? ")" : " instructions)");
  return costs.size() > most ? text + "..." : text;
}
