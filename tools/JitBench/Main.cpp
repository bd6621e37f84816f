//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-jit-bench: measures compiling, calling and running expressions.
//
//===----------------------------------------------------------------------===//
#include "Bench/Machine.h"
#include "Bench/Suite.h"
#include "Common/CommandLine.h"
#include "JitBench/Report.h"

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::string expression;
  std::string file;
  std::vector<std::int64_t> sizes;
  std::vector<unsigned> threads;
  std::string json;
  bool baseline = false;
  bool quick = false;
  bool verbose = false;
};
} // namespace

static constexpr const char *footer = R"(
Without --expr and --expr-file, seven expressions from a residual add to
sines and cosines are measured. Every result is held against the interpreter's,
bit for bit, before it is timed.

An expression file has one line an expression, between tabs: name, expression,
and the operands' shapes as 8x256x56x56;256x1x1 (without shapes, --sizes are
used). Lines that start with # are comments.

Options that start with --benchmark_ go to Google Benchmark, such as
--benchmark_filter=E1 and --benchmark_repetitions=5.

Exit status: 0 success; 1 a bad expression, file or result; 2 bad usage.)";

static void addOptions(CLI::App &app, Options &options) {
  auto *expression = app.add_option("--expr", options.expression,
                                    "one expression; '-' reads stdin")
                         ->type_name("EXPR");
  app.add_option("--expr-file", options.file, "many expressions; see below")
      ->type_name("FILE")
      ->excludes(expression);
  app.add_option("--sizes", options.sizes,
                 "elements; 1000,32000,1000000,16000000 by default")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 34))
      ->type_name("N,...");
  app.add_option("--threads", options.threads, "1 and all by default")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("N,...");
  app.add_option("--json", options.json, "write all results to a file")
      ->type_name("FILE");
  app.add_flag("--baseline", options.baseline,
               "compile times of LLVM's fastest code generator");
  app.add_flag("--quick", options.quick, "small sizes, short runs");
  app.add_flag("--verbose", options.verbose,
               "print each result as Google Benchmark does");
  app.footer(footer);
}

static Expected<std::vector<BenchCase>> casesOf(const Options &options) {
  if (!options.file.empty())
    return readExpressionFile(options.file);
  if (!options.expression.empty())
    return std::vector<BenchCase>{
        {"expr", expressionText(options.expression), {}}};
  return workset();
}

/// Refuses what cannot be compiled before time is spent on the rest.
static Status check(const Engine &engine, const std::vector<BenchCase> &cases) {
  for (const BenchCase &bench : cases)
    if (auto kernel =
            engine.compile(bench.expression, {.mode = Mode::Interpret});
        !kernel)
      return kernel.error();
  return {};
}

/// What Google Benchmark is told unless the user says otherwise.
static std::vector<std::string> defaultsOf(const Options &options) {
  std::vector<std::string> words = {options.quick ? "--benchmark_min_time=0.02"
                                                  : "--benchmark_min_time=0.1"};
  if (!options.json.empty()) {
    words.push_back("--benchmark_out=" + options.json);
    words.push_back("--benchmark_out_format=json");
  }
  return words;
}

static BenchOptions benchOptions(const Options &options,
                                 std::vector<BenchCase> cases) {
  BenchOptions bench{std::move(cases), options.sizes, options.threads,
                     options.baseline ? Mode::Baseline : Mode::Optimized};
  if (bench.sizes.empty())
    bench.sizes = {1000, 32000, 1000000};
  if (options.sizes.empty() && !options.quick)
    bench.sizes.push_back(16000000);
  if (bench.threads.empty() && hardwareThreads() > 1)
    bench.threads = {1, hardwareThreads()};
  else if (bench.threads.empty())
    bench.threads = {1};
  return bench;
}

static int measure(const Options &options,
                   const std::vector<std::string> &passed) {
  const Engine engine;
  auto cases = casesOf(options);
  if (!cases)
    return report(cases.error());
  if (auto status = check(engine, *cases); !status)
    return report(status.error());
  initializeSuite(defaultsOf(options), passed);
  const BenchOptions bench = benchOptions(options, std::move(*cases));
  registerCases(engine, bench);
  addMachineContext(engine);
  std::cout << describeMachine(engine) << "\n\n" << std::flush;
  RunLog log(options.verbose);
  benchmark::RunSpecifiedBenchmarks(&log);
  printReport(std::cout, log, bench);
  return log.failed() ? exitFault : 0;
}

int main(int argc, char **argv) {
  CLI::App app("Measures compiling, calling and running expressions.",
               "kexpr-jit-bench");
  Options options;
  addOptions(app, options);
  const auto passed = takeBenchmarkArguments(argc, argv);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  return measure(options, passed);
}
