//===- JitBench/Charts.h - Findings as drawings ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_CHARTS_H
#define KEXPR_TOOLS_JITBENCH_CHARTS_H

#include "JitBench/Findings.h"

#include <string>

namespace kexpr::tools {

// Each is a row of figures with a legend, in HTML; a sentence where there is
// nothing to draw.

/// Operations a second against operations a byte for each number of threads,
/// under the roofs of every cache level and of arithmetic.
std::string rooflineCharts(const Findings &findings);

/// Elements a second against elements, one figure for each expression, with
/// all sides on one thread, ours on all of them, and the caches' sizes.
std::string throughputCharts(const Findings &findings);

/// How much faster more threads are than one, for the two largest sizes.
std::string scalingCharts(const Findings &findings);

/// Stages of compiling as stacked bars.
std::string compileChart(const Findings &findings);

/// First result, baseline, disk, memory and call on one axis.
std::string latencyChart(const Findings &findings);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_CHARTS_H
