//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Tables.h"

#include <algorithm>
#include <ostream>

using namespace kexpr;
using namespace kexpr::tools;

static std::string cell(std::optional<double> seconds, double scale,
                        int digits) {
  return seconds ? number(*seconds * scale, digits) : "";
}

static std::string percent(double part) {
  return part > 0 ? number(100 * part, 0) + " %" : "";
}

/// Zero is not measured.
static std::string gigabytes(double speed) {
  return speed > 0 ? number(speed * 1e-9, 1) : "";
}

Table tools::stageTable(const Findings &findings) {
  Table table(
      {"expression", "parse", "plan", "emit", "codegen", "link", "total"});
  for (const LatencyRow &row : findings.latencies) {
    std::vector<std::string> cells = {row.name};
    for (const auto &stage : row.stages)
      cells.push_back(number(stage.second * 1e3, 3));
    cells.resize(6);
    cells.push_back(cell(row.compile, 1e3, 3));
    table.add(std::move(cells));
  }
  return table;
}

Table tools::latencyTable(const Findings &findings) {
  Table table({"expression", "first result us", "baseline us", "disk us",
               "memory ns", "call ns"});
  for (const LatencyRow &row : findings.latencies)
    table.add({row.name, cell(row.first, 1e6, 1), cell(row.baseline, 1e6, 1),
               cell(row.disk, 1e6, 1), cell(row.memory, 1e9, 1),
               cell(row.call, 1e9, 1)});
  return table;
}

/// What keeps a kernel from being faster.
static std::string boundBy(const RunRow &row) {
  if (row.limit.seconds() == 0)
    return "";
  return row.limit.compute > row.limit.memory ? "compute" : row.level;
}

Table tools::throughputTable(const Findings &findings) {
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

Table tools::peerTable(const Findings &findings) {
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

Table tools::limitTable(const Findings &findings) {
  Table table({"level", "threads", "KiB", "read", "copy", "triad", "copy nt",
               "triad nt"});
  for (const Limits &limits : findings.limits) {
    for (const auto &[name, footprint, speeds] : limits.levels)
      table.add({name, std::to_string(limits.threads),
                 std::to_string(footprint >> 10), gigabytes(speeds.read),
                 gigabytes(speeds.copy), gigabytes(speeds.triad),
                 gigabytes(speeds.copyPast), gigabytes(speeds.triadPast)});
    table.add({"GFMA/s", std::to_string(limits.threads), "",
               gigabytes(limits.fmaPerSecond)});
  }
  return table;
}

static void printSection(std::ostream &out, const char *text,
                         const Table &table) {
  if (table.cells().size() < 2)
    return;
  out << '\n' << text << "\n\n";
  table.print(out);
}

void tools::printTables(std::ostream &out, const Findings &findings) {
  for (const auto &[name, expression] : findings.expressions)
    out << name << "  " << expression << '\n';
  printSection(out, "Compile time by stage, in ms:", stageTable(findings));
  printSection(
      out,
      "A new expression to its first result over 4096 elements, and to "
      "baseline code; a\nkernel found on disk and in memory; a call over "
      "16 elements:",
      latencyTable(findings));
  printSection(
      out,
      "Limits of this machine: GB/s of passes over memory (nt: stored past "
      "the caches),\nbillions of f32 multiply-adds a second:",
      limitTable(findings));
  printSection(
      out,
      "One fused loop; bytes are those of operands and outputs, the triad "
      "has the same\nfootprint, the limit is what its cache level or its "
      "operations allow, and op by\nop allocates a tensor for every "
      "operator:",
      throughputTable(findings));
  printSection(
      out,
      "All sides, in ns an element; the best peer's time over the fused "
      "kernel's:",
      peerTable(findings));
  for (const auto &[name, version] : findings.peers)
    out << '\n' << name << ": " << version;
  out << (findings.peers.empty() ? "" : "\n");
}
