//===- JitBench/Tables.h - Findings as rows of text -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_TABLES_H
#define KEXPR_TOOLS_JITBENCH_TABLES_H

#include "Bench/Table.h"
#include "JitBench/Findings.h"

#include <iosfwd>

namespace kexpr::tools {

/// What was filtered out or failed is left blank in all of them.

/// Compile time by stage, in ms.
Table stageTable(const Findings &findings);
/// The ways to a kernel, and a small call.
Table latencyTable(const Findings &findings);
/// The fused kernel: its speed, and how much that is of the triad's, of its
/// limit, and of op by op.
Table throughputTable(const Findings &findings);
/// Nanoseconds an element of every side, and how the best other one compares.
Table peerTable(const Findings &findings);
/// Bandwidths in GB/s by level and threads, and the speed of arithmetic.
Table limitTable(const Findings &findings);

/// All of them, each under a sentence that says what it shows.
void printTables(std::ostream &out, const Findings &findings);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_TABLES_H
