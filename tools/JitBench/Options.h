//===- JitBench/Options.h - The command line of kexpr-jit-bench -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_OPTIONS_H
#define KEXPR_TOOLS_JITBENCH_OPTIONS_H

#include "Common/CommandLine.h"
#include "JitBench/Cases.h"

#include <string>
#include <vector>

namespace kexpr::tools {

struct Options {
  std::string expression;
  std::string file;
  std::vector<std::int64_t> sizes;
  std::vector<unsigned> threads;
  std::string json;
  std::string report;
  std::string peers;
  bool baseline = false;
  bool quick = false;
  bool verbose = false;
};

/// Says to a parser which options there are; `options` must outlive it.
void addOptions(CLI::App &app, Options &options);

/// The expressions asked for. Errors: those of reading a file.
Expected<std::vector<BenchCase>> casesOf(const Options &options);

/// What is to be measured, with defaults that suit this machine.
BenchOptions benchOptions(const Options &options, std::vector<BenchCase> cases);

/// What Google Benchmark is told unless the user says otherwise.
std::vector<std::string> defaultsOf(const Options &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_OPTIONS_H
