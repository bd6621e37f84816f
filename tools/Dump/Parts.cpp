//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Parts.h"

#include "Ops/Table.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <string_view>
#include <unordered_map>

using namespace kexpr;
using namespace kexpr::tools;

static bool isCall(const Node &node) {
  return node.kind == NodeKind::Call || node.kind == NodeKind::List;
}

/// The same for two nodes that compute the same from equal children.
static std::string keyOf(const Node &node,
                         const std::vector<std::uint32_t> &equals) {
  if (!isCall(node))
    return concat(static_cast<int>(node.kind), ' ', syntax::printLeaf(node));
  const auto op = ops::find(node.name);
  std::string key = concat(static_cast<int>(node.kind), ' ',
                           op ? std::string(ops::table()[*op].info.name)
                              : std::string(node.name));
  for (std::uint32_t child : node.children)
    key += concat(' ', equals[child]);
  return key;
}

/// For each node of the expression the first one that is spelled the same but
/// for aliases of operators: itself if there is none before it.
static std::vector<std::uint32_t> equalNodes(const Expression &expression) {
  std::vector<std::uint32_t> equals;
  std::unordered_map<std::string, std::uint32_t> first;
  for (const Node &node : expression.nodes()) {
    const auto id = static_cast<std::uint32_t>(equals.size());
    equals.push_back(first.try_emplace(keyOf(node, equals), id).first->second);
  }
  return equals;
}

static std::uint32_t add(KernelParts &data, Part part) {
  data.parts.push_back(std::move(part));
  return static_cast<std::uint32_t>(data.parts.size() - 1);
}

static std::uint32_t addNode(KernelParts &data, std::uint32_t id) {
  constexpr std::size_t most = 64;
  const Node &node = data.expression.nodes()[id];
  std::string text(data.expression.text().substr(
      node.range.begin, node.range.end - node.range.begin));
  if (text.size() > most)
    text = text.substr(0, most - 3) + "...";
  return add(data, {.kind = isCall(node) ? "operator" : "leaf",
                    .id = concat('n', id),
                    .name = isCall(node) ? std::string(node.name)
                                         : syntax::printLeaf(node),
                    .text = std::move(text)});
}

static void addParts(KernelParts &data) {
  const syntax::Listing &listing = *data.plan.listing;
  const auto nodes = data.expression.nodes();
  data.partOfLocation[syntax::Listing::loop()] =
      add(data, {.kind = "loop",
                 .id = "loop",
                 .name = "the loop",
                 .text = "counting, and going on with the next step"});
  const std::vector<std::uint32_t> equals = equalNodes(data.expression);
  for (std::uint32_t id = 0; id < nodes.size(); ++id) {
    const bool isOutputs = nodes[id].kind == NodeKind::List;
    data.partOfNode.push_back(isOutputs         ? 0
                              : equals[id] < id ? data.partOfNode[equals[id]]
                                                : addNode(data, id));
    if (isOutputs)
      continue;
    ++data.parts[data.partOfNode[id]].nodes;
    data.partOfLocation[listing.nodes[id]] = data.partOfNode[id];
  }
  for (std::size_t i = 0; i < listing.outputs.size(); ++i) {
    data.partOfOutput.push_back(add(data, {.kind = "store",
                                           .id = concat("out", i),
                                           .name = concat("store out", i),
                                           .text = "writing the result",
                                           .nodes = 1}));
    data.partOfLocation[listing.outputs[i]] = data.partOfOutput.back();
  }
}

static void addInstructions(KernelParts &data) {
  for (const codegen::LoopInstruction &instruction : data.report.code) {
    Part &part = data.parts[data.partAt(instruction.location)];
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

static bool limitsMemory(const KernelParts &data) {
  bool hasOperands = false;
  for (const codegen::LoopInstruction &instruction : data.report.code) {
    if (unitCycles(instruction, data.limit) == 0)
      continue;
    if (!instruction.loads && !instruction.stores)
      return false;
    const std::string_view kind =
        data.parts[data.partAt(instruction.location)].kind;
    hasOperands |= kind == "leaf" || kind == "store";
  }
  return hasOperands;
}

static void addOperations(KernelParts &data) {
  const semantics::Graph &graph = data.plan.graph;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    data.parts[data.partOfNode[graph.origins[i]]].operations +=
        graph.workOf(graph.values[i], data.plan.precision).operations;
}

static void addLines(KernelParts &data) {
  for (const codegen::CodeLine &line : data.code.ir)
    data.parts[data.partAt(line.location)].irLines += bool(line.location);
  for (const codegen::CodeLine &line : data.code.assembly)
    data.parts[data.partAt(line.location)].assemblyLines += bool(line.location);
}

Expected<KernelParts> tools::gatherParts(const Expression &expression,
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
  KernelParts data{.expression = expression,
                   .plan = plan,
                   .report = std::move(*report),
                   .code = std::move(*code)};
  data.limit = inspect::limitOf(data.report);
  addParts(data);
  addInstructions(data);
  data.limit.isMemory = limitsMemory(data);
  addOperations(data);
  addLines(data);
  return data;
}
