//===- JitBench/Findings.h - What a run of kexpr-jit-bench found ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_FINDINGS_H
#define KEXPR_TOOLS_JITBENCH_FINDINGS_H

#include "Bench/Limits.h"
#include "Bench/Suite.h"
#include "JitBench/Cases.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kexpr::tools {

/// One side at one size on one number of threads.
struct RunRow {
  std::string name = {}; ///< Of the expression.
  std::string size = {}; ///< Elements, or the shape of the largest operand.
  std::string side = {}; ///< "fused", "op-by-op", "cpp", "pytorch"...
  unsigned threads = 1;
  double elements = 0;
  double bytes = 0;      ///< Of operands and outputs.
  double operations = 0; ///< As `Kernel::operationsPerElement` counts them.
  double seconds = 0;
  double triad = 0; ///< Bytes a second at this footprint; 0 if not measured.
  std::string level = {}; ///< Where operands and outputs live.
  KernelLimit limit = {}; ///< Zeros where limits were not measured.

  double perElement() const { return seconds / elements; }
  /// The part of the limit that was reached; 0 if there is none.
  double ofLimit() const { return limit.seconds() / seconds; }
};

/// Seconds from an expression to a kernel, and of a small call.
struct LatencyRow {
  std::string name = {};
  /// Of compiling, by its stages.
  std::vector<std::pair<std::string, double>> stages = {};
  /// By the keys of `latencyNames`; absent where filtered out.
  std::map<std::string, double> seconds = {};
};

/// All that the tables, the JSON and the page show.
struct Findings {
  std::string machine = {}; ///< One line.
  std::string date;         ///< Local time as 2026-01-31 12:00.
  /// Name, and what it was compiled by or which version it is.
  std::vector<std::pair<std::string, std::string>> peers = {};
  std::vector<std::pair<std::string, std::string>> expressions = {};
  std::vector<Limits> limits = {};
  std::vector<RunRow> runs = {};
  std::vector<LatencyRow> latencies = {};

  /// Null if there is none.
  const RunRow *find(const std::string &name, const std::string &size,
                     const std::string &side, unsigned threads) const;
  /// The sides that have a row: ours, then the compiled peers, then others.
  std::vector<std::string> sides() const;
};

/// The title of a side on the page: "kexpr" for "fused".
std::string titleOf(const std::string &side);

/// The results that the log has for these options, and their limits.
Findings collect(const RunLog &log, const BenchOptions &options,
                 const Engine &engine, std::vector<Limits> limits);

/// Limits for one thread and for all that are measured; those of more threads
/// are at least those of fewer, as threads may idle.
std::vector<Limits> measureAllLimits(const BenchOptions &options, bool quick);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_FINDINGS_H
