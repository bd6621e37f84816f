//===- Ops/ReductionTable.h - The one table of reductions ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_REDUCTIONTABLE_H
#define KEXPR_OPS_REDUCTIONTABLE_H

#include "Ops/Algebra/Cost.h"
#include "Ops/Reduction.h"
#include "kexpr/Tensor.h"

#include <optional>
#include <span>

namespace kexpr::ops {

/// Position of a reduction in the table.
using ReductionId = std::uint16_t;

/// A reduction of elements of one type, in loops over states: part p of state c
/// is element p * pitch + c. Bits do not depend on the instruction set.
struct ReductionLoops {
  DType element = DType::F32; ///< Of elements, of parts and of results.
  unsigned parts = 0;         ///< 0: the reduction has no such form.
  /// Makes states those of no elements. The first element of a state, if any,
  /// has the index `first` or, `step` further on, that of the state before.
  void (*reset)(std::size_t count, void *states, std::size_t pitch,
                std::int64_t first, std::int64_t step) = nullptr;
  /// Has every state take an element.
  void (*across)(std::size_t count, const void *elements, void *states,
                 std::size_t pitch) = nullptr;
  /// Has ReductionLanes states, which are their pitch, take elements in turn.
  void (*along)(std::size_t count, const void *elements,
                void *states) = nullptr;
  /// Makes every state that of its elements and of those of a later one.
  void (*combine)(std::size_t count, void *states, std::size_t pitch,
                  const void *later, std::size_t laterPitch) = nullptr;
  /// Makes lane 0 of ReductionLanes states, of which only the first `used` took
  /// elements, the state of them all; of `columns` states a lane.
  void fold(std::size_t used, void *states, std::size_t columns = 1,
            std::size_t pitch = ReductionLanes) const {
    auto *first = static_cast<std::byte *>(states);
    for (std::size_t half = ReductionLanes / 2; half > 0; half /= 2)
      if (used > half) {
        combine((used - half) * columns, states, pitch,
                first + half * columns * sizeOf(element), pitch);
        used = half;
      }
  }
  /// The results of states in which `elements` elements count.
  void (*finish)(std::size_t count, const void *states, std::size_t pitch,
                 std::int64_t elements, void *results) = nullptr;
  /// Has `count` states each take the elements of a row, one after the other,
  /// and puts the result so far in the place of each. From one row, or one
  /// element of a row, to the next is a number of elements. Null if the
  /// reduction has no scan.
  void (*scan)(std::size_t count, void *states, std::size_t pitch,
               std::int64_t length, void *elements, std::int64_t toRow,
               std::int64_t toElement) = nullptr;
};

/// What the layers above may ask of any reduction.
struct ReductionEntry {
  ReductionInfo info;
  /// The meaning over doubles.
  double (*reference)(std::span<const double> elements);
  /// Work of an element, by the computed type.
  Work (*workOf)(DType form);
};

/// Those that expressions name.
std::span<const ReductionEntry> reductions();
/// These and the hidden ones.
std::span<const ReductionEntry> allReductions();
/// Any of them.
std::optional<ReductionId> findReduction(std::string_view name);
/// The loops of a reduction that computes in `form`, which is no f16 or bf16,
/// for the best instruction set that this CPU has.
const ReductionLoops &loopsOf(ReductionId reduction, DType form);

} // namespace kexpr::ops

#endif // KEXPR_OPS_REDUCTIONTABLE_H
