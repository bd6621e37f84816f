//===- Semantics/WholeRows.h - Sweeps as one loop over short rows ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_WHOLEROWS_H
#define KEXPR_SEMANTICS_WHOLEROWS_H

#include "Semantics/Plan.h"

namespace kexpr::semantics {

/// A tensor that sweeps over the same rows read or make.
struct RowTensor {
  /// How a loop over rows reads or writes it; none of what sweeps alone make
  /// and read.
  std::optional<AccessPattern> pattern;
  std::int64_t uncounted = 0; ///< Of a reduction, see `Value::uncounted`.
  bool isKept = false;        ///< See `Access::isKept`.
  friend bool operator==(const RowTensor &, const RowTensor &) = default;
};

/// A sweep over these rows.
struct RowSweep {
  const Plan &plan;
  /// The tensors, by output and input of the plan.
  std::span<const std::uint32_t> tensors;
};

/// One loop over rows that does what several sweeps do.
struct WholeRows {
  Plan plan;
  std::vector<std::uint32_t> tensors; ///< By output and input of the plan.
};

/// How a loop takes rows whole; see the same of `Plan`.
struct RowForm {
  unsigned rowLength = 0;
  bool isAlongRows = false, isInParts = false;
};

/// The loop of sweeps that come one after the other, which takes rows whole:
/// what one sweep makes for others stays in registers, or on the stack.
WholeRows wholeRows(std::span<const RowTensor> tensors,
                    std::span<const RowSweep> sweeps, const RowForm &form);

/// How a loop that takes rows whole in parts sweeps over their elements.
struct RowParts {
  unsigned sweeps = 0;
  /// By value, the sweep that computes it: of elements the first that needs
  /// them, of others the first that may use them. Results of a sweep are there
  /// with the next one.
  std::vector<unsigned> sweepOf;
  /// Whether each element of a row has one that later sweeps use.
  std::vector<bool> isKept;
  /// By sweep and value, whether elements have one that it uses, and whether it
  /// computes that: what takes few operations each sweep does anew.
  std::vector<std::vector<bool>> needs, computes;
};
RowParts partsOf(const Plan &plan);
/// Whether such a loop along rows stores them past the caches wherever they
/// begin: what it stores, by a sweep that folds nothing, is one output, and
/// rows have a part behind the beginning of a line.
bool streamsAnywhere(const Plan &plan, const RowParts &parts);
/// Whether there is such a loop: nothing is rare, and no place in a row counts.
bool mayTakeParts(const Plan &plan);
/// Bytes on the stack that it has for what is kept and for states of lanes, at
/// most.
std::size_t bytesOfParts(const Plan &plan);
/// Bytes that such a loop over columns may spill besides, as it has eight
/// elements at once: by operations, about what was seen at most.
std::size_t spillsOfParts(const Plan &plan);
/// Whether a value is an operand of one row for all.
bool isRowOfAll(const Plan &plan, const Value &value);
/// By value, whether each element of a row that is taken whole has one.
std::vector<bool> valuesOfElements(const Plan &plan);

/// The loop of sweeps over rows of any length, each of which has rows, and so
/// tensors, of its own: what one makes for others goes through memory.
WholeRows staggeredSweeps(std::span<const RowTensor> tensors,
                          std::span<const RowSweep> sweeps);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_WHOLEROWS_H
