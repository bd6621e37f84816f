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
#include "Common/Files.h"
#include "JitBench/Json.h"
#include "JitBench/Options.h"
#include "JitBench/Tables.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

/// Refuses what cannot be compiled before time is spent on the rest.
static Status check(const Engine &engine, const std::vector<BenchCase> &cases) {
  for (const BenchCase &bench : cases)
    if (auto kernel =
            engine.compile(bench.expression, {.mode = Mode::Interpret});
        !kernel)
      return kernel.error();
  return {};
}

/// Files are tried before minutes are spent on what goes into them.
static Status checkFiles(const Options &options) {
  for (const std::string &path : {options.json, options.report})
    if (!path.empty())
      if (auto status = checkWritable(path); !status)
        return status;
  Findings nothing;
  return options.peers.empty() ? Status() : addPeers(options.peers, nothing);
}

static Status writeAll(const Options &options, const Findings &findings) {
  if (!options.json.empty())
    if (auto status = addToFile(options.json, findings); !status)
      return status;
  return options.report.empty()
             ? Status()
             : writeFile(options.report, renderPage(findings));
}

/// Limits cost seconds and are of use to whom looks at throughput.
static std::vector<Limits> limitsFor(const RunLog &log, const Options &options,
                                     const BenchOptions &bench) {
  if (!log.contains("/fused/"))
    return {};
  return measureAllLimits(bench, options.quick);
}

static int measure(const Options &options,
                   const std::vector<std::string> &passed) {
  const Engine engine;
  auto cases = casesOf(options);
  if (!cases)
    return report(cases.error());
  if (auto status = check(engine, *cases); !status)
    return report(status.error());
  if (auto status = checkFiles(options); !status)
    return report(status.error());
  initializeSuite(defaultsOf(options), passed);
  const BenchOptions bench = benchOptions(options, std::move(*cases));
  registerCases(engine, bench);
  addMachineContext(engine);
  std::cout << describeMachine(engine) << "\n\n" << std::flush;
  RunLog log(options.verbose);
  benchmark::RunSpecifiedBenchmarks(&log);
  Findings findings =
      collect(log, bench, engine, limitsFor(log, options, bench));
  if (!options.peers.empty())
    if (auto status = addPeers(options.peers, findings); !status)
      return report(status.error());
  printTables(std::cout, findings);
  if (auto status = writeAll(options, findings); !status)
    return report(status.error());
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
