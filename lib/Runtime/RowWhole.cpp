//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rows over which one loop does all sweeps: so short that it has each in
/// registers from its elements to what becomes of them, or in parts.
///
//===----------------------------------------------------------------------===//
#include "Code/Features.h"
#include "Runtime/Hardware.h"
#include "Runtime/RowTask.h"
#include "Support/Fork.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
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
            ? plan.inputs[value.input].isInRows()
            : std::any_of(args.begin(), args.end(),
                          [&](auto arg) { return isOfRows[arg]; }));
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].isInRows() && !isOfRows[graph.outputs[i]])
      return false;
  return true;
}

/// Whether a loop takes rows in parts, with so little on the stack that a
/// host's threads may have small ones, whether it stores past the caches or
/// not.
static bool fitsInParts(semantics::Plan plan) {
  constexpr std::size_t most = 28 * 1024;
  if (!semantics::mayTakeParts(plan) || semantics::bytesOfParts(plan) > most)
    return false;
  plan.streams = true;
  return semantics::bytesOfParts(plan) <= most;
}

Expected<const RowProgram::Whole *>
RowProgram::whole(const Step &first,
                  const std::vector<semantics::RowTensor> &tensors,
                  std::span<const semantics::RowSweep> sweeps,
                  const semantics::RowForm &form) const {
  std::vector<std::uint32_t> arguments;
  for (const semantics::RowSweep &sweep : sweeps)
    arguments.insert(arguments.end(), sweep.tensors.begin(),
                     sweep.tensors.end());
  const auto isSame = [&](const Whole &each) {
    return &each.first == &first &&
           each.rows.plan.rowLength == form.rowLength &&
           each.rows.plan.isInParts == form.isInParts &&
           each.given == tensors && each.arguments == arguments;
  };
  for (const Whole &each : wholes)
    if (isSame(each))
      return &each;
  constexpr std::size_t most = 64;
  if (mode == Mode::Interpret || mode == Mode::Baseline ||
      wholes.size() >= most)
    return nullptr;
  semantics::WholeRows made = form.rowLength
                                  ? semantics::wholeRows(tensors, sweeps, form)
                                  : semantics::staggeredSweeps(tensors, sweeps);
  if ((form.rowLength && !form.isAlongRows && !storesOfRows(made.plan)) ||
      (form.isInParts && !fitsInParts(made.plan)) ||
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
  if (across == 0 && along == slot.size)
    return AccessPattern::Row;
  if (group.takesColumns())
    return across == slot.size ? std::optional(AccessPattern::Columns)
                               : std::nullopt;
  return along == slot.size && across == group.length * slot.size
             ? std::optional(AccessPattern::Rows)
             : std::nullopt;
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

/// Whether each element of columns that is stored begins a line where the first
/// one does: only those can go past the caches.
static bool mayBeginLines(const RowGroup &group) {
  constexpr std::int64_t line = semantics::StreamAlignment;
  return std::ranges::all_of(group.slots, [](const RowSlot &slot) {
    return slot.kind != RowSlot::Kind::Output || slot.reduced[0] % line == 0;
  });
}

/// How many elements of a row have their lines in one set of a first cache, as
/// they are whole pages apart, or nearly.
static std::int64_t mostInSet(const RowGroup &group) {
  constexpr std::int64_t line = 64, page = 4096;
  std::int64_t apart = line;
  for (const RowSlot &slot : group.slots)
    if (slot.isOfElements())
      apart = std::max(apart, std::gcd(slot.reduced[0], page));
  return group.length * apart / page;
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
    return work.isLong || mostInSet(group) <= inSet;
  return mayBeginLines(group) || group.length <= (work.isLong ? some : few);
}

/// Whether a loop may take columns whole: at once or, of more elements than a
/// block has lanes, in parts, where sweeps would compute for each element what
/// depends on its row. What is one sweep has a loop of its own, and two
/// elements gain nothing.
static bool fitsInColumns(const RowGroup &group, const GroupWork &work,
                          bool isInCaches) {
  constexpr std::int64_t fewest = 3;
  if (group.isFlat || work.sweeps < 2 || group.length < fewest ||
      group.length > ops::ReductionBlock)
    return false;
  return group.hasLongColumns()
             ? work.isLong
             : work.operations * group.length <= MostOperations &&
                   gainsInColumns(group, work, isInCaches);
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

/// How a loop takes the rows of a group whole, if it does.
static std::optional<semantics::RowForm> wholeForm(const RowGroup &group,
                                                   bool isInCaches) {
  constexpr std::int64_t fewRows = 16;
  const GroupWork work(group);
  if (group.keptAxes == 0 || group.reducedAxes != 1 || group.hasSums ||
      group.hasScans || group.length < 2 || group.lastKept() < fewRows ||
      !work.reduces)
    return std::nullopt;
  semantics::RowForm form{static_cast<unsigned>(group.length),
                          goesAlongRows(group), group.hasLongColumns()};
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

/// Finds a loop that does all steps of a group. It has code later: how long
/// rows are is part of it, and these may be the only ones.
Status RowCall::takeWhole(RowGroup &group) {
  // Of a cache that cores share a half is what a call may count on.
  const auto cached = static_cast<std::int64_t>(lastCacheBytes() /
                                                (group.takesColumns() ? 2 : 1));
  const auto form = wholeForm(group, movedBytes < cached);
  if (!form)
    return {};
  const auto tensors = wholeTensors(group);
  if (!tensors)
    return {};
  std::vector<semantics::RowSweep> sweeps;
  for (const RowStep &step : group.steps)
    sweeps.push_back({step.step->sweep.plan, step.slots});
  if (auto status = findWhole(group, sweeps, *tensors, *form);
      !status || !group.whole)
    return status;
  group.canStream = movedBytes > StoreChoice::FewestBytes &&
                    std::ranges::all_of(group.whole->rows.plan.outputs,
                                        &semantics::Access::isInRows) &&
                    (!group.takesColumns() || mayBeginLines(group));
  const semantics::Plan &plan = group.whole->rows.plan;
  group.streamsAnywhere =
      group.canStream && plan.isInParts &&
      semantics::streamsAnywhere(plan, semantics::partsOf(plan));
  constexpr std::int64_t inSet = 16;
  group.isCrowded = group.takesColumns() && mostInSet(group) > inSet;
  constexpr std::int64_t unit = 64;
  if (!group.isShort && !(form->isAlongRows && form->isInParts))
    group.columns = std::max(group.columns / unit * unit, unit);
  return {};
}

Status RowCall::findWhole(RowGroup &group,
                          std::span<const semantics::RowSweep> sweeps,
                          const std::vector<semantics::RowTensor> &tensors,
                          const semantics::RowForm &form) {
  auto whole = program.whole(*group.steps[0].step, tensors, sweeps, form);
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
  const auto &[plan, tensors] = group.whole->rows;
  const auto beginsLines = [&](std::int64_t row) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const char *first = static_cast<char *>(pointers[i]) +
                          row * rowStepOf(group.slots[tensors[i]]);
      if (reinterpret_cast<std::uintptr_t>(first) % line != 0)
        return false;
    }
    return true;
  };
  if (group.streamsAnywhere) {
    const RowSlot &slot = group.slots[tensors[0]];
    const auto first = reinterpret_cast<std::intptr_t>(pointers[0]);
    return first % slot.size == 0 ? 0 : rows;
  }
  // Each row begins a vector that is stored, where they go along it, or each of
  // its elements.
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if ((plan.isAlongRows || group.takesColumns()) && strides[i] % line != 0)
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
      const RowSlot &slot = group.slots[tensors[i]];
      pointers[i] = placeOf(tensors[i], begin);
      strides[i] = group.takesColumns() && slot.reduced[0] != 0
                       ? slot.reduced[0]
                       : rowStepOf(slot);
    }
    const Loop *loop = loopOfAll;
    if (const std::int64_t before =
            loop != regular ? rowsBeforeLine(here) : 0) {
      here = before;
      loop = regular;
    }
    if (group.takesColumns())
      runColumnsWhole(*loop, here);
    else
      loop->code().run(here, pointers.data(), strides.data());
    begin += here;
  }
}

static void copyColumns(char *to, std::int64_t toNext, const char *from,
                        std::int64_t fromNext, std::int64_t length,
                        std::int64_t bytes) {
  for (std::int64_t k = 0; k < length; ++k)
    std::memcpy(to + k * toNext, from + k * fromNext,
                static_cast<std::size_t>(bytes));
}

/// Columns from where the pointers are. Elements that crowd into a set are
/// copied side by side, some columns at a time, and so is what many become,
/// unless it goes past the caches: lines would be stored one after the other,
/// each of which has to be there first.
void RowTask::runColumnsWhole(const Loop &loop, std::int64_t count) {
  const auto &[plan, tensors] = group.whole->rows;
  const bool streams = &loop != group.wholeLoop(false),
             isLong = group.hasLongColumns();
  const bool copiesInputs = group.isCrowded && (isLong || !streams),
             copiesOutputs = (group.isCrowded || isLong) && !streams;
  if (!copiesInputs && !copiesOutputs)
    return loop.code().run(count, pointers.data(), strides.data());
  const auto isCopied = [&](std::size_t i) {
    const std::size_t outputs = plan.outputs.size();
    return i < outputs ? copiesOutputs && plan.outputs[i].isInRows()
                       : copiesInputs && plan.inputs[i - outputs].isInRows();
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    firsts[i] = static_cast<char *>(pointers[i]);
    rowSteps[i] = rowStepOf(group.slots[tensors[i]]);
    steps[i] = strides[i];
  }
  for (std::int64_t at = 0; at < count; at += StripColumns) {
    const std::int64_t here = std::min(StripColumns, count - at);
    std::byte *next = packs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      pointers[i] = firsts[i] + at * rowSteps[i];
      if (!isCopied(i))
        continue;
      char *copy = reinterpret_cast<char *>(next);
      next += packBytes;
      strides[i] = stripPitch(rowSteps[i]);
      if (i >= plan.outputs.size())
        copyColumns(copy, strides[i], static_cast<char *>(pointers[i]),
                    steps[i], group.length, here * rowSteps[i]);
      pointers[i] = copy;
    }
    loop.code().run(here, pointers.data(), strides.data());
    for (std::size_t i = 0; i < plan.outputs.size(); ++i)
      if (isCopied(i))
        copyColumns(firsts[i] + at * rowSteps[i], steps[i],
                    static_cast<char *>(pointers[i]), strides[i], group.length,
                    here * rowSteps[i]);
  }
}
