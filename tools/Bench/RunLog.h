//===- Bench/RunLog.h - Benchmark results, kept for a table -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_RUNLOG_H
#define KEXPR_TOOLS_BENCH_RUNLOG_H

#include <benchmark/benchmark.h>

#include <map>
#include <string>

namespace kexpr::tools {

/// A reporter that keeps every result under the name its benchmark was
/// registered by: the median where there are repetitions.
class RunLog : public benchmark::ConsoleReporter {
public:
  /// Without `verbose`, results are not printed one by one; a terminal on
  /// stderr shows the name of the latest.
  explicit RunLog(bool verbose)
      : ConsoleReporter(OO_Tabular), verbose(verbose) {}

  struct Result {
    /// Of one iteration.
    double seconds = 0;
    std::map<std::string, double> counters;
    std::string error;
  };

  /// The result of that benchmark; null if it did not run or failed.
  const Result *find(const std::string &name) const;
  /// Whether a benchmark with this in its name has a result.
  bool contains(const std::string &part) const;
  /// Whether any benchmark reported an error.
  bool failed() const { return anyFailed; }

  bool ReportContext(const Context &context) override;
  void ReportRuns(const std::vector<Run> &runs) override;
  void Finalize() override;

private:
  void keep(const Run &run);

  bool verbose;
  bool anyFailed = false;
  std::size_t reported = 0;
  std::map<std::string, Result> results;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_RUNLOG_H
