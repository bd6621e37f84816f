//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"

#include "Support/Text.h"
#include "kexpr/Version.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

std::string tools::processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos)
        return line.substr(colon + 2);
  return "unknown";
}

unsigned tools::hardwareThreads() {
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string tools::describeMachine(const Engine &engine) {
  return concat(processorName(), " (", engine.targetCpu(), "), ",
                engine.vectorBits(),
                "-bit vectors, LLVM " KEXPR_LLVM_VERSION ", ",
                hardwareThreads(), " hardware threads, kexpr " KEXPR_VERSION);
}

void tools::addMachineContext(const Engine &engine) {
  const std::pair<const char *, std::string> items[] = {
      {"processor", processorName()},
      {"target_cpu", std::string(engine.targetCpu())},
      {"vector_bits", std::to_string(engine.vectorBits())},
      {"llvm_version", KEXPR_LLVM_VERSION},
      {"hardware_threads", std::to_string(hardwareThreads())},
      {"kexpr_version", KEXPR_VERSION}};
  for (const auto &[name, value] : items)
    benchmark::AddCustomContext(name, value);
}

/// The escape sequence that erases the line of progress; empty where stderr is
/// no terminal.
static const char *eraseLine() {
  static const bool isTerminal = isatty(STDERR_FILENO);
  return isTerminal ? "\r\x1b[K" : "";
}

const RunLog::Result *RunLog::find(const std::string &name) const {
  const auto entry = results.find(name);
  return entry == results.end() ? nullptr : &entry->second;
}

bool RunLog::contains(const std::string &part) const {
  return std::ranges::any_of(results, [&part](const auto &result) {
    return result.first.find(part) != part.npos;
  });
}

bool RunLog::ReportContext(const Context &context) {
  return !verbose || ConsoleReporter::ReportContext(context);
}

/// Why a run has no result, under the names of Google Benchmark before 1.8 and
/// from it on.
template <class Run> static std::optional<std::string> faultOf(const Run &run) {
  if constexpr (requires { run.error_occurred; })
    return run.error_occurred ? std::optional(run.error_message) : std::nullopt;
  else
    return run.skipped == decltype(run.skipped){}
               ? std::nullopt
               : std::optional(run.skip_message);
}

void RunLog::keep(const Run &run) {
  const bool isAggregate = run.run_type == Run::RT_Aggregate;
  if (isAggregate && run.aggregate_name != "median")
    return;
  const std::string &name = run.run_name.function_name;
  if (const auto fault = faultOf(run)) {
    anyFailed = true;
    results.erase(name);
    if (!verbose)
      std::cerr << eraseLine() << "error: " << name << ": " << *fault << '\n';
    return;
  }
  Result &result = results[name];
  result.seconds = run.GetAdjustedRealTime() /
                   benchmark::GetTimeUnitMultiplier(run.time_unit);
  for (const auto &[name, counter] : run.counters)
    result.counters[name] = counter.value;
}

void RunLog::ReportRuns(const std::vector<Run> &runs) {
  for (const Run &run : runs)
    keep(run);
  if (verbose)
    ConsoleReporter::ReportRuns(runs);
  ++reported;
  if (*eraseLine() && !runs.empty())
    std::cerr << eraseLine() << reported << " "
              << runs.back().run_name.function_name << std::flush;
}

void RunLog::Finalize() { std::cerr << eraseLine() << std::flush; }

std::vector<std::string> tools::takeBenchmarkArguments(int &argc, char **argv) {
  std::vector<std::string> taken;
  int kept = 1;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("--benchmark_"))
      taken.emplace_back(argv[i]);
    else
      argv[kept++] = argv[i];
  argc = kept;
  return taken;
}

void tools::initializeSuite(const std::vector<std::string> &defaults,
                            const std::vector<std::string> &user) {
  // Static: the library keeps a pointer to the first word.
  static std::vector<std::string> words;
  words = {"benchmark"};
  words.insert(words.end(), defaults.begin(), defaults.end());
  words.insert(words.end(), user.begin(), user.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
}

int tools::runSuite(int argc, char **argv, const Engine &engine,
                    const std::vector<std::string> &defaults,
                    const std::function<void(const RunLog &)> &summarize) {
  const auto user = takeBenchmarkArguments(argc, argv);
  if (argc > 1) {
    std::cerr << argv[0] << ": unknown argument '" << argv[1]
              << "'; all options start with --benchmark_\n";
    return 2;
  }
  initializeSuite(defaults, user);
  addMachineContext(engine);
  RunLog log(/*verbose=*/true);
  benchmark::RunSpecifiedBenchmarks(&log);
  if (summarize)
    summarize(log);
  return log.failed() ? 1 : 0;
}

bool tools::succeeded(benchmark::State &state, const Status &status) {
  if (status)
    return true;
  const std::string message = status.error().hasRange()
                                  ? status.error().render()
                                  : status.error().message();
  state.SkipWithError(message.c_str());
  return false;
}

static void countWork(benchmark::State &state, const Workload &work) {
  state.SetItemsProcessed(state.iterations() * work.elements());
  state.SetBytesProcessed(state.iterations() * work.bytes());
  state.counters["time_per_element"] =
      benchmark::Counter(static_cast<double>(work.elements()),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void tools::timeBound(benchmark::State &state, const Engine &engine, Pool &pool,
                      Workload &work, const RunOptions &options) {
  if (!succeeded(state, work.prepare(engine, pool, options)))
    return;
  auto bound = work.bind(options);
  if (!succeeded(state, bound ? Status() : bound.error()))
    return;
  for (auto _ : state) {
    if (!bound->run())
      return state.SkipWithError("a bound call failed");
    benchmark::ClobberMemory();
  }
  countWork(state, work);
}

void tools::timeWorkload(benchmark::State &state, const Engine &engine,
                         Pool &pool, Workload &work,
                         const RunOptions &options) {
  if (!succeeded(state, work.prepare(engine, pool, options)))
    return;
  for (auto _ : state)
    if (!succeeded(state, work.run(options)))
      return;
  countWork(state, work);
}
