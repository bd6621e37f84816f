//===- Bench/Latency.h - How long it takes to get a kernel --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_LATENCY_H
#define KEXPR_TOOLS_BENCH_LATENCY_H

#include "kexpr/Engine.h"

#include <benchmark/benchmark.h>

#include <string>

namespace kexpr::tools {

/// A temporary directory, removed with all in it by the destructor.
class ScratchDirectory {
public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;
  const std::string &path() const { return name; }

private:
  std::string name;
};

// All but `timeLookup` set the time of an iteration by hand.

/// Compiles `expression` anew in every iteration; counts the stages in seconds:
/// parse, plan, emit, codegen, link.
void timeCompile(benchmark::State &state, const std::string &expression,
                 const CompileOptions &options);

/// A new expression to its first result, over 4096 elements of every operand.
/// The wait for what is built in the background is not timed.
void timeFirst(benchmark::State &state, const std::string &expression,
               const CompileOptions &options);

/// An expression that another engine left on disk, to a callable kernel.
void timeDisk(benchmark::State &state, const std::string &expression,
              const CompileOptions &options = {});

/// A kernel that the engine has. Any number of threads share one engine.
void timeLookup(benchmark::State &state, const std::string &expression,
                const CompileOptions &options = {});

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_LATENCY_H
