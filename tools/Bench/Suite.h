//===- Bench/Suite.h - What all benchmark programs share ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_SUITE_H
#define KEXPR_TOOLS_BENCH_SUITE_H

#include "Bench/RunLog.h"
#include "Bench/Workload.h"
#include "kexpr/Engine.h"

#include <functional>
#include <string>
#include <vector>

namespace kexpr::tools {

/// Moves the arguments that start with `--benchmark_` out of a command line.
std::vector<std::string> takeBenchmarkArguments(int &argc, char **argv);

/// Starts Google Benchmark. Of an option that both name, the user's counts.
void initializeSuite(const std::vector<std::string> &defaults,
                     const std::vector<std::string> &user);

/// The main of a program that has no options of its own: registers, labels the
/// machine, runs, prints every result and then what `summarize` makes of them.
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
