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

/// What an output of a sweep is.
struct SweepTarget {
  enum class Kind : std::uint8_t {
    /// States of a reduction, whose result a later sweep reads, or of an exact
    /// one the elements that it takes.
    Reduced,
    Kept,    ///< Elements that later sweeps read.
    Scanned, ///< The same, once the scan of the stored elements is done.
    Stored,  ///< An output of the expression.
  };
  Kind kind = Kind::Stored;
  /// The value; of what is stored, the number of the output.
  std::uint32_t index = 0;
};

/// One fused loop of an expression with reductions. Its inputs are operands,
/// and what sweeps before it reduced or kept: `Graph::FirstValue` and the id of
/// the value.
struct Sweep {
  /// In lanes, and otherwise contiguous.
  Plan plan;
  /// Whose axes its reductions or scans are over, in `Graph::axisSets`; none if
  /// it has neither.
  std::optional<std::uint32_t> axisSet;
  std::vector<SweepTarget> targets; ///< By output of the plan.
  /// The value whose elements it goes over.
  ValueId elements = 0;
  bool isExact = false; ///< Whether all that it reduces are exact sums.
};

/// The sweeps of a plan in the order in which they run, stores last. If
/// `keepsElements`, elements that take long to compute and that several sweeps
/// need are kept instead of computed again.
std::vector<Sweep> sweepsOf(const Plan &plan, bool keepsElements);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_SWEEPS_H
