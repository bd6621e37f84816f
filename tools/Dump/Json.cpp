//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Json.h"

#include "Dump/Parts.h"
#include "Inspect/Explain.h"
#include "Inspect/Names.h"
#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;
using nlohmann::json;

/// The array of what `make` makes of each item.
template <class Items, class Make>
static json listOf(const Items &items, Make make) {
  json list = json::array();
  for (const auto &item : items)
    list.push_back(make(item));
  return list;
}

static json accessJson(const semantics::Access &access) {
  return {{"type", nameOf(access.type)},
          {"access", semantics::nameOf(access.pattern)}};
}

/// What the kernel is called with.
static void addSignature(json &kernel, const KernelParts &data) {
  const semantics::Plan &plan = data.plan;
  const std::size_t written = plan.bytesWritten();
  kernel["precision"] =
      plan.precision == Precision::Accurate ? "accurate" : "default";
  kernel["operands"] = listOf(plan.inputs, accessJson);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    kernel["operands"][i]["index"] = plan.graph.inputs[i];
  kernel["outputs"] = listOf(plan.outputs, accessJson);
  const Node &root = data.expression.root();
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    kernel["outputs"][i]["part"] = data.partOfOutput[i];
    kernel["outputs"][i]["node"] = root.kind == NodeKind::List
                                       ? root.children[i]
                                       : data.expression.nodes().size() - 1;
  }
  kernel["work"] = {{"operations", plan.work().operations},
                    {"bytes_read", plan.bytesPerElement() - written},
                    {"bytes_written", written}};
}

static json partJson(const Part &part) {
  return {{"kind", part.kind},
          {"id", part.id},
          {"name", part.name},
          {"text", part.text},
          {"nodes", part.nodes},
          {"operations", part.operations},
          {"instructions", part.instructions},
          {"micro_ops", part.microOps},
          {"chain", part.chain},
          {"constants", part.constants},
          {"loads", part.loads},
          {"stores", part.stores},
          {"spills", part.spills},
          {"cost", part.cost},
          {"ir_lines", part.irLines},
          {"assembly_lines", part.assemblyLines}};
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
                   {"part", data.partAt(line.location)}};
    if (hasFigures && line.isInLoop && !line.isLabel)
      object["instruction"] = next++;
    return object;
  });
}

static json instructionJson(const KernelParts &data,
                            const codegen::LoopInstruction &instruction) {
  return {{"part", data.partAt(instruction.location)},
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
tools::kernelJson(const Expression &expression, const semantics::Plan &plan,
                  const codegen::Target &target, codegen::OptLevel level,
                  const backend::Backend &backend, const Measured &measured) {
  const auto data = gatherParts(expression, plan, target, level, backend);
  if (!data)
    return data.error();
  json kernel = {{"format", 1},
                 {"expression", expression.canonical()},
                 {"triple", target.triple},
                 {"cpu", target.cpu},
                 {"is_used", target.hasFma},
                 {"level", inspect::nameOf(level)}};
  addSignature(kernel, *data);
  kernel["nodes"] = json::array();
  for (const Node &node : expression.nodes())
    kernel["nodes"].push_back(
        {{"part", data->partOfNode[kernel["nodes"].size()]},
         {"children", std::vector<std::uint32_t>(node.children.begin(),
                                                 node.children.end())}});
  kernel["parts"] = listOf(data->parts, partJson);
  kernel["listing"] = listingJson(*data);
  const auto &assembly = data->code.assembly;
  const auto count = std::count_if(assembly.begin(), assembly.end(),
                                   [](const codegen::CodeLine &line) {
                                     return line.isInLoop && !line.isLabel;
                                   });
  kernel["ir"] = codeJson(*data, data->code.ir, false);
  kernel["assembly"] =
      codeJson(*data, assembly,
               static_cast<std::size_t>(count) == data->report.code.size());
  kernel["loop"] = loopJson(*data);
  addPrediction(kernel, *data);
  kernel["times"] = listOf(measured.times, timeJson);
  kernel["not_measured"] = measured.reason;
  return kernel;
}
