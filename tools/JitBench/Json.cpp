//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Json.h"

#include "Bench/Caches.h"
#include "Bench/Peers.h"
#include "Common/Files.h"
#include "JitBench/Tables.h"
#include "Page/Page.h"
#include "Support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;
using nlohmann::json;

static json levelJson(const Limits::Level &level) {
  return {{"name", level.name},
          {"footprint", level.footprint},
          {"read", level.speeds.read},
          {"copy", level.speeds.copy},
          {"triad", level.speeds.triad},
          {"copy_non_temporal", level.speeds.copyPast},
          {"triad_non_temporal", level.speeds.triadPast}};
}

static json limitsJson(const Limits &limits) {
  json levels = json::array();
  for (const Limits::Level &level : limits.levels)
    levels.push_back(levelJson(level));
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
  json object = {{"expression", row.name}};
  for (const auto &[stage, seconds] : row.stages)
    object["stages"][stage] = seconds;
  const auto add = [&object](const char *name, std::optional<double> value) {
    if (value)
      object[name] = *value;
  };
  add("compile", row.compile);
  add("first", row.first);
  add("baseline", row.baseline);
  add("disk", row.disk);
  add("memory", row.memory);
  add("call", row.call);
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
  const auto add = [&data](const char *title, const Table &table) {
    data["tables"].push_back({{"title", title}, {"rows", table.cells()}});
  };
  add("Bandwidth in GB/s (nt: stored past the caches) and multiply-adds",
      limitTable(findings));
  add("The fused kernel", throughputTable(findings));
  add("All sides, ns per element", peerTable(findings));
  add("Compile time by stage, ms", stageTable(findings));
  add("Ways to a kernel, and a call of 16 elements", latencyTable(findings));
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

namespace {
struct PeerRow {
  std::string peer, expression;
  std::int64_t elements = 0;
  unsigned threads = 0;
  double seconds = 0;
};
} // namespace

static std::optional<PeerRow> peerRow(const json &row) {
  const auto has = [&row](const char *key, bool isText) {
    return row.contains(key) &&
           (isText ? row[key].is_string() : row[key].is_number());
  };
  if (!row.is_object() || !has("peer", true) || !has("expression", true) ||
      !has("elements", false) || !has("threads", false) ||
      !has("seconds", false) || !(row["seconds"].get<double>() > 0))
    return {};
  return PeerRow{row["peer"], row["expression"], row["elements"],
                 row["threads"], row["seconds"]};
}

static void addPeer(const PeerRow &peer, Findings &findings) {
  const std::string size = std::to_string(peer.elements);
  for (const auto &[name, text] : findings.expressions) {
    if (text != peer.expression)
      continue;
    if (const auto *fused = findings.find(name, size, "fused", peer.threads)) {
      RunRow row = *fused;
      row.side = peer.peer;
      row.seconds = peer.seconds;
      findings.runs.push_back(std::move(row));
    }
  }
}

Status tools::addPeers(const std::string &path, Findings &findings) {
  auto object = readObject(path);
  if (!object)
    return object.error();
  const Error unfit(ErrorCode::Io,
                    concat("'", path, "' is not a list of peers"));
  if (!object->contains("peers") || !(*object)["peers"].is_object() ||
      !object->contains("rows") || !(*object)["rows"].is_array())
    return unfit;
  for (const auto &[name, version] : (*object)["peers"].items()) {
    if (!version.is_string())
      return unfit;
    findings.peers.emplace_back(name, version.get<std::string>());
  }
  for (const json &entry : (*object)["rows"]) {
    const auto row = peerRow(entry);
    if (!row)
      return unfit;
    addPeer(*row, findings);
  }
  return {};
}
