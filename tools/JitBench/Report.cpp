//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Report.h"

#include "Bench/Limits.h"
#include "Bench/Peers.h"
#include "Common/Files.h"
#include "Page/Page.h"
#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

using namespace kexpr;
using namespace kexpr::tools;
using nlohmann::json;

/// A latency as text; empty where it was not measured.
static std::string cell(const LatencyRow &row, const char *key, double scale,
                        int digits) {
  const auto found = row.seconds.find(key);
  return found == row.seconds.end() ? ""
                                    : number(found->second * scale, digits);
}

static std::string percent(double part) {
  return part > 0 ? number(100 * part, 0) + " %" : "";
}

/// Zero is not measured.
static std::string gigabytes(double speed) {
  return speed > 0 ? number(speed * 1e-9, 1) : "";
}

static Table stageTable(const Findings &findings) {
  Table table(
      {"expression", "parse", "plan", "emit", "codegen", "link", "total"});
  for (const LatencyRow &row : findings.latencies) {
    std::vector<std::string> cells = {row.name};
    for (const auto &stage : row.stages)
      cells.push_back(number(stage.second * 1e3, 3));
    cells.resize(6);
    cells.push_back(cell(row, "compile", 1e3, 3));
    table.add(std::move(cells));
  }
  return table;
}

static Table latencyTable(const Findings &findings) {
  Table table({"expression", "first result us", "baseline us", "disk us",
               "memory ns", "call ns"});
  for (const LatencyRow &row : findings.latencies)
    table.add({row.name, cell(row, "first", 1e6, 1),
               cell(row, "baseline", 1e6, 1), cell(row, "disk", 1e6, 1),
               cell(row, "memory", 1e9, 1), cell(row, "call", 1e9, 1)});
  return table;
}

/// What keeps a kernel from being faster.
static std::string boundBy(const RunRow &row) {
  if (row.limit.seconds() == 0)
    return "";
  return row.limit.compute > row.limit.memory ? "compute" : row.level;
}

static Table throughputTable(const Findings &findings) {
  Table table({"expression", "elements", "threads", "ns/element", "GB/s",
               "of triad", "of limit", "bound", "vs op by op"});
  for (const RunRow &row : findings.runs) {
    if (row.side != "fused")
      continue;
    const RunRow *rival =
        findings.find(row.name, row.size, "op-by-op", row.threads);
    const double speed = row.bytes / row.seconds;
    table.add({row.name, row.size, std::to_string(row.threads),
               number(row.perElement() * 1e9, 3), gigabytes(speed),
               percent(row.triad > 0 ? speed / row.triad : 0),
               percent(row.ofLimit()), boundBy(row),
               rival ? number(rival->seconds / row.seconds, 2) + " x" : ""});
  }
  return table;
}

static Table peerTable(const Findings &findings) {
  const auto sides = findings.sides();
  std::vector<std::string> header = {"expression", "elements", "threads",
                                     "limit"};
  header.insert(header.end(), sides.begin(), sides.end());
  header.push_back("best peer");
  Table table(header);
  for (const RunRow &row : findings.runs) {
    if (row.side != "fused")
      continue;
    const double limit = row.limit.seconds() / row.elements;
    std::vector<std::string> cells = {row.name, row.size,
                                      std::to_string(row.threads),
                                      limit > 0 ? number(limit * 1e9, 3) : ""};
    double best = 0;
    for (const std::string &side : sides) {
      const auto *peer = findings.find(row.name, row.size, side, row.threads);
      cells.push_back(peer ? number(peer->perElement() * 1e9, 3) : "");
      if (peer && side != "fused" && (best == 0 || peer->seconds < best))
        best = peer->seconds;
    }
    cells.push_back(best > 0 ? number(best / row.seconds, 2) + " x" : "");
    table.add(std::move(cells));
  }
  return table;
}

static Table limitTable(const Findings &findings) {
  Table table({"level", "threads", "KiB", "read", "copy", "triad", "copy nt",
               "triad nt"});
  for (const Limits &limits : findings.limits) {
    for (const auto &[name, footprint, speeds] : limits.levels) {
      std::vector<std::string> cells = {name, std::to_string(limits.threads),
                                        std::to_string(footprint >> 10)};
      for (const auto speed : StreamSpeeds::All)
        cells.push_back(gigabytes(speeds.*speed));
      table.add(std::move(cells));
    }
    table.add({"GFMA/s", std::to_string(limits.threads), "",
               gigabytes(limits.fmaPerSecond)});
  }
  return table;
}

namespace {
/// A table, what it shows, and its title on the page.
struct Section {
  Table (*make)(const Findings &);
  const char *about, *title;
};
} // namespace

static constexpr Section stageSection = {
    stageTable, "Compile time by stage, in ms:", "Compile time by stage, ms"};
static constexpr Section latencySection = {
    latencyTable,
    "A new expression to its first result over 4096 elements, and to baseline "
    "code; a\nkernel found on disk and in memory; a call over 16 elements:",
    "Ways to a kernel, and a call of 16 elements"};
static constexpr Section limitSection = {
    limitTable,
    "Limits of this machine: GB/s of passes over memory (nt: stored past the "
    "caches),\nbillions of f32 multiply-adds a second:",
    "Bandwidth in GB/s (nt: stored past the caches) and multiply-adds"};
static constexpr Section throughputSection = {
    throughputTable,
    "One fused loop; bytes are those of operands and outputs, the triad has "
    "the same\nfootprint, the limit is what its cache level or its operations "
    "allow, and op by\nop allocates a tensor for every operator:",
    "The fused kernel"};
static constexpr Section peerSection = {
    peerTable,
    "All sides, in ns an element; the best peer's time over the fused "
    "kernel's:",
    "All sides, ns per element"};

void tools::printTables(std::ostream &out, const Findings &findings) {
  for (const auto &[name, expression] : findings.expressions)
    out << name << "  " << expression << '\n';
  for (const Section &section : {stageSection, latencySection, limitSection,
                                 throughputSection, peerSection})
    if (const Table table = section.make(findings); table.cells().size() > 1) {
      out << '\n' << section.about << "\n\n";
      table.print(out);
    }
  for (const auto &[name, version] : findings.peers)
    out << '\n' << name << ": " << version;
  out << (findings.peers.empty() ? "" : "\n");
}

static json limitsJson(const Limits &limits) {
  json levels = json::array();
  for (const auto &[name, footprint, speeds] : limits.levels)
    levels.push_back({{"name", name},
                      {"footprint", footprint},
                      {"read", speeds.read},
                      {"copy", speeds.copy},
                      {"triad", speeds.triad},
                      {"copy_non_temporal", speeds.copyPast},
                      {"triad_non_temporal", speeds.triadPast}});
  return {{"threads", limits.threads},
          {"fma_per_second", limits.fmaPerSecond},
          {"levels", std::move(levels)}};
}

static json runJson(const RunRow &row) {
  return {{"expression", row.name},
          {"size", row.size},
          {"side", row.side},
          {"threads", row.threads},
          {"elements", row.elements},
          {"bytes", row.bytes},
          {"operations", row.operations},
          {"seconds", row.seconds},
          {"ns_per_element", row.perElement() * 1e9},
          {"triad", row.triad},
          {"level", row.level},
          {"limit_memory", row.limit.memory},
          {"limit_compute", row.limit.compute},
          {"of_limit", row.ofLimit()}};
}

static json latencyJson(const LatencyRow &row) {
  json object = row.seconds;
  object["expression"] = row.name;
  for (const auto &[stage, seconds] : row.stages)
    object["stages"][stage] = seconds;
  return object;
}

json tools::toJson(const Findings &findings) {
  json object = {{"machine", findings.machine},
                 {"date", findings.date},
                 {"tolerance", peerTolerance}};
  object["peers"] = json::object();
  for (const auto &[name, version] : findings.peers)
    object["peers"][name] = version;
  object["expressions"] = json::object();
  for (const auto &[name, text] : findings.expressions)
    object["expressions"][name] = text;
  for (const char *list : {"limits", "runs", "latencies"})
    object[list] = json::array();
  for (const Limits &limits : findings.limits)
    object["limits"].push_back(limitsJson(limits));
  for (const RunRow &row : findings.runs)
    object["runs"].push_back(runJson(row));
  for (const LatencyRow &row : findings.latencies)
    object["latencies"].push_back(latencyJson(row));
  return object;
}

std::string tools::renderPage(const Findings &findings) {
  json data = toJson(findings);
  for (const char *list : {"sides", "caches", "tables"})
    data[list] = json::array();
  for (const std::string &side : findings.sides())
    data["sides"].push_back({{"name", side}, {"title", titleOf(side)}});
  for (const Cache &cache : dataCaches())
    data["caches"].push_back({{"name", cache.name}, {"bytes", cache.bytes}});
  for (const Section &section : {limitSection, throughputSection, peerSection,
                                 stageSection, latencySection})
    data["tables"].push_back(
        {{"title", section.title}, {"rows", section.make(findings).cells()}});
  return fillPage(reportPage, data);
}

static Expected<json> readObject(const std::string &path) {
  const auto text = readFile(path);
  if (!text)
    return text.error();
  json object = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return Error(ErrorCode::Io, concat("'", path, "' is not a JSON object"));
  return object;
}

Status tools::addToFile(const std::string &path, const Findings &findings) {
  auto object = readObject(path);
  if (!object)
    return object.error();
  (*object)["kexpr"] = toJson(findings);
  return writeFile(path, jsonText(*object, 2) + '\n');
}

/// Adds a row that another program measured; false where it is no row.
static bool addPeer(const json &row, Findings &findings) {
  const auto has = [&row](const char *key, bool (json::*is)() const) {
    return row.contains(key) && (row[key].*is)();
  };
  if (!row.is_object() || !has("peer", &json::is_string) ||
      !has("expression", &json::is_string) ||
      !has("elements", &json::is_number) || !has("threads", &json::is_number) ||
      !has("seconds", &json::is_number) || !(row["seconds"].get<double>() > 0))
    return false;
  const std::string size = std::to_string(row["elements"].get<std::int64_t>());
  for (const auto &[name, text] : findings.expressions) {
    if (text != row["expression"].get<std::string>())
      continue;
    if (const auto *fused =
            findings.find(name, size, "fused", row["threads"])) {
      RunRow peer = *fused;
      peer.side = row["peer"];
      peer.seconds = row["seconds"];
      findings.runs.push_back(std::move(peer));
    }
  }
  return true;
}

Status tools::addPeers(const std::string &path, Findings &findings) {
  auto object = readObject(path);
  if (!object)
    return object.error();
  const Error unfit(ErrorCode::Io,
                    concat("'", path, "' is not a list of peers"));
  const json &peers = (*object)["peers"], &rows = (*object)["rows"];
  if (!peers.is_object() || !rows.is_array())
    return unfit;
  for (const auto &[name, version] : peers.items()) {
    if (!version.is_string())
      return unfit;
    findings.peers.emplace_back(name, version.get<std::string>());
  }
  for (const json &row : rows)
    if (!addPeer(row, findings))
      return unfit;
  return {};
}
