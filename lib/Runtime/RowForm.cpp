//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How one loop takes the rows of a group whole: along rows or over many, from
/// registers or in parts.
///
//===----------------------------------------------------------------------===//
#include "Code/Features.h"
#include "Runtime/RowCall.h"
#include "Support/Fork.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

using namespace kexpr;
using namespace kexpr::runtime;

/// How many reductions of a group `isCounted` says yes to.
template <class F>
static std::size_t countReductions(const RowGroup &group, F isCounted) {
  std::size_t count = 0;
  for (const RowStep &step : group.steps)
    for (const semantics::Access &output : step.step->sweep.plan.outputs)
      count += output.reducing && isCounted(*output.reducing);
  return count;
}

static bool hasOneReduction(const RowGroup &group) {
  return countReductions(group, [](const auto &) { return true; }) == 1;
}

/// Whether sweeps do much with each element.
static bool hasLongElements(const RowGroup &group) {
  return std::ranges::any_of(group.steps, [](const RowStep &step) {
    return !step.isOfRows && step.step->sweep.plan.hasLongElements();
  });
}

static bool storesElements(const RowGroup &group) {
  return std::ranges::any_of(group.steps, [](const RowStep &step) {
    return !step.isOfRows && step.outputs > step.reductions;
  });
}

/// Whether all that is reduced is one sum or mean in f64, of one part, whose
/// folds along a row are few.
static bool hasOneSum(const RowGroup &group) {
  const auto isSum = [](const semantics::Reducing &reducing) {
    const ops::ReductionLoops &loops = reducing.loops();
    return ops::allReductions()[reducing.reduction].info.ofSum !=
               ops::ReductionOfSum::No &&
           loops.element == DType::F64 && loops.parts == 1;
  };
  return hasOneReduction(group) && countReductions(group, isSum) == 1;
}

static constinit Once<const bool> fewRegisters;

bool runtime::hasFewRegisters() {
  return fewRegisters.get([] {
    return code::ownArchitecture() == code::X86 &&
           !code::missingHere(std::array{std::string("avx512vl")}).empty();
  });
}

/// Bytes of the widest elements of rows, and of f32 at least.
static std::int64_t widestOf(const RowGroup &group) {
  std::int64_t size = 4;
  for (const RowSlot &slot : group.slots)
    if (slot.isOfElements())
      size = std::max(size, slot.size);
  return size;
}

/// Whether vectors of a loop that takes rows whole go along them where it takes
/// several at once, by AVX2: not where most would compute in too few lanes.
static bool severalGoAlongRows(const RowGroup &group) {
  constexpr std::int64_t vector = 32, fewest = 3;
  // Rows whose lanes are rows take shuffles of words.
  if (group.hasNarrow())
    return group.length >= fewest;
  const std::int64_t size = widestOf(group);
  const std::int64_t enough = hasLongElements(group)   ? (size > 4 ? 11 : 13)
                              : hasOneReduction(group) ? (size > 4 ? 6 : 4)
                                                       : (size > 4 ? 16 : 6);
  return group.length >= enough || group.length % (vector / size) == 0;
}

/// The same by AVX-512, where it depends on what is done with rows; none where
/// it does not. Parting few elements takes less than shuffles of rows, narrow
/// ones are never parted, and two whole vectors of a row that is stored are
/// better off alone.
static std::optional<bool> goAlongRowsByWork(const RowGroup &group) {
  constexpr std::int64_t fewestOfSum = 7, fewestOdd = 11, fewestEven = 13,
                         fewestStored = 7, manyWide = 16, fewestNarrow = 3,
                         fewestLongNarrow = 12;
  const std::int64_t length = group.length;
  const bool isLong = hasLongElements(group), stores = storesElements(group);
  if (group.hasNarrow())
    return length >= (isLong && !stores ? fewestLongNarrow : fewestNarrow);
  if (!hasOneReduction(group) || isLong ||
      (stores && widestOf(group) > 4 && length >= manyWide))
    return std::nullopt;
  return length >= (stores             ? fewestStored
                    : hasOneSum(group) ? fewestOfSum
                    : length % 2 != 0  ? fewestOdd
                                       : fewestEven);
}

/// Whether vectors of a loop that takes rows whole go along them, and not over
/// rows whose elements are parted: where rows fill vectors, and where it would
/// take many shuffles, those of results included.
static bool goesAlongRows(const RowGroup &group) {
  constexpr std::int64_t vector = 16, fewestOdd = 21, fewestEven = 26;
  if (group.takesColumns())
    return false;
  const bool hasIndices =
      std::ranges::any_of(group.steps, &RowStep::hasIndices);
  if (hasFewRegisters() && !hasIndices)
    return severalGoAlongRows(group);
  const bool takesSeveral = code::ownArchitecture() == code::X86 && !hasIndices;
  if (const auto along = takesSeveral ? goAlongRowsByWork(group) : std::nullopt)
    return *along;
  // Code of many rows has all that is done with each element.
  const bool isLarge =
      hasIndices || (hasLongElements(group) && widestOf(group) > 4);
  const std::int64_t fewest = hasOneSum(group)        ? vector
                              : isLarge               ? vector + 1
                              : group.length % 2 != 0 ? fewestOdd
                                                      : fewestEven;
  return group.length >= fewest;
}

namespace {
/// What the steps of a group come to.
struct GroupWork {
  explicit GroupWork(const RowGroup &group);
  std::int64_t operations = 0; ///< Of an element.
  std::int64_t ofRows = 0;     ///< The same of a row.
  std::size_t sweeps = 0;      ///< Over elements.
  bool reduces = false, isWide = false, isLong = false, hasIndices = false;
};
} // namespace

GroupWork::GroupWork(const RowGroup &group) {
  for (const RowStep &step : group.steps) {
    reduces |= step.reductions > 0;
    hasIndices |= step.hasIndices();
    const semantics::Plan &plan = step.step->sweep.plan;
    if (step.isOfRows) {
      ofRows += plan.work().operations;
      continue;
    }
    ++sweeps;
    operations += plan.work().operations;
    isWide |= plan.graph.work(plan.precision).wide > 0;
    isLong |= plan.hasLongBody();
  }
}

/// Operations of a row at most, where code has those of each element.
static constexpr std::int64_t MostOperations = 1300;

bool RowGroup::mayBeginLines() const {
  constexpr std::int64_t line = semantics::StreamAlignment;
  return std::ranges::all_of(slots, [](const RowSlot &slot) {
    return slot.kind != RowSlot::Kind::Output || slot.reduced[0] % line == 0;
  });
}

std::int64_t RowGroup::mostInSet() const {
  constexpr std::int64_t line = 64, page = 4096;
  std::int64_t apart = line;
  for (const RowSlot &slot : slots)
    if (slot.isOfElements())
      apart = std::max(apart, std::gcd(slot.reduced[0], page));
  return length * apart / page;
}

/// Whether a loop that takes all elements of columns at once takes less time
/// than sweeps. Those of few operations do better with few registers and, in
/// caches, where stores would wait for each other's lines; from memory any do
/// where lines of many elements would be half stored.
static bool gainsInColumns(const RowGroup &group, const GroupWork &work,
                           bool isInCaches) {
  constexpr std::int64_t few = 16, some = 24, inSet = 8;
  if (!work.isLong && hasFewRegisters() &&
      group.length > (isInCaches ? few : some))
    return false;
  if (isInCaches)
    return work.isLong || group.mostInSet() <= inSet;
  return group.mayBeginLines() || group.length <= (work.isLong ? some : few);
}

/// Whether a loop that takes columns whole has no code for each element, but
/// sweeps over some at a time: if there are more than a block has lanes, or
/// code would be too long.
static bool takesColumnsInParts(const RowGroup &group, const GroupWork &work) {
  return group.takesColumns() &&
         (group.hasLongColumns() ||
          work.operations * group.length > MostOperations);
}

/// Whether a loop may take columns whole: at once or, of more elements than a
/// block has lanes, in parts, where sweeps would compute for each element what
/// depends on its row, or would be called for few columns. One sweep of few
/// operations has a loop of its own, and two elements gain nothing.
static bool fitsInColumns(const RowGroup &group, const GroupWork &work,
                          bool isInCaches) {
  constexpr std::int64_t fewest = 3;
  const bool isNarrow = group.lastKept() < (hasFewRegisters() ? 32 : 64);
  if (group.isFlat || group.length < fewest ||
      group.length > ops::ReductionBlock)
    return false;
  if (isNarrow)
    return work.sweeps > 1 || work.isLong;
  return work.sweeps > 1 && (takesColumnsInParts(group, work)
                                 ? work.isLong
                                 : gainsInColumns(group, work, isInCaches));
}

/// Whether rows are so short, and what is computed of them, that a loop can
/// have them in registers from their elements to what becomes of these. It may
/// have more of them where it does not compute with wider elements.
static bool fitsInRegisters(const RowGroup &group, const GroupWork &work,
                            bool isAlongRows, bool isInCaches) {
  constexpr std::int64_t mostBytes = 512, mostFromMemory = 704, vector = 16;
  // Staggered sweeps wait less for memory, which narrow elements do not need.
  const bool isSlower =
      work.isLong && !isInCaches && !group.hasNarrow() && group.keptAxes == 1;
  const std::int64_t most = work.isWide ? mostBytes
                            : isSlower  ? mostFromMemory
                                        : 2 * mostBytes;
  return group.length * widestOf(group) <= most &&
         work.operations * group.length <=
             MostOperations * (isAlongRows ? vector : 1);
}

/// Whether a loop along rows that sweeps over each in parts takes less time
/// than staggered sweeps, or such that come one after the other. It has no
/// calls between sweeps, so that a core sees past their ends, and streams rows
/// that begin no lines; but its sweeps wait for results of rows, so that two
/// of few operations gain most. Measured on Zen 5, with its code for AVX2 as
/// well.
static bool gainsInParts(const RowGroup &group, const GroupWork &work,
                         bool isInCaches) {
  constexpr std::int64_t fewest = 129, fewestOfMemory = 257, fewestNarrow = 512,
                         fewestOfThree = 768,
                         notStaggered = ops::ReductionBlock + 1,
                         mostBytes = 32 << 10;
  constexpr std::size_t few = 2;
  const std::int64_t size = widestOf(group);
  const bool isNarrow = group.hasNarrow();
  if (work.isLong || work.sweeps < few ||
      work.sweeps > (isNarrow ? few : few + 1) ||
      group.length * size > mostBytes)
    return false;
  if (work.sweeps > few)
    return group.length >= fewestOfThree &&
           (group.length < notStaggered || !hasFewRegisters()) &&
           (isInCaches || !group.waitsLessStaggered());
  if (isNarrow || (isInCaches && size > 4))
    return group.length >=
           (isNarrow && isInCaches ? fewestNarrow : notStaggered);
  return group.length >=
         (!isInCaches && hasFewRegisters() ? fewestOfMemory : fewest);
}

bool runtime::mayBeWhole(const RowGroup &group) {
  return GroupWork(group).operations * group.length <= MostOperations ||
         std::ranges::none_of(group.steps, [](const RowStep &step) {
           return step.step->sweep.plan.work().rareWays > 0;
         });
}

std::optional<semantics::RowForm> runtime::wholeForm(const RowGroup &group,
                                                     bool isInCaches) {
  constexpr std::int64_t fewRows = 16;
  const GroupWork work(group);
  if (group.keptAxes == 0 || group.reducedAxes != 1 || group.hasSums ||
      group.hasScans || group.length < 2 ||
      (!group.takesColumns() && group.lastKept() < fewRows) || !work.reduces)
    return std::nullopt;
  semantics::RowForm form{static_cast<unsigned>(group.length),
                          goesAlongRows(group),
                          takesColumnsInParts(group, work)};
  if (group.takesColumns())
    return fitsInColumns(group, work, isInCaches) ? std::optional(form)
                                                  : std::nullopt;
  // Lanes of a row know no index, and rows in lanes take shuffles of words.
  if (form.isAlongRows ? work.hasIndices : group.hasNarrow())
    return std::nullopt;
  form.isInParts = form.isAlongRows && gainsInParts(group, work, isInCaches);
  const auto fitsSo = [&](bool isAlongRows) {
    return fitsInRegisters(group, work, isAlongRows, isInCaches);
  };
  bool fits = form.isInParts || fitsSo(form.isAlongRows);
  // Code of all elements would be too long. That along rows is not, but leaves
  // lanes empty, most where it computes what is of a row.
  constexpr std::int64_t fewest = 9, fewOfRows = 4; // operations an element
  if (!fits && !form.isAlongRows && group.length >= fewest &&
      !work.hasIndices && work.ofRows <= fewOfRows * group.length)
    fits = form.isAlongRows = fitsSo(true);
  return fits ? std::optional(form) : std::nullopt;
}
