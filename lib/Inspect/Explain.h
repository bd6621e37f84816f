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

/// Kinds of limits to the throughput of a loop, and the unit of costs for each.
enum class LimitKind : std::uint8_t {
  Unknown, ///< There is no prediction: costs are instructions.
  Units,   ///< Costs are cycles of `Limit::units`, on average.
  Issue,   ///< Costs are micro-operations over how many can begin a cycle.
  Carried, ///< As for `Issue`: the carried chain belongs to the loop itself.
  Window,  ///< Costs are cycles of the longest chain, as for `Order`.
  Order,
};

/// A lower bound of the time of a step of a loop, in cycles.
struct LoopBound {
  LimitKind kind = LimitKind::Unknown;
  std::string name;
  double cycles = 0;
};

/// The bounds of a prediction, the largest first: issue of instructions, the
/// busiest unit, what is carried from step to step, and the window of
/// instructions under way or, where they begin in order, their order.
std::vector<LoopBound> boundsOf(const codegen::LoopPrediction &prediction);

/// The bottleneck of a loop, as predicted.
struct Limit {
  LimitKind kind = LimitKind::Unknown;
  /// Cycles of a step.
  double cycles = 0;
  /// Positions in `LoopPrediction::units` of the units that are about as busy
  /// as the busiest one.
  std::vector<unsigned> units;
  /// Whether those units serve loads and stores alone.
  bool isMemory = false;
};

/// The bottleneck of a report; `isMemory` is left to the caller.
Limit limitOf(const codegen::LoopReport &report);

/// Cycles of an instruction on the units of the limit, on average.
double unitCycles(const codegen::LoopInstruction &instruction,
                  const Limit &limit);

/// The cost of an instruction, in the unit of the limit.
double costOf(const codegen::LoopInstruction &instruction, const Limit &limit,
              const codegen::LoopReport &report);

/// Plan, main loop and prediction as text, the same from run to run. The report
/// is of the plan for that target and level.
std::string explain(const semantics::Plan &plan, const codegen::Target &target,
                    codegen::OptLevel level, const codegen::LoopReport &report);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_EXPLAIN_H
