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
#include "Bench/Suite.h"
#include "Common/CommandLine.h"
#include "Common/Files.h"
#include "JitBench/Report.h"
#include "kexpr/Infix.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <optional>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::string expression;
  std::string file;
  std::string json;
  std::string report;
  std::string peers;
  std::optional<Syntax> syntax;
  bool baseline = false;
  bool quick = false;
  bool verbose = false;
  BenchOptions bench;
};
} // namespace

static constexpr const char *footer = R"(
Without --expr and --expr-file, seven expressions from a residual add to
sines and cosines are measured. Every result is held against the interpreter's,
bit for bit, before it is timed, and so are the rivals, within 1e-6 of 1 + |x|
where they round elsewhere: one operator at a time; for the seven, plain C++
with inlined polynomials (cpp), the same with stores past the caches (cpp-nt)
and Eigen, on one thread.

An expression file has one line an expression, between tabs: name, expression,
and the operands' shapes as 8x256x56x56;256x1x1 (without shapes, --sizes are
used). Lines that start with # are comments.

The JSON is Google Benchmark's with one more object, "kexpr": machine, limits
(bandwidths by cache level in bytes a second, multiply-adds a second), runs
(each side, size and number of threads, with its limit in seconds), latencies.
The report is one page of HTML that needs nothing else.

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
  addSyntax(app, options.syntax);
  app.add_option("--sizes", options.bench.sizes,
                 "elements; 1000,32000,1000000 by default, and 64000000 where "
                 "memory suffices")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 34))
      ->type_name("N,...");
  app.add_option("--threads", options.bench.threads,
                 "1 and all by default, and large sizes with some in between")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("N,...");
  addPrecision(app, options.bench.precision);
  app.add_option("--json", options.json, "write all results to a file")
      ->type_name("FILE");
  app.add_option("--report", options.report, "write a page of plots and tables")
      ->type_name("FILE.html");
  app.add_option("--peers", options.peers,
                 "add what utils/expression_peers.py measured")
      ->type_name("FILE.json");
  app.add_flag("--baseline", options.baseline,
               "compile times of LLVM's fastest code generator");
  app.add_flag("--quick", options.quick, "small sizes, short runs");
  app.add_flag("--verbose", options.verbose,
               "print each result as Google Benchmark does");
  app.footer(footer);
}

/// What the system could give without swapping; 0 if it does not say.
static std::int64_t availableBytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (std::int64_t kibibytes = 0;
        word == "MemAvailable:" && file >> kibibytes)
      return kibibytes << 10;
  return 0;
}

/// Defaults that suit this machine.
static void chooseSizes(BenchOptions &bench, bool quick) {
  if (bench.sizes.empty()) {
    bench.sizes = {1000, 32000, 1000000};
    // Six operands, an output, the interpreter's, and an expression's
    // intermediate results where operators run one at a time.
    constexpr std::int64_t large = 64000000, tensors = 16;
    if (!quick && availableBytes() > large * 4 * tensors)
      bench.sizes.push_back(large);
  }
  if (!bench.threads.empty())
    return;
  bench.threads = {1};
  const unsigned all = hardwareThreads();
  for (unsigned threads = 2; threads < all; threads *= 2)
    bench.moreThreads.push_back(threads);
  if (all > 1)
    bench.threads.push_back(all);
}

/// Infix text as the expression that it is for operands of f32.
static std::string lowered(const std::string &text) {
  const InfixProgram program = orExit(InfixProgram::parse(text));
  return std::string(orExit(program.lower()).text());
}

/// The expressions that were named, each of which can be compiled: time is not
/// to be spent on others first.
static std::vector<BenchCase> casesOf(const Options &options,
                                      const Engine &engine) {
  std::vector<BenchCase> cases = workset();
  if (!options.file.empty())
    cases = orExit(readExpressionFile(options.file));
  else if (!options.expression.empty())
    cases = {{"expr", expressionText(options.expression), {}}};
  const bool isNamed = !options.file.empty() || !options.expression.empty();
  if (isNamed && options.syntax == Syntax::Infix)
    for (BenchCase &bench : cases)
      bench.expression = lowered(bench.expression);
  for (const BenchCase &bench : cases)
    orExit(engine.compile(bench.expression, {.mode = Mode::Interpret}));
  return cases;
}

/// Files are tried before minutes are spent on what goes into them.
static void checkFiles(const Options &options) {
  for (const std::string &path : {options.json, options.report})
    if (!path.empty())
      orExit(checkWritable(path));
  Findings nothing;
  if (!options.peers.empty())
    orExit(addPeers(options.peers, nothing));
}

/// What Google Benchmark gets unless the user says otherwise.
static std::vector<std::string> defaultsOf(const Options &options) {
  std::vector<std::string> words = {options.quick ? "--benchmark_min_time=0.02"
                                                  : "--benchmark_min_time=0.1"};
  if (!options.json.empty())
    words.insert(words.end(), {"--benchmark_out=" + options.json,
                               "--benchmark_out_format=json"});
  return words;
}

static int measure(Options &options, const std::vector<std::string> &passed) {
  const Engine engine;
  BenchOptions &bench = options.bench;
  bench.cases = casesOf(options, engine);
  bench.mode = options.baseline ? Mode::Baseline : Mode::Optimized;
  chooseSizes(bench, options.quick);
  checkFiles(options);
  initializeSuite(defaultsOf(options), passed);
  registerCases(engine, bench);
  addMachineContext(engine);
  std::cout << describeMachine(engine) << "\n\n" << std::flush;
  RunLog log(options.verbose);
  benchmark::RunSpecifiedBenchmarks(&log);
  // Limits cost seconds and are of use where throughput is measured.
  Findings findings =
      collect(log, bench, engine,
              log.contains("/fused/") ? measureAllLimits(bench, options.quick)
                                      : std::vector<Limits>());
  if (!options.peers.empty())
    orExit(addPeers(options.peers, findings));
  printTables(std::cout, findings);
  if (!options.json.empty())
    orExit(addToFile(options.json, findings));
  if (!options.report.empty())
    orExit(writeFile(options.report, renderPage(findings)));
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
