//===- Run/Summary.h - What kexpr-run prints ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_RUN_SUMMARY_H
#define KEXPR_TOOLS_RUN_SUMMARY_H

#include "Common/Array.h"
#include "kexpr/Engine.h"

#include <chrono>
#include <iosfwd>

namespace kexpr::tools {

/// Type, shape, least, greatest and mean element, and the first few. Extremes
/// and mean leave NaNs out, which are counted.
void printSummary(std::ostream &out, const Array &array);

/// Compile times by stage, tier, code size, run time and threads.
void printStats(std::ostream &out, const Kernel &kernel,
                std::chrono::nanoseconds runTime, unsigned threads);

/// What an engine generated, by tier, and what its caches did.
void printStats(std::ostream &out, const Engine &engine);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_RUN_SUMMARY_H
