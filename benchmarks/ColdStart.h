//===- ColdStart.h - The first kernel of a fresh process ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_COLDSTART_H
#define KEXPR_BENCHMARKS_COLDSTART_H

#include <optional>

namespace kexpr::tools {

/// Benchmarks that start this program again and again, each time for one
/// kernel: `main` to its result, and as `process` the whole of it.
void registerColdStarts();

/// The exit status of such a process, if this is one.
std::optional<int> runAsFreshProcess(int argc, char **argv);

} // namespace kexpr::tools

#endif // KEXPR_BENCHMARKS_COLDSTART_H
