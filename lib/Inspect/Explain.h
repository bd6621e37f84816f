//===- Inspect/Explain.h - Why a kernel takes the time it takes -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_EXPLAIN_H
#define KEXPR_INSPECT_EXPLAIN_H

#include "CodeGen/LoopReport.h"

#include <string>
#include <vector>

namespace kexpr::inspect {

/// One of the least times that a step of a loop can take, in cycles.
struct LoopBound {
  std::string name;
  double cycles = 0;
};

/// Those that follow from a prediction, the largest first: what issues
/// instructions, the busiest unit, what is carried from step to step, and the
/// window of what is under way, or the order of instructions.
std::vector<LoopBound> boundsOf(const codegen::LoopPrediction &prediction);

/// Plan, main loop and prediction as text, the same from run to run. The report
/// is of the plan for that target and level.
std::string explain(const semantics::Plan &plan, const codegen::Target &target,
                    codegen::OptLevel level, const codegen::LoopReport &report);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_EXPLAIN_H
