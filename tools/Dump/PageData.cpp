//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageData.h"

#include "Dump/PageParts.h"

#include <algorithm>
#include <numeric>

using namespace kexpr;
using namespace kexpr::inspect;
using namespace kexpr::tools;
using codegen::LoopInstruction;

static void addInstructions(PageData &data) {
  for (const LoopInstruction &instruction : data.report.code) {
    Part &part = data.parts[data.partAt(instruction.place)];
    ++part.instructions;
    part.microOps += instruction.microOps;
    part.chain += instruction.chain;
    part.constants += instruction.loadsConstant;
    part.spills += instruction.spills;
    if (!instruction.loadsConstant && !instruction.spills) {
      part.loads += instruction.loads;
      part.stores += instruction.stores;
    }
    part.cost += costOf(instruction, data.limit, data.report);
  }
}

/// Whether the units of the limit serve what goes to memory and nothing else:
/// operands or results among it.
static bool limitsMemory(const PageData &data) {
  bool hasOperands = false;
  for (const LoopInstruction &instruction : data.report.code) {
    if (unitCycles(instruction, data.limit) == 0)
      continue;
    if (!instruction.loads && !instruction.stores)
      return false;
    const Part::Kind kind = data.parts[data.partAt(instruction.place)].kind;
    hasOperands |= kind == Part::Kind::Leaf || kind == Part::Kind::Store;
  }
  return hasOperands;
}

static void addOperations(PageData &data) {
  const semantics::Graph &graph = data.plan.graph;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    data.parts[data.partOfNode[graph.origins[i]]].operations +=
        graph.workOf(graph.values[i], data.plan.precision).operations;
}

static void addLines(PageData &data) {
  for (const codegen::CodeLine &line : data.code.ir)
    data.parts[data.partAt(line.place)].irLines += bool(line.place);
  for (const codegen::CodeLine &line : data.code.assembly)
    data.parts[data.partAt(line.place)].assemblyLines += bool(line.place);
}

/// The most expensive first, and what shares and colours follow from that.
static void rank(PageData &data) {
  double all = 0;
  for (const Part &part : data.parts)
    all += part.cost;
  data.byCost.resize(data.parts.size());
  std::iota(data.byCost.begin(), data.byCost.end(), 0);
  std::stable_sort(data.byCost.begin(), data.byCost.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const Part &first = data.parts[a], &second = data.parts[b];
                     return first.cost != second.cost
                                ? first.cost > second.cost
                                : first.instructions > second.instructions;
                   });
  constexpr unsigned colours = 7;
  unsigned next = 0;
  for (std::uint32_t id : data.byCost) {
    Part &part = data.parts[id];
    part.share = all > 0 ? part.cost / all : 0;
    const bool isColoured =
        next + 1 < colours && part.instructions > 0 && id != 0;
    part.colour = isColoured ? next++ : colours - 1;
  }
}

bool PageData::listsReport() const {
  std::size_t lines = 0;
  for (const codegen::CodeLine &line : code.assembly)
    lines += line.isInLoop && !line.isLabel;
  return lines == report.code.size();
}

Part PageData::sum() const {
  Part sum;
  sum.name = "all";
  for (const Part &part : parts) {
    for (auto count :
         {&Part::operations, &Part::instructions, &Part::microOps, &Part::chain,
          &Part::constants, &Part::loads, &Part::stores, &Part::spills})
      sum.*count += part.*count;
    sum.cost += part.cost;
  }
  return sum;
}

double PageData::measuredCycles() const {
  return measured.times.empty()
             ? 0
             : measured.times[0].median * measured.times[0].clock * elements();
}

Expected<PageData> tools::gatherPage(const Expression &expression,
                                     const semantics::Plan &plan,
                                     const codegen::Target &target,
                                     codegen::OptLevel level,
                                     const backend::Backend &backend) {
  auto report = backend.reportLoop(plan, target, level);
  if (!report)
    return report.error();
  auto code = backend.listCode(plan, target, level);
  if (!code)
    return code.error();
  PageData data{.expression = expression,
                .plan = plan,
                .target = target,
                .level = level,
                .report = std::move(*report),
                .code = std::move(*code)};
  data.limit = limitOf(data.report);
  addParts(data);
  addInstructions(data);
  data.limit.isMemory = limitsMemory(data);
  addOperations(data);
  addLines(data);
  rank(data);
  return data;
}
