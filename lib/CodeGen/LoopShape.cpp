//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopShape.h"

#include "Code/Features.h"
#include "CodeGen/LoopArgument.h"
#include "Semantics/WholeRows.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <bit>

using namespace kexpr;
using namespace kexpr::codegen;
using semantics::Plan;

/// Those of AVX-512 and of Arm.
static constexpr unsigned EnoughRegisters = 32;

static bool reduces(const Plan &plan) {
  return std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [](const auto &output) { return output.reducing; });
}

bool codegen::fetchesPages(const Plan &plan, const Target &target) {
  return target.stopsAtPages || plan.hasLongBody();
}

/// A core has time for it between them: on Zen 3 sums of rows of 16 to 96
/// elements from memory take 0.75 to 0.98 of theirs, `amax` 0.91 to 1.06. It
/// sees further on by itself where a step has several.
std::uint64_t codegen::bytesAheadOfRows(const Plan &plan, const Target &target,
                                        OptLevel level) {
  constexpr std::uint64_t fewLines = 24 * LineBytes;
  if (fetchesPages(plan, target))
    return PageBytes;
  if (target.vectorRegisters >= EnoughRegisters)
    return 0;
  return rowsAtOnce(plan, target, level) > 1 ? fewLines / 2 : fewLines;
}

bool codegen::maySpill(const Plan &plan, OptLevel level) {
  return level == OptLevel::Baseline || plan.rowLength > 0 ||
         plan.hasLongBody();
}

/// Elements of a row at most, of several of which AVX-512 has registers for
/// stages.
static constexpr unsigned FewElements = 16;

/// Of each element of rows, without what they have once.
static unsigned operationsOfElements(const Plan &plan) {
  const std::vector<bool> areOfElements = semantics::valuesOfElements(plan);
  unsigned operations = 0;
  for (semantics::ValueId id = 0; id < plan.graph.values.size(); ++id)
    if (areOfElements[id])
      operations +=
          plan.graph.workOf(plan.graph.values[id], plan.precision).operations;
  return operations;
}

/// Values of elements that wait for others at once, at most.
static std::size_t waitingValues(const Plan &plan) {
  const std::vector<bool> areOfElements = semantics::valuesOfElements(plan);
  const semantics::Graph &graph = plan.graph;
  std::vector<semantics::ValueId> last(graph.values.size());
  for (semantics::ValueId id = 0; id < last.size(); ++id)
    for (semantics::ValueId arg : graph.args(graph.values[id]))
      last[arg] = id;
  std::size_t most = 0, waiting = 0;
  std::vector<std::size_t> ending(last.size() + 1);
  for (semantics::ValueId id = 0; id < last.size(); ++id) {
    waiting -= ending[id];
    if (!areOfElements[id])
      continue;
    ++ending[std::max(last[id], id + 1)];
    most = std::max(most, ++waiting);
  }
  return most;
}

bool codegen::takesElementsInTurn(const Plan &plan, const Target &target) {
  // Of a stack of 64 KiB, and LLVM moves what waits further apart.
  constexpr std::size_t mostBytes = 12 << 10;
  return waitingValues(plan) * plan.rowLength * vectorBitsOf(plan, target) / 8 >
         mostBytes;
}

static bool storesRows(const Plan &plan) {
  return std::ranges::any_of(plan.outputs, &semantics::Access::isInRows);
}

/// Several rows share the shuffles of their folds and what is computed once of
/// each, and only the last has masks: vectors of others reach into the next.
/// Measured on Zen 3: rows of few registers gain, one if they are whole, and
/// longer ones where they become one result or end within a vector. With the
/// registers of AVX-512, on Zen 5, those that become results of few operations
/// gain up to 64 elements, whatever is done with the results, and those that
/// are stored up to 16, of short bodies or of several folds up to 31. Of many
/// operations values of all rows would wait on the stack, which may be small.
unsigned codegen::rowsAtOnce(const Plan &plan, const Target &target,
                             OptLevel level) {
  constexpr unsigned most = 8, few = 3, many = 16, mostBits = 2048,
                     mostOperations = 48;
  const bool hasEnough = target.vectorRegisters >= EnoughRegisters;
  if (level == OptLevel::Baseline || plan.isInParts ||
      (hasEnough && target.architecture() != code::X86))
    return 1;
  const auto folds = std::ranges::count(
      plan.graph.values, semantics::ValueKind::Fold, &semantics::Value::kind);
  const bool isLong = plan.hasLongElements(), stores = storesRows(plan);
  const unsigned operations = operationsOfElements(plan);
  const unsigned lanes = lanesOf(plan, target);
  const bool isWhole = plan.rowLength % lanes == 0,
             isOneFold = folds == 1 && !stores && (hasEnough || !isLong);
  // Narrow elements are widened.
  const auto registers = static_cast<unsigned>(
      llvm::divideCeil(llvm::alignTo(plan.rowLength, lanes),
                       std::min(lanes, vectorBitsOf(plan, target) / 32)));
  const bool isLarge =
      stores ? registers >= few ||
                   (isLong && folds == 1 && plan.rowLength > FewElements)
             : operations > Plan::ShortBody ||
                   registers * vectorBitsOf(plan, target) > mostBits;
  if (operations > mostOperations || (hasEnough && isLarge))
    return 1;
  if (registers <= (isWhole && !isOneFold ? 1 : few))
    return std::min(most, lanes);
  const bool gains = isOneFold || (stores && !isWhole && !isLong);
  return gains && registers <= many ? std::min(most / 2, lanes) : 1;
}

static bool isLongReduction(const Plan &plan) {
  return reduces(plan) && plan.elementsAtOnce() == 1 && plan.hasLongBody();
}

/// Whether the states of a long body are beside constants that have registers.
static bool besideConstants(const Plan &plan, const Target &target,
                            OptLevel level) {
  return codegen::holdsConstants(plan, target, level) && isLongReduction(plan);
}

static bool isLongBesideConstants(const Plan &plan, const Target &target,
                                  OptLevel level) {
  return besideConstants(plan, target, level) && plan.hasLongElements();
}

/// Whether the stages of two vectors of such a body have registers as well,
/// beside states that do: values then move less from one to the next. On Zen 5
/// softmaxes and sums of exp take 0.92 to 0.96 of the time in caches, sums of
/// tanh, which has 40 operations, 1.2.
static bool takesTwoVectors(const Plan &plan, const Target &target,
                            OptLevel level) {
  constexpr unsigned most = 38; // operations
  return isLongBesideConstants(plan, target, level) &&
         plan.work().operations <= most && !computesWide(plan) &&
         codegen::holdsStates(plan, target, level);
}

/// A short body is repeated so that the loop's own instructions weigh little; a
/// long one hides its latency by itself, since a core looks hundreds of
/// instructions ahead.
unsigned codegen::unrollFactorOf(const Plan &plan, const Target &target,
                                 OptLevel level) {
  const unsigned operations = plan.work().operations;
  if (plan.rowLength > 0)
    return 1;
  const auto vectors =
      static_cast<unsigned>(ops::ReductionLanes) / lanesOf(plan, target);
  // There are registers for the stages of one vector as well.
  if (isLongBesideConstants(plan, target, level))
    return takesTwoVectors(plan, target, level) ? 2 : 1;
  if (holdsStates(plan, target, level))
    return std::max(4u, vectors);
  const unsigned factor = operations <= 12 ? 4
                          : operations <= 32 && level == OptLevel::Optimized
                              ? 2
                              : 1;
  // States of lanes that are in memory take one element in a step.
  return reduces(plan) ? std::min(factor, vectors) : factor;
}

bool codegen::holdsConstants(const Plan &plan, const Target &target,
                             OptLevel level) {
  return level == OptLevel::Optimized && plan.rowLength == 0 &&
         target.vectorRegisters >= EnoughRegisters &&
         (target.fewLoads || isLongReduction(plan));
}

/// Measured with AVX2; what is older is as it was. Elements that a step takes
/// at once share them.
bool codegen::foldsConstants(const Plan &plan, const Target &target,
                             OptLevel level) {
  return level == OptLevel::Optimized && target.hasPermute &&
         target.vectorRegisters < EnoughRegisters && plan.hasLongBody() &&
         plan.elementsAtOnce() == 1;
}

/// Where states and what takes them have registers enough: beside constants,
/// if a body is long, where a few.
bool codegen::holdsStates(const Plan &plan, const Target &target,
                          OptLevel level) {
  const bool isLong = plan.hasLongElements();
  if (level == OptLevel::Baseline || !reduces(plan) ||
      (isLong &&
       (!besideConstants(plan, target, level) || plan.work().rareWays > 0)))
    return false;
  std::size_t bits = 0;
  for (const semantics::Access &output : plan.outputs) {
    if (!output.reducing)
      continue;
    if (output.pattern == semantics::AccessPattern::Contiguous)
      return false;
    bits += ops::ReductionLanes * output.reducing->loops().parts * 8 *
            sizeOf(output.type);
  }
  // What states take waits until it is known that nothing is rare.
  if (plan.work().rareWays > 0)
    bits *= 2;
  return bits <= std::size_t{vectorBitsOf(plan, target)} *
                     (target.vectorRegisters / (isLong ? 4 : 2));
}

/// As many as keep the longest chain of a stage below some 20 cycles: then the
/// hundred operations that a core's schedulers hold are of enough chains. What
/// states take is in the last stage with all that becomes of it.
unsigned codegen::stagesOf(const Plan &plan, const Target &target,
                           OptLevel level) {
  constexpr unsigned most = 4, mostOfTwo = 3, loadAndStore = 6, cycles = 20;
  const ops::Work work = plan.graph.work(plan.precision);
  if (level == OptLevel::Optimized && plan.isAlongRows && !plan.isInParts) {
    // It waits for folds. Of several rows registers hold few elements.
    const bool hasRegisters = target.vectorRegisters >= EnoughRegisters &&
                              plan.rowLength <= FewElements;
    return rowsAtOnce(plan, target, level) == 1 ||
                   (hasRegisters && storesRows(plan))
               ? most
               : 1;
  }
  if (level == OptLevel::Baseline || work.operations <= Plan::ShortBody ||
      plan.rowLength > 0)
    return 1;
  return std::clamp((work.latency + loadAndStore + cycles / 2) / cycles, 1u,
                    takesTwoVectors(plan, target, level) ? mostOfTwo : most);
}

/// Where there are registers for the chains of several.
bool codegen::staggersElements(const Plan &plan, const Target &target,
                               OptLevel level) {
  return level == OptLevel::Optimized &&
         target.vectorRegisters >= EnoughRegisters &&
         plan.elementsAtOnce() > 1 && plan.hasLongElements();
}

/// Where divisions and roots take longer than the rest: elsewhere the products
/// that replace one take as long.
bool codegen::replacesDivisions(const Plan &plan, OptLevel level) {
  const ops::Work work = plan.graph.work(plan.precision);
  return level == OptLevel::Optimized && !reduces(plan) &&
         2 * work.divisions >= work.operations;
}

bool codegen::takesKept(const Plan &plan, const Target &target, OptLevel level,
                        std::size_t reduced) {
  const semantics::Graph &graph = plan.graph;
  const semantics::Value &value = graph.values[graph.outputs[reduced]];
  if (!plan.streams || level != OptLevel::Optimized ||
      !holdsStates(plan, target, level) || target.architecture() != code::X86 ||
      target.vectorRegisters < EnoughRegisters ||
      value.kind != semantics::ValueKind::Convert || value.type != DType::F64 ||
      reduced + 1 == plan.outputs.size())
    return false;
  const semantics::Access &next = plan.outputs[reduced + 1];
  return !next.reducing && next.isKept && next.type == DType::F32 &&
         graph.outputs[reduced + 1] == value.args[0];
}

/// A tail has states in memory, and constants that it loads.
unsigned codegen::fewestVectorsOf(const Plan &plan, const Target &target,
                                  OptLevel level) {
  constexpr unsigned usual = 12, besideStates = 6;
  return besideConstants(plan, target, level) ? besideStates : usual;
}

/// Whether a value is nothing but converted for a reduction.
static bool isForStates(const Plan &plan, semantics::ValueId id) {
  const semantics::Graph &graph = plan.graph;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (graph.outputs[i] == id && !plan.outputs[i].reducing)
      return false;
  return graph.values[id].kind == semantics::ValueKind::Convert &&
         std::none_of(graph.values.begin(), graph.values.end(),
                      [&](const semantics::Value &value) {
                        return llvm::is_contained(graph.args(value), id);
                      });
}

/// Operations with results of 8 bytes, but for those that states take.
static unsigned wideOperationsOf(const Plan &plan) {
  unsigned operations = 0;
  for (semantics::ValueId id = 0; id < plan.graph.values.size(); ++id)
    if (const semantics::Value &value = plan.graph.values[id];
        sizeOf(value.type) == sizeof(double) && !isForStates(plan, id))
      operations += plan.graph.workOf(value, plan.precision).operations;
  return operations;
}

/// Bytes of the widest value that is computed, or copied where none is. Values
/// of 8 bytes have two registers in a long body that is of others for the most
/// part, and anything in what takes rows whole.
static unsigned widestOf(const Plan &plan) {
  const bool takesPairs =
      plan.hasLongBody() &&
      2 * wideOperationsOf(plan) < plan.graph.work(plan.precision).operations;
  std::size_t widest = 1;
  if (plan.rowLength > 0) {
    for (const auto *accesses : {&plan.inputs, &plan.outputs})
      for (const semantics::Access &access : *accesses)
        widest = std::max(widest, sizeOf(access.type));
    return static_cast<unsigned>(widest);
  }
  for (const semantics::Value &value : plan.graph.values)
    if (const std::size_t bytes = sizeOf(value.type);
        !takesPairs || bytes < sizeof(double))
      widest = std::max(widest, bytes);
  return static_cast<unsigned>(widest);
}

/// Elements of a vector: as many as a register has of the widest values. f32 in
/// double lanes takes two registers a value; a long formula needs more of them
/// than there are, and is better off with half as many elements (by a quarter
/// slower than in full vectors if those fitted, as short ones do). Zen 5, with
/// the registers of AVX2.
unsigned codegen::lanesOf(const Plan &plan, const Target &target) {
  constexpr unsigned manyOperations = 68, fewRegisters = 256;
  const unsigned bits = vectorBitsOf(plan, target);
  unsigned lanes = bits / (8 * widestOf(plan));
  if (widestOf(plan) < 8 && bits <= fewRegisters &&
      plan.work().wide + wideOperationsOf(plan) > manyOperations)
    lanes /= 2;
  if (reduces(plan) || plan.rowLength > 0)
    lanes = std::min(lanes, static_cast<unsigned>(ops::ReductionLanes));
  if (plan.isAlongRows)
    lanes = std::min(lanes, std::bit_ceil(plan.rowLength));
  // Of more elements whole pages apart than the first cache holds in a set a
  // line would be gone before its next part. Memory wants fewer at once.
  constexpr unsigned inSet = 8, allLanes = ops::ReductionLanes;
  const bool sharesLines =
      plan.takesColumns() ? plan.rowLength > inSet
                          : plan.elementsAtOnce() > inSet &&
                                plan.elementsAtOnce() <= allLanes &&
                                !plan.hasLongElements() && !plan.findsIndices();
  if (sharesLines && target.vectorRegisters < EnoughRegisters)
    lanes = std::min(2 * lanes, allLanes);
  // Accesses lane by lane have code for each lane.
  constexpr unsigned mostSingly = 16;
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const semantics::Access &access : *accesses)
      if (access.reducing)
        continue;
      else if (access.pattern == semantics::AccessPattern::Strided ||
               sizeOf(access.type) < target.maskedBytes || !target.maskedBytes)
        lanes = std::min(lanes, mostSingly);
  return lanes;
}

bool codegen::computesWide(const Plan &plan) {
  for (semantics::ValueId id = 0; id < plan.graph.values.size(); ++id)
    if (!isForStates(plan, id) &&
        plan.graph.workOf(plan.graph.values[id], plan.precision).wide > 0)
      return true;
  return false;
}

/// Elements of a vector where f32 is computed in double lanes and time does not
/// matter: with a register for each value, not two, there is half as much code.
unsigned codegen::tailLanesOf(const Plan &plan, const Target &target) {
  // LLVM makes poor code of vectors that fill no register.
  constexpr unsigned fewest = 4;
  const unsigned lanes = lanesOf(plan, target);
  return std::min(lanes, std::max(fewest, vectorBitsOf(plan, target) / 64));
}
