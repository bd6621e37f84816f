//===- JitBench/Report.h - The table at the end of kexpr-jit-bench ------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_REPORT_H
#define KEXPR_TOOLS_JITBENCH_REPORT_H

#include "Bench/RunLog.h"
#include "JitBench/Cases.h"

#include <iosfwd>

namespace kexpr::tools {

/// Two tables: compile time by stage and call overhead for each expression,
/// and throughput for each expression, size and number of threads. What was
/// filtered out or failed is left blank.
void printReport(std::ostream &out, const RunLog &log,
                 const BenchOptions &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_REPORT_H
