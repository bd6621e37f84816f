//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Report.h"

#include "Bench/Table.h"

#include <ostream>

using namespace kexpr;
using namespace kexpr::tools;

static Table stageTable(const RunLog &log, const BenchOptions &options) {
  Table table(
      {"expression", "parse", "plan", "emit", "codegen", "link", "total"});
  for (const BenchCase &bench : options.cases) {
    std::vector<std::string> row = {bench.name};
    const auto *compile = log.find(compileName(bench));
    for (const char *stage : {"parse", "plan", "emit", "codegen", "link"})
      row.push_back(compile ? number(compile->counters.at(stage) * 1e3, 3)
                            : "");
    row.push_back(compile ? number(compile->seconds * 1e3, 3) : "");
    table.add(std::move(row));
  }
  return table;
}

static Table latencyTable(const RunLog &log, const BenchOptions &options) {
  Table table({"expression", "first result us", "baseline us", "disk us",
               "memory ns", "call ns"});
  const auto cell = [&log](const std::string &name, double scale) {
    const auto *result = log.find(name);
    return result ? number(result->seconds * scale, 1) : std::string();
  };
  for (const BenchCase &bench : options.cases)
    table.add({bench.name, cell(latencyName(bench, "first"), 1e6),
               cell(latencyName(bench, "baseline"), 1e6),
               cell(latencyName(bench, "disk"), 1e6),
               cell(latencyName(bench, "memory"), 1e9),
               cell(callName(bench), 1e9)});
  return table;
}

static std::vector<std::string> throughputRow(const RunLog::Result *fused,
                                              const RunLog::Result *opByOp) {
  if (!fused)
    return {"", "", "", ""};
  const double bytes = fused->counters.at("bytes");
  const double triad = fused->counters.at("triad");
  return {number(fused->seconds * 1e9 / fused->counters.at("elements"), 3),
          number(bytes / fused->seconds * 1e-9, 1),
          triad > 0 ? number(100 * bytes / fused->seconds / triad, 0) + " %"
                    : "",
          opByOp ? number(opByOp->seconds / fused->seconds, 2) + " x" : ""};
}

static Table throughputTable(const RunLog &log, const BenchOptions &options) {
  Table table({"expression", "elements", "threads", "ns/element", "GB/s",
               "of triad", "vs op by op"});
  for (const BenchCase &bench : options.cases)
    for (const Point &point : pointsOf(bench, options))
      for (unsigned threads : options.threads) {
        std::vector<std::string> row = {bench.name, point.label,
                                        std::to_string(threads)};
        for (std::string &cell :
             throughputRow(log.find(fusedName(bench, point, threads)),
                           log.find(opByOpName(bench, point, threads))))
          row.push_back(std::move(cell));
        table.add(std::move(row));
      }
  return table;
}

void tools::printReport(std::ostream &out, const RunLog &log,
                        const BenchOptions &options) {
  for (const BenchCase &bench : options.cases)
    out << bench.name << "  " << bench.expression << '\n';
  out << "\nCompile time by stage, in ms:\n\n";
  stageTable(log, options).print(out);
  out << "\nA new expression to its first result over 4096 elements, and to "
         "baseline code; a\nkernel found on disk and in memory; a call over 16 "
         "elements:\n\n";
  latencyTable(log, options).print(out);
  out << "\nOne fused loop; bytes are those of operands and outputs, the triad "
         "has the same\nfootprint, and op by op allocates a tensor for every "
         "operator:\n\n";
  throughputTable(log, options).print(out);
}
