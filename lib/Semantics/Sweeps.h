//===- Semantics/Sweeps.h - The loops of an expression that reduces -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_SWEEPS_H
#define KEXPR_SEMANTICS_SWEEPS_H

#include "Semantics/Plan.h"

namespace kexpr::semantics {

/// One fused loop of an expression with reductions. Its inputs are operands,
/// and results of reductions that sweeps before it made: `Graph::FirstValue`
/// and the id of their value. Its outputs are states of reductions over one set
/// of axes, or elements that are stored.
struct Sweep {
  /// In lanes, and otherwise contiguous.
  Plan plan;
  /// Whose axes its reductions are over, in `Graph::axisSets`; none if it
  /// stores.
  std::optional<std::uint32_t> axisSet;
  /// For each output of the plan: the value that is reduced to, or the number
  /// of the output that is stored.
  std::vector<std::uint32_t> targets;
  /// The value whose elements it goes over: that of its first output.
  ValueId elements;
};

/// The sweeps of a plan in the order in which they run, stores last.
std::vector<Sweep> sweepsOf(const Plan &plan);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_SWEEPS_H
