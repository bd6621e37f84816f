//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/RunLog.h"

#include <iostream>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

static bool showsProgress() {
  static const bool isTerminal = isatty(STDERR_FILENO);
  return isTerminal;
}

const RunLog::Result *RunLog::find(const std::string &name) const {
  const auto entry = results.find(name);
  if (entry == results.end() || !entry->second.error.empty())
    return nullptr;
  return &entry->second;
}

bool RunLog::contains(const std::string &part) const {
  for (const auto &[name, result] : results)
    if (result.error.empty() && name.find(part) != name.npos)
      return true;
  return false;
}

bool RunLog::ReportContext(const Context &context) {
  return !verbose || ConsoleReporter::ReportContext(context);
}

void RunLog::keep(const Run &run) {
  const bool isAggregate = run.run_type == Run::RT_Aggregate;
  if (isAggregate && run.aggregate_name != "median")
    return;
  anyFailed |= run.error_occurred;
  if (run.error_occurred && !verbose)
    std::cerr << (showsProgress() ? "\r\x1b[K" : "")
              << "error: " << run.run_name.function_name << ": "
              << run.error_message << '\n';
  Result &result = results[run.run_name.function_name];
  result.seconds = run.GetAdjustedRealTime() /
                   benchmark::GetTimeUnitMultiplier(run.time_unit);
  result.error = run.error_occurred ? run.error_message : "";
  for (const auto &[name, counter] : run.counters)
    result.counters[name] = counter.value;
}

void RunLog::ReportRuns(const std::vector<Run> &runs) {
  for (const Run &run : runs)
    keep(run);
  if (verbose)
    ConsoleReporter::ReportRuns(runs);
  ++reported;
  if (showsProgress() && !runs.empty())
    std::cerr << "\r\x1b[K" << reported << " "
              << runs.back().run_name.function_name << std::flush;
}

void RunLog::Finalize() {
  if (showsProgress())
    std::cerr << "\r\x1b[K" << std::flush;
}
