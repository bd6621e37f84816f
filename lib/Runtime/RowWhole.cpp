//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows that are so short that one loop does all sweeps over them, and has each
/// in registers from its elements to what becomes of them.
///
//===----------------------------------------------------------------------===//
#include "Code/Features.h"
#include "Runtime/Hardware.h"
#include "Runtime/RowTask.h"
#include "Support/Fork.h"

#include <algorithm>
#include <array>
#include <string>

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::AccessPattern;

/// Whether all elements that are stored depend on rows. LLVM 19 does not end
/// where it is to put elements back into rows that are the same for all.
static bool storesOfRows(const semantics::Plan &plan) {
  const semantics::Graph &graph = plan.graph;
  std::vector<bool> isOfRows;
  for (const semantics::Value &value : graph.values) {
    const auto args = graph.args(value);
    isOfRows.push_back(
        value.kind == semantics::ValueKind::Input
            ? plan.inputs[value.input].pattern == AccessPattern::Rows
            : std::any_of(args.begin(), args.end(),
                          [&](auto arg) { return isOfRows[arg]; }));
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].pattern == AccessPattern::Rows &&
        !isOfRows[graph.outputs[i]])
      return false;
  return true;
}

Expected<const RowProgram::Whole *>
RowProgram::whole(const Step &first,
                  const std::vector<semantics::RowTensor> &tensors,
                  std::span<const semantics::RowSweep> sweeps, unsigned length,
                  bool isAlongRows) const {
  std::vector<std::uint32_t> arguments;
  for (const semantics::RowSweep &sweep : sweeps)
    arguments.insert(arguments.end(), sweep.tensors.begin(),
                     sweep.tensors.end());
  const auto isSame = [&](const Whole &each) {
    return &each.first == &first && each.rows.plan.rowLength == length &&
           each.given == tensors && each.arguments == arguments;
  };
  for (const Whole &each : wholes)
    if (isSame(each))
      return &each;
  constexpr std::size_t most = 64;
  if (mode == Mode::Interpret || mode == Mode::Baseline ||
      wholes.size() >= most)
    return nullptr;
  semantics::WholeRows made =
      length ? semantics::wholeRows(tensors, sweeps, length, isAlongRows)
             : semantics::staggeredSweeps(tensors, sweeps);
  if ((length && !isAlongRows && !storesOfRows(made.plan)) ||
      lastLevel(made.plan, mode) != codegen::OptLevel::Optimized)
    return nullptr;
  auto loop = compiler.compile(made.plan, Mode::Tiered);
  if (!loop)
    return loop.error();
  return &wholes.pushUnless(isSame, compiler, first, tensors, arguments,
                            std::move(made), mode, std::move(*loop));
}

/// How a loop over rows that takes them whole reads or writes a tensor; none
/// where it does not.
static std::optional<AccessPattern> wholePatternOf(const RowGroup &group,
                                                   const RowSlot &slot) {
  const std::int64_t across = slot.kept[group.keptAxes - 1],
                     along = slot.reduced[0];
  if (along == 0)
    return across == slot.size ? AccessPattern::Contiguous
           : across == 0       ? AccessPattern::Constant
                               : AccessPattern::Strided;
  if (along != slot.size)
    return std::nullopt;
  if (across == group.length * slot.size)
    return AccessPattern::Rows;
  return across == 0 ? std::optional(AccessPattern::Row) : std::nullopt;
}

/// The tensors of a group by slot, as a loop that does all of its steps reads
/// and writes them; none where there is no such loop.
std::optional<std::vector<semantics::RowTensor>>
RowCall::wholeTensors(const RowGroup &group) const {
  std::vector<semantics::RowTensor> tensors(group.slots.size());
  for (const RowStep &step : group.steps)
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const RowSlot &slot = group.slots[step.slots[i]];
      semantics::RowTensor &tensor = tensors[step.slots[i]];
      if (slot.kind == RowSlot::Kind::Result) {
        const RowResult &result = results[slot.index];
        tensor.uncounted = result.uncounted;
        const bool isOwn = &groups[result.group] == &group;
        if (isOwn && (result.isShared || result.isPlaced))
          return std::nullopt;
        if (isOwn)
          continue;
      }
      // Elements may also be kept in an output, until it is stored.
      if (slot.kind == RowSlot::Kind::Output &&
          (i >= step.outputs || step.step->sweep.targets[i].kind !=
                                    semantics::SweepTarget::Kind::Stored))
        continue;
      tensor.pattern = wholePatternOf(group, slot);
      if (!tensor.pattern)
        return std::nullopt;
    }
  return tensors;
}

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

/// Whether vectors are those of AVX2: half as long, and as many, as AVX-512's.
static bool hasFewRegisters() {
  return fewRegisters.get([] {
    return code::ownArchitecture() == code::X86 &&
           !code::missingHere(std::array{std::string("avx512vl")}).empty();
  });
}

/// Bytes of the widest elements of rows, and of f32 at least.
static std::int64_t widestOf(const RowGroup &group) {
  std::int64_t size = 4;
  for (const RowSlot &slot : group.slots)
    if (slot.kind != RowSlot::Kind::Result && slot.reduced[0] != 0)
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
  const bool isLong = std::ranges::any_of(group.steps, [](const RowStep &step) {
    return !step.isOfRows && step.step->sweep.plan.hasLongElements();
  });
  const std::int64_t size = widestOf(group);
  const std::int64_t enough = isLong                   ? (size > 4 ? 11 : 13)
                              : hasOneReduction(group) ? (size > 4 ? 6 : 4)
                                                       : (size > 4 ? 16 : 6);
  return group.length >= enough || group.length % (vector / size) == 0;
}

/// Whether vectors of a loop that takes rows whole go along them, and not over
/// rows whose elements are parted: where rows fill vectors, and where it would
/// take many shuffles, those of results included.
static bool goesAlongRows(const RowGroup &group) {
  constexpr std::int64_t vector = 16, enough = 25, fewShuffles = 7;
  if (hasFewRegisters() &&
      std::ranges::none_of(group.steps, &RowStep::hasIndices))
    return severalGoAlongRows(group);
  std::int64_t odd = std::max<std::int64_t>(group.length, 1);
  while (odd % 2 == 0)
    odd /= 2;
  const std::int64_t fewest = hasOneSum(group)    ? vector
                              : odd > fewShuffles ? vector + 1
                                                  : enough;
  return group.length >= fewest;
}

/// Whether rows are so short, and what is computed of them, that a loop can
/// have them in registers from their elements to what becomes of these. It may
/// have more of them where it does not compute with wider elements.
static bool fitsWhole(const RowGroup &group, bool isAlongRows,
                      bool isInCaches) {
  constexpr std::int64_t mostBytes = 512, mostFromMemory = 704, fewRows = 16;
  constexpr unsigned mostOperations = 1300, vector = 16;
  if (group.keptAxes == 0 || group.reducedAxes != 1 || group.hasSums ||
      group.hasScans || (group.hasColumns && !group.isShort) ||
      group.length < 2 || group.lastKept() < fewRows)
    return false;
  std::int64_t operations = 0;
  bool reduces = false, isWide = false, isLong = false, hasIndices = false;
  for (const RowStep &step : group.steps) {
    const semantics::Plan &plan = step.step->sweep.plan;
    if (!step.isOfRows) {
      operations += plan.work().operations;
      isWide |= plan.graph.work(plan.precision).wide > 0;
      isLong |= plan.hasLongBody();
    }
    reduces |= step.reductions > 0;
    hasIndices |= step.hasIndices();
  }
  const bool hasNarrow = group.hasNarrow();
  // Lanes of a row know no index, and rows in lanes take shuffles of words.
  if (!reduces || (isAlongRows ? hasIndices : hasNarrow))
    return false;
  // Staggered sweeps wait less for memory, which narrow elements do not need.
  const bool isSlower =
      isLong && !isInCaches && !hasNarrow && group.keptAxes == 1;
  const std::int64_t most = isWide     ? mostBytes
                            : isSlower ? mostFromMemory
                                       : 2 * mostBytes;
  return group.length * widestOf(group) <= most &&
         operations * group.length <=
             mostOperations * (isAlongRows ? vector : 1);
}

/// Finds a loop that does all steps of a group. It has code later: how long
/// rows are is part of it, and these may be the only ones.
Status RowCall::takeWhole(RowGroup &group) {
  const bool isAlongRows = goesAlongRows(group);
  if (!fitsWhole(group, isAlongRows, movedBytes < lastCacheBytes()))
    return {};
  const auto tensors = wholeTensors(group);
  if (!tensors)
    return {};
  std::vector<semantics::RowSweep> sweeps;
  for (const RowStep &step : group.steps)
    sweeps.push_back({step.step->sweep.plan, step.slots});
  if (auto status = findWhole(group, sweeps, *tensors,
                              static_cast<unsigned>(group.length), isAlongRows);
      !status || !group.whole)
    return status;
  group.canStream =
      movedBytes > StoreChoice::FewestBytes &&
      std::ranges::all_of(group.whole->rows.plan.outputs, [](const auto &each) {
        return each.pattern == AccessPattern::Rows;
      });
  constexpr std::int64_t unit = 64;
  if (!group.isShort)
    group.columns = std::max(group.columns / unit * unit, unit);
  return {};
}

Status RowCall::findWhole(RowGroup &group,
                          std::span<const semantics::RowSweep> sweeps,
                          const std::vector<semantics::RowTensor> &tensors,
                          unsigned length, bool isAlongRows) {
  auto whole =
      program.whole(*group.steps[0].step, tensors, sweeps, length, isAlongRows);
  if (!whole)
    return whole.error();
  group.whole = *whole;
  if (!group.whole)
    return {};
  group.parameters.resize(group.whole->rows.plan.graph.parameters.size());
  return group.whole->parameters.find(given->inputs, group.parameters.data());
}

const Loop *RowGroup::wholeLoop(bool streams) const {
  if (!whole || (streams && !canStream))
    return nullptr;
  const Loop &loop = whole->loops.contiguous();
  const Loop *found = streams ? whole->loops.streaming(loop) : &loop;
  return found && found->code().function ? found : nullptr;
}

const Loop *RowGroup::loopOfTask(bool streams, void *const *first) const {
  const Loop *regular = wholeLoop(false);
  if (!streams || !regular)
    return regular;
  if (staggered)
    return staggersStreaming(first) ? wholeLoop(true) : nullptr;
  const Loop *streaming = wholeLoop(true);
  return streaming ? streaming : regular;
}

/// How many rows come before the first of those that are stored line by line,
/// from the one that the pointers are at; all `rows` if none is.
std::int64_t RowTask::rowsBeforeLine(std::int64_t rows) const {
  constexpr std::int64_t line = semantics::StreamAlignment;
  const semantics::Plan &plan = group.whole->rows.plan;
  const auto beginsLines = [&](std::int64_t row) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const char *first = static_cast<char *>(pointers[i]) + row * strides[i];
      if (reinterpret_cast<std::uintptr_t>(first) % line != 0)
        return false;
    }
    return true;
  };
  // Each row begins a vector that is stored, where they go along it.
  for (std::size_t i = 0; plan.isAlongRows && i < plan.outputs.size(); ++i)
    if (strides[i] % line != 0)
      return rows;
  for (std::int64_t row = 0; row < std::min(line, rows); ++row)
    if (beginsLines(row))
      return row;
  return rows;
}

/// All steps by one loop.
void RowTask::runWhole(std::int64_t begin, std::int64_t end) {
  const auto &[plan, tensors] = group.whole->rows;
  const std::int64_t last = group.lastKept();
  const Loop *const regular = group.wholeLoop(false);
  for (std::size_t i = 0; i < group.parameters.size(); ++i)
    pointers[tensors.size() + i] =
        const_cast<std::uint64_t *>(&group.parameters[i]);
  while (begin < end) {
    std::int64_t here = std::min(end - begin, last - begin % last);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      pointers[i] = placeOf(tensors[i], begin);
      strides[i] = group.slots[tensors[i]].kept[group.keptAxes - 1];
    }
    const Loop *loop = loopOfAll;
    if (const std::int64_t before =
            loop != regular ? rowsBeforeLine(here) : 0) {
      here = before;
      loop = regular;
    }
    loop->code().run(here, pointers.data(), strides.data());
    begin += here;
  }
}
