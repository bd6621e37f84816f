//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Json.h"

#include "Backend/Backend.h"
#include "CodeGen/CodeListing.h"
#include "CodeGen/LoopReport.h"
#include "Inspect/Explain.h"
#include "Inspect/Names.h"
#include "Ops/Table.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

using namespace kexpr;
using namespace kexpr::tools;
using inspect::Limit;
using nlohmann::json;

namespace {
/// A kernel, its code, and the parts that the code comes from, as JSON. The
/// first part is the loop itself.
struct KernelParts {
  const Expression &expression;
  const semantics::Plan &plan;
  codegen::LoopReport report;
  codegen::CodeListing code;
  bool isSweep = false;
  Limit limit = {};
  std::vector<json> parts = {};
  /// The part of each node of the expression, and of each output.
  std::vector<std::uint32_t> partOfNode = {}, partOfOutput = {};
  std::map<SourceLocation, std::uint32_t> partOfLocation = {};

  /// That of the loop itself for a location of nothing else.
  std::uint32_t indexAt(const SourceLocation &location) const {
    const auto found = partOfLocation.find(location);
    return found == partOfLocation.end() ? 0 : found->second;
  }
  json &partAt(const SourceLocation &location) {
    return parts[indexAt(location)];
  }
};
} // namespace

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

/// Adds a part, and gives its index. `id` is short and unique: `loop`, `n7`.
/// Keys of counts are those of docs/inspection.md.
static std::uint32_t addPart(KernelParts &data, const char *kind,
                             const std::string &id, const std::string &name,
                             const std::string &text) {
  json &part = data.parts.emplace_back();
  part = {{"kind", kind}, {"id", id}, {"name", name}, {"text", text}};
  for (const char *key :
       {"nodes", "operations", "instructions", "micro_ops", "chain",
        "constants", "loads", "stores", "spills", "ir_lines", "assembly_lines"})
    part[key] = 0;
  part["cost"] = 0.0;
  return static_cast<std::uint32_t>(data.parts.size() - 1);
}

static void count(json &part, const char *key, unsigned more) {
  part[key] = part[key].get<unsigned>() + more;
}

static std::uint32_t addNode(KernelParts &data, std::uint32_t id) {
  constexpr std::size_t most = 64;
  const Node &node = data.expression.nodes()[id];
  std::string text(data.expression.text().substr(
      node.range.begin, node.range.end - node.range.begin));
  if (text.size() > most)
    text = text.substr(0, most - 3) + "...";
  return isCall(node) ? addPart(data, "operator", concat('n', id),
                                std::string(node.name), text)
                      : addPart(data, "leaf", concat('n', id),
                                syntax::printLeaf(node), text);
}

static void addParts(KernelParts &data) {
  const syntax::Listing &listing = *data.plan.listing;
  const auto nodes = data.expression.nodes();
  data.partOfLocation[syntax::Listing::loop()] =
      addPart(data, "loop", "loop", "the loop",
              "counting, and going on with the next step");
  const std::vector<std::uint32_t> equals = equalNodes(data.expression);
  for (std::uint32_t id = 0; id < nodes.size(); ++id) {
    const bool isOutputs = nodes[id].kind == NodeKind::List;
    data.partOfNode.push_back(isOutputs         ? 0
                              : equals[id] < id ? data.partOfNode[equals[id]]
                                                : addNode(data, id));
    if (isOutputs)
      continue;
    count(data.parts[data.partOfNode[id]], "nodes", 1);
    data.partOfLocation[listing.nodes[id]] = data.partOfNode[id];
  }
  for (std::size_t i = 0; i < listing.outputs.size(); ++i) {
    data.partOfOutput.push_back(addPart(data, "store", concat("out", i),
                                        concat("store out", i),
                                        "writing the result"));
    count(data.parts.back(), "nodes", 1);
    data.partOfLocation[listing.outputs[i]] = data.partOfOutput.back();
  }
}

/// Whether all that keeps the limiting units busy is loads and stores, of
/// operands and outputs among others.
static bool limitsMemory(const KernelParts &data) {
  bool hasOperands = false;
  for (const codegen::LoopInstruction &instruction : data.report.code) {
    if (unitCycles(instruction, data.limit) == 0)
      continue;
    if (!instruction.loads && !instruction.stores)
      return false;
    const json &kind = data.parts[data.indexAt(instruction.location)]["kind"];
    hasOperands |= kind == "leaf" || kind == "store";
  }
  return hasOperands;
}

/// Adds up what a step of the main loop spends on each part, and the lines of
/// the function, in the loop or not. Loads and stores are of operands and
/// outputs, spills all that goes to the stack or comes from it.
static void countCode(KernelParts &data) {
  for (const codegen::LoopInstruction &instruction : data.report.code) {
    json &part = data.partAt(instruction.location);
    count(part, "instructions", 1);
    count(part, "micro_ops", instruction.microOps);
    count(part, "chain", instruction.chain);
    count(part, "constants", instruction.loadsConstant);
    count(part, "spills", instruction.spills);
    if (!instruction.loadsConstant && !instruction.spills) {
      count(part, "loads", instruction.loads);
      count(part, "stores", instruction.stores);
    }
    part["cost"] = part["cost"].get<double>() +
                   costOf(instruction, data.limit, data.report);
  }
  data.limit.isMemory = limitsMemory(data);
  const semantics::Graph &graph = data.plan.graph;
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    count(data.parts[data.partOfNode[graph.origins[i]]], "operations",
          graph.workOf(graph.values[i], data.plan.precision).operations);
  for (const auto &[key, lines] : {std::pair("ir_lines", &data.code.ir),
                                   {"assembly_lines", &data.code.assembly}})
    for (const codegen::CodeLine &line : *lines)
      count(data.partAt(line.location), key, bool(line.location));
}

/// The array of what `make` makes of each item.
template <class Items, class Make>
static json listOf(const Items &items, Make make) {
  json list = json::array();
  for (const auto &item : items)
    list.push_back(make(item));
  return list;
}

static json accessJson(const semantics::Access &access) {
  return {{"type", nameOf(access.type)}, {"access", semantics::textOf(access)}};
}

/// What the kernel is called with.
static void addSignature(json &kernel, const KernelParts &data) {
  const semantics::Plan &plan = data.plan;
  const std::size_t written = plan.bytesWritten();
  kernel["precision"] = ops::nameOf(plan.precision);
  kernel["operands"] = listOf(plan.inputs, accessJson);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.graph.inputs[i] < semantics::Graph::FirstValue)
      kernel["operands"][i]["index"] = plan.graph.inputs[i];
    else
      kernel["operands"][i]["result"] =
          plan.graph.inputs[i] - semantics::Graph::FirstValue;
  kernel["outputs"] = listOf(plan.outputs, accessJson);
  const Node &root = data.expression.root();
  // Outputs of a sweep are not those of the expression.
  for (std::size_t i = 0; !data.isSweep && i < plan.outputs.size(); ++i) {
    kernel["outputs"][i]["part"] = data.partOfOutput[i];
    kernel["outputs"][i]["node"] = root.kind == NodeKind::List
                                       ? root.children[i]
                                       : data.expression.nodes().size() - 1;
  }
  kernel["work"] = {{"operations", plan.work().operations},
                    {"bytes_read", plan.bytesPerElement() - written},
                    {"bytes_written", written}};
}

/// The lines of the listing, with the words that stand for parts.
static json listingJson(const KernelParts &data) {
  const syntax::Listing &listing = *data.plan.listing;
  json lines = json::array();
  for (std::size_t i = 0; i < listing.lines.size(); ++i) {
    const std::size_t end = std::min(listing.text.find('\n', listing.lines[i]),
                                     listing.text.size());
    lines.push_back({{"text", listing.text.substr(listing.lines[i],
                                                  end - listing.lines[i])},
                     {"words", json::array()}});
  }
  for (const auto &[location, part] : data.partOfLocation)
    lines.at(location.line - 1)["words"].push_back(
        {{"column", location.column},
         {"size", location == syntax::Listing::loop()
                      ? listing.text.find(':')
                      : listing.wordAt(location).size()},
         {"part", part}});
  return lines;
}

/// The lines of a function. With `hasFigures` those of the loop know their
/// instruction.
static json codeJson(const KernelParts &data,
                     const std::vector<codegen::CodeLine> &code,
                     bool hasFigures) {
  std::size_t next = 0;
  return listOf(code, [&](const codegen::CodeLine &line) {
    json object = {{"text", line.text},
                   {"note", line.note},
                   {"is_label", line.isLabel},
                   {"in_loop", line.isInLoop},
                   {"part", data.indexAt(line.location)}};
    if (hasFigures && line.isInLoop && !line.isLabel)
      object["instruction"] = next++;
    return object;
  });
}

static json instructionJson(const KernelParts &data,
                            const codegen::LoopInstruction &instruction) {
  return {{"part", data.indexAt(instruction.location)},
          {"loads", instruction.loads},
          {"stores", instruction.stores},
          {"constant", instruction.loadsConstant},
          {"spills", instruction.spills},
          {"live", instruction.live},
          {"micro_ops", instruction.microOps},
          {"latency", instruction.latency},
          {"chain", instruction.chain},
          {"units", listOf(instruction.units, [](const codegen::UnitUse &use) {
             return json{{"unit", use.unit}, {"cycles", use.cycles}};
           })}};
}

static json loopJson(const KernelParts &data) {
  const codegen::LoopReport &report = data.report;
  return {{"vector_bits", report.vectorBits},
          {"lanes", report.lanes},
          {"vectors", report.unrollFactor},
          {"stages", report.stages},
          {"elements", report.elements()},
          {"instructions", report.instructions},
          {"loads", report.loads},
          {"stores", report.stores},
          {"spills", report.spills},
          {"vector_registers", report.vectorRegisters},
          {"all_vector_registers", report.allVectorRegisters},
          {"general_registers", report.generalRegisters},
          {"code", listOf(report.code, [&](const auto &instruction) {
             return instructionJson(data, instruction);
           })}};
}

static const char *nameOf(inspect::LimitKind kind) {
  static constexpr const char *names[] = {"unknown", "units",  "issue",
                                          "carried", "window", "order"};
  return names[static_cast<std::size_t>(kind)];
}

/// What is predicted, and what limits that.
static void addPrediction(json &kernel, const KernelParts &data) {
  const auto cyclesOf = [](const auto &name, double cycles) {
    return json{{"name", name}, {"cycles", cycles}};
  };
  kernel["limit"] = {{"kind", nameOf(data.limit.kind)},
                     {"cycles", data.limit.cycles},
                     {"units", data.limit.units},
                     {"is_memory", data.limit.isMemory}};
  kernel["prediction"] = nullptr;
  if (!data.report.prediction)
    return;
  const codegen::LoopPrediction &prediction = *data.report.prediction;
  kernel["prediction"] = {
      {"cycles", prediction.cycles},
      {"micro_ops", prediction.microOps},
      {"issue_width", prediction.issueWidth},
      {"window", prediction.window},
      {"chain", prediction.chain},
      {"carried", prediction.carried},
      {"windowed", prediction.windowed},
      {"unknown", prediction.unknown},
      {"also_of", prediction.alsoOf},
      {"units", listOf(prediction.units,
                       [&](const codegen::UnitPressure &unit) {
                         return cyclesOf(unit.unit, unit.cycles);
                       })},
      {"bounds", listOf(inspect::boundsOf(prediction),
                        [&](const inspect::LoopBound &bound) {
                          return cyclesOf(bound.name, bound.cycles);
                        })}};
}

static json timeJson(const LoopTime &time) {
  return {{"elements", time.elements}, {"bytes", time.bytes},
          {"level", time.level},       {"median", time.median},
          {"best", time.best},         {"moving", time.moving},
          {"clock", time.clock}};
}

Expected<json>
tools::kernelJson(const Expression &expression, const inspect::LoopOf &loop,
                  const codegen::Target &target, codegen::OptLevel level,
                  const backend::Backend &backend, const Measured &measured) {
  const semantics::Plan &plan = loop.plan;
  auto report = backend.reportLoop(plan, target, level);
  if (!report)
    return report.error();
  auto code = backend.listCode(plan, target, level);
  if (!code)
    return code.error();
  KernelParts data{expression, plan, std::move(*report), std::move(*code),
                   !loop.heading.empty()};
  data.limit = inspect::limitOf(data.report);
  addParts(data);
  countCode(data);
  json kernel = {{"format", 1},
                 {"expression", expression.canonical()},
                 {"triple", target.triple},
                 {"cpu", target.cpu},
                 {"is_used", target.hasFma},
                 {"level", inspect::nameOf(level)}};
  if (data.isSweep)
    kernel["sweep"] = loop.heading;
  addSignature(kernel, data);
  kernel["nodes"] = json::array();
  for (const Node &node : expression.nodes())
    kernel["nodes"].push_back(
        {{"part", data.partOfNode[kernel["nodes"].size()]},
         {"children", std::vector<std::uint32_t>(node.children.begin(),
                                                 node.children.end())}});
  kernel["parts"] = data.parts;
  kernel["listing"] = listingJson(data);
  const auto &assembly = data.code.assembly;
  const auto count =
      std::ranges::count_if(assembly, [](const codegen::CodeLine &line) {
        return line.isInLoop && !line.isLabel;
      });
  kernel["ir"] = codeJson(data, data.code.ir, false);
  kernel["assembly"] =
      codeJson(data, assembly,
               static_cast<std::size_t>(count) == data.report.code.size());
  kernel["loop"] = loopJson(data);
  addPrediction(kernel, data);
  kernel["times"] = listOf(measured.times, timeJson);
  kernel["not_measured"] = measured.reason;
  return kernel;
}
