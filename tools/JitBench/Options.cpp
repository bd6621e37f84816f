//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Options.h"

#include "Bench/Machine.h"

#include <CLI/CLI.hpp>

#include <fstream>

using namespace kexpr;
using namespace kexpr::tools;

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

static void addOutputs(CLI::App &app, Options &options) {
  app.add_option("--json", options.json, "write all results to a file")
      ->type_name("FILE");
  app.add_option("--report", options.report, "write a page of plots and tables")
      ->type_name("FILE.html");
  app.add_option("--peers", options.peers,
                 "add what utils/expression_peers.py measured")
      ->type_name("FILE.json");
}

void tools::addOptions(CLI::App &app, Options &options) {
  auto *expression = app.add_option("--expr", options.expression,
                                    "one expression; '-' reads stdin")
                         ->type_name("EXPR");
  app.add_option("--expr-file", options.file, "many expressions; see below")
      ->type_name("FILE")
      ->excludes(expression);
  app.add_option("--sizes", options.sizes,
                 "elements; 1000,32000,1000000 by default, and 64000000 where "
                 "memory suffices")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 34))
      ->type_name("N,...");
  app.add_option("--threads", options.threads,
                 "1 and all by default, and large sizes with some in between")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("N,...");
  addOutputs(app, options);
  app.add_flag("--baseline", options.baseline,
               "compile times of LLVM's fastest code generator");
  app.add_flag("--quick", options.quick, "small sizes, short runs");
  app.add_flag("--verbose", options.verbose,
               "print each result as Google Benchmark does");
  app.footer(footer);
}

Expected<std::vector<BenchCase>> tools::casesOf(const Options &options) {
  if (!options.file.empty())
    return readExpressionFile(options.file);
  if (!options.expression.empty())
    return std::vector<BenchCase>{
        {"expr", expressionText(options.expression), {}}};
  return workset();
}

std::vector<std::string> tools::defaultsOf(const Options &options) {
  std::vector<std::string> words = {options.quick ? "--benchmark_min_time=0.02"
                                                  : "--benchmark_min_time=0.1"};
  if (!options.json.empty()) {
    words.push_back("--benchmark_out=" + options.json);
    words.push_back("--benchmark_out_format=json");
  }
  return words;
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

static void chooseThreads(BenchOptions &bench) {
  if (!bench.threads.empty())
    return;
  bench.threads = {1};
  const unsigned all = hardwareThreads();
  for (unsigned threads = 2; threads < all; threads *= 2)
    bench.moreThreads.push_back(threads);
  if (all > 1)
    bench.threads.push_back(all);
}

BenchOptions tools::benchOptions(const Options &options,
                                 std::vector<BenchCase> cases) {
  BenchOptions bench;
  bench.cases = std::move(cases);
  bench.sizes = options.sizes;
  bench.threads = options.threads;
  bench.mode = options.baseline ? Mode::Baseline : Mode::Optimized;
  if (bench.sizes.empty())
    bench.sizes = {1000, 32000, 1000000};
  // Six operands, an output, the interpreter's, and an expression's
  // intermediate results where operators run one at a time.
  constexpr std::int64_t large = 64000000, tensors = 16;
  if (options.sizes.empty() && !options.quick &&
      availableBytes() > large * 4 * tensors)
    bench.sizes.push_back(large);
  chooseThreads(bench);
  return bench;
}
