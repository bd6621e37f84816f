//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which loops the sweeps of a call run, and where these keep elements.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowCall.h"

#include <algorithm>
#include <span>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;

/// The step that makes what lies in a slot of elements that are kept.
static std::size_t makerOf(const RowGroup &group, std::uint32_t slot) {
  const auto makes = [&](const RowStep &step) {
    const auto end =
        step.slots.begin() + static_cast<std::ptrdiff_t>(step.outputs);
    return std::find(step.slots.begin(), end, slot) != end;
  };
  return static_cast<std::size_t>(std::ranges::find_if(group.steps, makes) -
                                  group.steps.begin());
}

/// A slot of elements of a size that are kept up to a step at most; none where
/// the steps between, that one included, scan or read operands.
static std::optional<std::uint32_t>
keptUpTo(const RowGroup &group, std::size_t step, std::int64_t size) {
  for (std::uint32_t number : group.steps[step].slots) {
    const RowSlot &slot = group.slots[number];
    const std::size_t maker = makerOf(group, number);
    if (!slot.isScratch || slot.size != size || maker >= step)
      continue;
    const auto isLater = [&](const RowStep &each) {
      return std::ranges::count(each.slots, number) > 0;
    };
    const auto after = std::span(group.steps).subspan(step + 1);
    const auto readsOperand = [&](const RowStep &each) {
      return !each.scans.empty() ||
             std::ranges::any_of(each.slots, [&](std::uint32_t other) {
               return group.slots[other].kind == RowSlot::Kind::Operand;
             });
    };
    if (std::ranges::none_of(after, isLater) &&
        std::ranges::none_of(
            std::span(group.steps).subspan(maker + 1, step - maker),
            readsOperand))
      return number;
  }
  return std::nullopt;
}

/// Has elements that are kept lie where the last step stores what it makes of
/// them, so that fewer lines pass through the caches, and those that these are
/// made of, too. That output may be an operand, which nothing reads from then
/// on. Long rows are shared by threads instead, and scans done in pieces.
void RowCall::keepInOutput(RowGroup &group) {
  const RowStep &last = group.steps.back();
  const std::int64_t most =
      group.hasColumns ? MostScratch / ColumnUnit : MostScratch;
  const bool mayBeLong = group.hasColumns && !group.hasScans;
  if (!group.hasScratch || (group.length > most && !mayBeLong) ||
      group.isShort || group.reducedAxes != 1 || last.isOfRows ||
      last.reductions > 0 || last.outputs != 1)
    return;
  const RowSlot output = group.slots[last.slots[0]];
  const bool isDense = (group.hasColumns ? output.kept[group.keptAxes - 1]
                                         : output.reduced[0]) == output.size;
  if (output.kind != RowSlot::Kind::Output || !isDense)
    return;
  for (std::size_t step = group.steps.size() - 1;;) {
    const auto kept = keptUpTo(group, step, output.size);
    if (!kept)
      return;
    step = makerOf(group, *kept);
    RowSlot &slot = group.slots[*kept];
    results[slot.index].hasElements = false;
    slot = output;
    slot.isKept = true;
  }
}

/// The access pattern of a slot in the loops of a sweep.
static AccessPattern patternOf(const RowGroup &group, const RowStep &step,
                               const RowSlot &slot) {
  const bool isAcross = group.hasColumns || step.isOfRows;
  // Of no elements nothing may be read, not even what is the same for all.
  if (group.length == 0 && !isAcross)
    return AccessPattern::Contiguous;
  if (slot.isLinear)
    return isAcross ? AccessPattern::Contiguous : AccessPattern::Constant;
  if (slot.isScratch)
    return AccessPattern::Contiguous;
  if (group.isShort && !step.isOfRows) {
    // Whatever is neither constant nor in one run is copied.
    const std::int64_t along = slot.reduced[0],
                       across = slot.kept[group.keptAxes - 1];
    const bool isConstant = across == 0 && (along == 0 || step.reductions > 0);
    return isConstant ? AccessPattern::Constant : AccessPattern::Contiguous;
  }
  const unsigned axes = isAcross ? group.keptAxes : group.reducedAxes;
  const std::int64_t *strides = isAcross ? slot.kept : slot.reduced;
  if (axes == 0)
    return AccessPattern::Contiguous; // of one element
  if (group.packs && step.reductions > 0)
    return std::all_of(strides, strides + axes,
                       [](std::int64_t stride) { return stride == 0; })
               ? AccessPattern::Constant
               : AccessPattern::Contiguous;
  const std::int64_t stride = strides[axes - 1];
  return stride == slot.size ? AccessPattern::Contiguous
         : stride == 0       ? AccessPattern::Constant
                             : AccessPattern::Strided;
}

bool RowStep::hasIndices() const { return step->sweep.plan.findsIndices(); }

std::int64_t RowCall::mostShort(const RowGroup &group) const {
  bool some = false, all = true, atOnce = true;
  for (const RowStep &step : group.steps)
    if (step.reductions > 0) {
      some |= step.hasIndices();
      all &= step.hasIndices();
      atOnce &= takesAll(group, step);
    }
  return !some ? 24 : !all ? 31 : atOnce ? 128 : 64;
}

/// Of how many elements of columns a loop takes all. More than a lane's would
/// be in one set of the first cache where rows are whole pages, in more pages
/// than a core has at hand where they come from memory, and long to compile
/// where there are several operands.
std::int64_t RowCall::mostAtOnce(const RowGroup &group,
                                 const RowStep &step) const {
  constexpr std::int64_t lanes = ops::ReductionLanes, page = 4096;
  const auto operands = std::span(step.slots).subspan(step.outputs);
  const bool arePages = std::ranges::any_of(operands, [&](std::uint32_t slot) {
    const auto &reduced = group.slots[slot].reduced;
    return std::any_of(
        &reduced[0], &reduced[0] + group.reducedAxes,
        [](std::int64_t stride) { return stride != 0 && stride % page == 0; });
  });
  const std::int64_t streams = arePages                            ? 0
                               : movedBytes < lastCacheBytes() / 2 ? 4 * lanes
                                                                   : 2 * lanes;
  return std::max(lanes,
                  streams / std::max<std::int64_t>(std::ssize(operands), 1));
}

/// Operations of an element in a loop that takes several: half of what finds an
/// index is known where elements are in order.
static unsigned operationsOf(const RowStep &step) {
  const semantics::Plan &plan = step.step->sweep.plan;
  const unsigned all = plan.work().operations,
                 own = plan.graph.work(plan.precision).operations;
  return step.hasIndices() ? own + (all - own) / 2 : all;
}

/// Operations of such a loop at most, as it takes longer to compile than its
/// length: fewer beside stores, more where lanes take long to become one.
static unsigned mostOperations(const RowStep &step) {
  return step.outputs > step.reductions ? 640 : step.hasIndices() ? 1280 : 960;
}

bool RowCall::takesAll(const RowGroup &group, const RowStep &step) const {
  return !group.isFlat && group.length <= mostAtOnce(group, step) &&
         operationsOf(step) * group.length <= mostOperations(step);
}

/// Finds a loop that takes several elements of each row, where states take
/// longer than what is computed: loading and storing them, or beginning and
/// folding those of short rows.
Status RowCall::unroll(const RowGroup &group, RowStep &step,
                       std::vector<AccessPattern> patterns) const {
  constexpr std::int64_t usual = 8, lanes = ops::ReductionLanes;
  constexpr unsigned fewOperations = 12;
  const std::int64_t length = group.length;
  const semantics::Plan &plan = step.step->sweep.plan;
  const unsigned operations = operationsOf(step);
  if (!group.hasColumns || step.isOfRows || !step.sums.empty() ||
      step.reductions == 0 || length < 1)
    return {};
  std::int64_t atOnce = 0;
  bool takesRows = group.isShort;
  if (takesAll(group, step)) {
    // Lanes of few elements each, which begin and fold in registers.
    takesRows = true;
    atOnce = length;
  } else if (group.isShort) {
    return {};
  } else if (length <= lanes && !step.hasIndices() && !group.isFlat) {
    // The same, of some of the lanes.
    takesRows = true;
    for (std::int64_t more = 2;
         more <= length && more * operations <= mostOperations(step); more *= 2)
      atOnce = more;
  } else if (plan.graph.work(plan.precision).operations <= fewOperations) {
    for (std::int64_t more = 2; more * lanes <= length && more <= usual;
         more *= 2)
      atOnce = more;
  }
  if (atOnce == 0)
    return {};
  const auto number = static_cast<unsigned>(atOnce);
  auto loop = program.unrolled(*step.step, number, takesRows, patterns);
  if (!loop)
    return loop.error();
  if (*loop) {
    step.unrolled = *loop;
    step.atOnce = number;
    step.takesRows = takesRows;
  }
  return {};
}

/// Whether it reads what was kept in an output.
static bool isInPlace(const RowGroup &group, const RowStep &step) {
  return std::any_of(step.slots.begin() +
                         static_cast<std::ptrdiff_t>(step.outputs),
                     step.slots.end(), [&](std::uint32_t slot) {
                       return group.slots[slot].kind == RowSlot::Kind::Output;
                     });
}

Status RowCall::chooseLoops(RowGroup &group) {
  constexpr std::int64_t wide = 1024;
  if (auto status = takeWhole(group); !status)
    return status;
  for (RowStep &step : group.steps) {
    std::vector<AccessPattern> patterns;
    for (std::uint32_t slot : step.slots)
      patterns.push_back(patternOf(group, step, group.slots[slot]));
    const auto &outputs = step.step->sweep.plan.outputs;
    // A block that is one call of the loop; indices go on from block to block.
    step.isFolded = !group.hasColumns &&
                    (group.hasWholeBlocks() || group.packs) &&
                    !step.hasIndices();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].reducing)
        patterns[i] = group.hasColumns ? AccessPattern::Contiguous
                      : step.isFolded  ? AccessPattern::Strided
                                       : AccessPattern::Constant;
      else if (patterns[i] == AccessPattern::Constant)
        patterns[i] = AccessPattern::Contiguous; // of one element
    auto loop = step.step->loops.loopFor(patterns);
    if (!loop)
      return loop.error();
    step.loop = *loop;
    if (!group.whole)
      if (auto status = unroll(group, step, patterns); !status)
        return status;
    const bool isContiguous = std::all_of(
        patterns.begin(),
        patterns.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
        [](AccessPattern each) { return each == AccessPattern::Contiguous; });
    // What lies where it is stored is in the caches, and of narrow tiles too
    // many lines are also their neighbours'.
    step.canStream = step.reductions == 0 && step.scans.empty() &&
                     !step.isOfRows && isContiguous && !group.isShort &&
                     (!group.hasColumns || group.columns >= wide) &&
                     !isInPlace(group, step) &&
                     movedBytes > StoreChoice::FewestBytes;
  }
  return group.whole ? Status() : stagger(group);
}
