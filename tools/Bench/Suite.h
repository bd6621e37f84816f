//===- Bench/Suite.h - What all benchmark programs share -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_SUITE_H
#define KEXPR_TOOLS_BENCH_SUITE_H

#include "Bench/Workload.h"
#include "kexpr/Engine.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kexpr::tools {

/// The processor's name as the system tells it; "unknown" if it does not.
std::string processorName();

/// Hardware threads, at least 1.
unsigned hardwareThreads();

/// One line: processor, LLVM's name of it, vector width, LLVM, threads.
std::string describeMachine(const Engine &engine);

/// Adds the same, item by item, to Google Benchmark's context.
void addMachineContext(const Engine &engine);

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

/// Moves the arguments that start with `--benchmark_` out of a command line.
std::vector<std::string> takeBenchmarkArguments(int &argc, char **argv);

/// Starts Google Benchmark. The user's options override the defaults.
void initializeSuite(const std::vector<std::string> &defaults,
                     const std::vector<std::string> &user);

/// The main of a program that has no options of its own: describes the machine,
/// runs what is registered, prints every result and then calls `summarize`.
/// The exit code is 1 if a benchmark failed, 2 for an unknown argument.
int runSuite(int argc, char **argv, const Engine &engine,
             const std::vector<std::string> &defaults,
             const std::function<void(const RunLog &)> &summarize = {});

/// Whether a benchmark can go on; reports the error if not.
bool succeeded(benchmark::State &state, const Status &status);

/// Prepares a workload, which verifies it, and runs it in the timing loop;
/// counts elements and bytes, and `time_per_element`.
void timeWorkload(benchmark::State &state, const Engine &engine, Pool &pool,
                  Workload &work, const RunOptions &options);
/// The same for a call that is checked once, before the time is taken.
void timeBound(benchmark::State &state, const Engine &engine, Pool &pool,
               Workload &work, const RunOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_SUITE_H
