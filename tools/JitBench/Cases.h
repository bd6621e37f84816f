//===- JitBench/Cases.h - The benchmarks of kexpr-jit-bench -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_CASES_H
#define KEXPR_TOOLS_JITBENCH_CASES_H

#include "Bench/ExpressionFile.h"
#include "kexpr/Engine.h"

#include <string>
#include <vector>

namespace kexpr::tools {

struct BenchOptions {
  std::vector<BenchCase> cases;
  /// Elements, for cases that have no shapes.
  std::vector<std::int64_t> sizes;
  std::vector<unsigned> threads;
  /// More of them, for the fused kernel alone and over large sizes only.
  std::vector<unsigned> moreThreads;
  /// How kernels are compiled where it is measured how long that takes.
  Mode mode = Mode::Optimized;
  Precision precision = Precision::Default;
};

/// One case at one size: what a row of the table is about.
struct Point {
  std::vector<Shape> shapes;
  /// Elements, or the shape of the largest operand.
  std::string label;
};
/// The sizes that a case is measured at.
std::vector<Point> pointsOf(const BenchCase &bench,
                            const BenchOptions &options);

/// A latency, and the end of the names of its benchmark. Of the keys, `compile`
/// is a new kernel, `first` the first result in the tiered mode, `baseline` a
/// kernel of that tier, `disk` and `memory` one found there, and `call` a small
/// call.
struct LatencyName {
  const char *key, *suffix;
};
inline constexpr LatencyName latencyNames[] = {
    {"compile", "/compile"},           {"first", "/latency/first"},
    {"baseline", "/latency/baseline"}, {"disk", "/latency/disk"},
    {"memory", "/latency/memory"},     {"call", "/call/16"}};

/// The name of a result. `side`: `fused`, `op-by-op`, or the name of a compiled
/// peer.
std::string runName(const BenchCase &bench, const std::string &side,
                    const Point &point, unsigned threads);

/// The names of what is compared: the fused kernel first, then its rivals.
std::vector<std::string> sideNames();

/// Registers, for every case: its compile time, the other ways to a kernel, the
/// time of a call over 16 elements, and at every size and number of threads the
/// fused kernel and its rival, one operator at a time. Expressions of the work
/// set without shapes have compiled peers too, on one thread; those that write
/// past the caches start behind the second-level cache. Every rival is held
/// against the kernel first. Counters: `elements`, `bytes` and `operations` of
/// one run, `triad` as bytes a second, `of_triad` as a fraction, stages of
/// compiling in seconds. `engine` and `options` must outlive the run.
void registerCases(const Engine &engine, const BenchOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_CASES_H
