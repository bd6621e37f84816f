//===- Bench/Machine.h - What benchmarks were run on --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_MACHINE_H
#define KEXPR_TOOLS_BENCH_MACHINE_H

#include "kexpr/Engine.h"

#include <string>

namespace kexpr::tools {

/// The processor's name as the system tells it; "unknown" if it does not.
std::string processorName();

/// Hardware threads, at least 1.
unsigned hardwareThreads();

/// One line: processor, LLVM's name of it, vector width, LLVM, threads.
std::string describeMachine(const Engine &engine);

/// Adds the same, item by item, to Google Benchmark's context.
void addMachineContext(const Engine &engine);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_MACHINE_H
