//===- Runtime/RowTask.h - What a thread does of a group of sweeps ------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ROWTASK_H
#define KEXPR_RUNTIME_ROWTASK_H

#include "Runtime/BlockTree.h"
#include "Runtime/RowCall.h"

namespace kexpr::runtime {

/// Arguments of a loop that a task has room for without an allocation: those
/// that do several sweeps have no more.
inline constexpr std::size_t FewArguments = 24;

/// A group of sweeps and its memory.
struct RowContext {
  const RowGroup &group;
  const std::vector<RowResult> &results;
  /// The first elements of outputs, then of inputs.
  void *const *first;
  std::byte *shared; ///< Results that other groups use.
  std::size_t outputs;
  std::int64_t columns; ///< Rows of a tile of this call.
  bool streams = false; ///< Whether stores go past the caches where they can.
  /// The other results of all rows, where each row is done by all threads;
  /// null where a task keeps those of its tile.
  std::byte *own = nullptr;
  const RowSumSink *sink = nullptr; ///< Where states are kept, if anywhere.
};

/// A thread's part of a group. What it needs is allocated when it is made, so
/// that it cannot fail later.
class RowTask : RowMemory {
public:
  /// Of rows that all threads do where results have memory of their own.
  explicit RowTask(const RowContext &context);

  static RowMemory memoryOf(const RowGroup &group, bool isSplit);

  /// Tiles are rows, or neighbouring columns.
  static std::int64_t tilesOf(const RowContext &context);
  void runTiles(std::int64_t begin, std::int64_t end);

  // Where each row is done by all threads: a sweep in parts of a row.

  std::int64_t partsOfRow() const;
  /// The parts that so many elements are, at least one.
  static std::int64_t partsOf(std::int64_t elements);
  /// Bytes of the states of all parts.
  std::int64_t partBytes(const RowStep &step) const;
  void runParts(const RowStep &step, std::int64_t begin, std::int64_t end,
                std::byte *parts);
  /// Makes results of the states of parts.
  void joinParts(const RowStep &step, const std::byte *parts);
  /// A sweep with an element a row, over some rows.
  void runRowStep(const RowStep &step, std::int64_t begin, std::int64_t end);

private:
  void openMemory();
  char *linear(std::uint32_t slot, std::int64_t row) const;
  char *placeOf(std::uint32_t slot, std::int64_t row) const;
  void startAt(const RowStep &step, std::int64_t row);
  void nextRow(const RowStep &step);
  void moveTo(const RowStep &step, std::int64_t element);
  void pack(const RowStep &step, std::int64_t from, std::int64_t count);
  void call(const RowStep &step, std::int64_t count) const;
  void callRows(const RowStep &step, std::int64_t count, std::int64_t rows,
                std::int64_t ahead);

  void runWhole(std::int64_t begin, std::int64_t end);
  /// Columns that are copied at a time for such a loop, and bytes from an
  /// element of theirs to the next one, which is in other sets of a cache.
  static constexpr std::int64_t StripColumns = 128;
  static std::int64_t stripPitch(std::int64_t size) {
    constexpr std::int64_t line = 64;
    return StripColumns * size + line;
  }
  void runColumnsWhole(const Loop &loop, std::int64_t count);
  static void holdCopies(RowMemory &all, const RowGroup &group,
                         std::size_t &tensors);
  std::int64_t rowsBeforeLine(std::int64_t rows) const;
  void runStaggered(std::int64_t begin, std::int64_t end);
  void runStep(const RowStep &step, std::int64_t begin, std::int64_t end);
  void openStaggered();
  void callStaggered(std::int64_t row);
  void joinBlocks(const RowStep &step, std::size_t output, std::byte *states);
  std::int64_t rowStepOf(const RowSlot &slot) const;
  /// Whether elements are not kept in their output: its lines would have to be
  /// there first, and it goes past the caches.
  bool isKeptApart(const RowSlot &slot) const {
    return slot.isKept && keepsApart;
  }
  std::int64_t stepOf(const RowSlot &slot) const;
  void runRows(std::int64_t begin, std::int64_t end);
  void reduceRows(const RowStep &step, std::int64_t begin, std::int64_t end);
  void reduceBlock(const RowStep &step, std::int64_t from, std::int64_t count,
                   std::int64_t blocks);
  void reduceRange(const RowStep &step, std::int64_t from, std::int64_t to);
  void storeRange(const RowStep &step, std::int64_t from, std::int64_t to);
  void storeRun(const RowStep &step, std::int64_t count, NextCall next = {});

  void runColumns(std::int64_t row, std::int64_t count);
  void startColumns(const RowStep &step, std::int64_t row, std::int64_t count);
  void moveColumns(const RowStep &step, std::int64_t element);
  std::size_t laneBytes(const RowStep &step, std::size_t i) const;
  /// Elements [from, to) of so many columns.
  struct LaneRange {
    std::int64_t from, to, count;
  };
  void reduceLanes(const RowStep &step, const LaneRange &range,
                   std::int64_t lane, std::int64_t apart, std::size_t slot);
  void reduceFlat(const RowStep &step, const LaneRange &range);
  bool takesAllAtOnce(const RowStep &step) const;
  void reduceAtOnce(const RowStep &step, std::int64_t row, std::int64_t count);
  /// Of a lane; short rows are whole or go element by element.
  std::int64_t elementsAtOnce(const RowStep &step) const {
    return group.isShort || step.takesRows ? 1 : step.atOnce;
  }
  void reduceLane(const RowStep &step, const LaneRange &range,
                  std::int64_t element, std::int64_t next);
  void openUnrolled(const RowStep &step);
  /// Elements from one that is taken to the next one, and to one that is
  /// fetched meanwhile.
  struct Distances {
    std::int64_t apart, ahead;
  };
  void callUnrolled(const RowStep &step, std::int64_t element,
                    std::int64_t count, Distances to);
  void fetchColumns(const RowStep &step, std::int64_t count,
                    std::int64_t ahead) const;
  void reduceColumns(const RowStep &step, std::int64_t row, std::int64_t count);
  void storeColumns(const RowStep &step, std::int64_t row, std::int64_t count,
                    std::int64_t from, std::int64_t to);
  void storeFlat(const RowStep &step, std::int64_t row, std::int64_t count);
  void finish(const RowStep &step, std::size_t output, std::int64_t row,
              std::int64_t rows, const std::byte *states, std::size_t pitch);

  // Exact sums, see RowSums.cpp.

  static std::size_t sumBytes(const RowStep &step, std::size_t width);
  static std::int64_t termPitch(std::size_t width);
  static std::size_t termBytes(const RowGroup &group, const RowStep &step,
                               std::size_t width);
  void openSums(const RowStep &step);
  void sumRange(const RowStep &step, std::int64_t from, std::int64_t to);
  void finishSums(const RowStep &step, std::int64_t row, std::int64_t rows);
  void sumRows(const RowStep &step, std::int64_t begin, std::int64_t end);
  void sumColumns(const RowStep &step, std::int64_t row, std::int64_t count);
  void sumPart(const RowStep &step, std::int64_t from, std::int64_t to,
               std::byte *part);
  void joinSums(const RowStep &step, const std::byte *parts);
  std::int64_t *sumsOf(std::size_t sum) const {
    return reinterpret_cast<std::int64_t *>(statesOf(sum));
  }
  /// Where a loop stores what a sum takes next.
  std::byte *termsOf(std::size_t sum) const {
    return treeMemory + sum * treeBytes;
  }

  // Scans, see RowScans.cpp.

  void openScans(const RowStep &step, std::size_t first);
  void scanRows(const RowStep &step, std::int64_t begin, std::int64_t end,
                std::int64_t length, std::size_t first = 0);
  bool followEachOther(const RowStep &step) const;
  void storeElements(const RowStep &step, std::int64_t row, std::int64_t rows,
                     std::int64_t from, std::int64_t to);
  void runPieces(std::int64_t begin, std::int64_t end);

  const ops::ReductionLoops &loopsOf(const RowStep &step,
                                     std::size_t output) const {
    return *step.reductionLoops[output];
  }
  std::byte *statesOf(std::size_t reduction) const {
    return states + reduction * stateBytes;
  }
  std::byte *rowStatesOf(std::size_t reduction) const {
    return rowStates + reduction * rowStateBytes;
  }
  void openTrees(const RowStep &step);

  const RowContext context;
  const RowGroup &group;
  std::byte *own = nullptr, *states = nullptr, *treeMemory = nullptr,
            *rowStates = nullptr, *keptRows = nullptr, *packs = nullptr;
  std::int64_t origin = 0;     ///< The row that results of a tile begin with.
  std::int64_t pieceStart = 0; ///< The element that kept ones begin with.
  InlineBuffer<char *, 16> bases;
  InlineBuffer<BlockTree, 4> trees;
  /// Where the current row begins in the slots of a sweep, and bytes to the
  /// next row and to the next element.
  InlineBuffer<char *, FewArguments> firsts;
  InlineBuffer<std::int64_t, FewArguments> rowSteps, steps;
  /// The arguments of a loop, and of one of several elements a row.
  InlineBuffer<void *, FewArguments> pointers;
  InlineBuffer<std::int64_t, 2 * FewArguments + 2> strides;
  /// Where an argument of all sweeps at once has the first of its rows, of
  /// which so many go round, or all are there.
  struct RowPlace {
    char *first;
    std::int64_t toRow, behind, round;
  };
  InlineBuffer<RowPlace, FewArguments> places;
  InlineBuffer<void *, FewArguments> pointersOfAll;
  InlineBuffer<std::int64_t, 2 * FewArguments + 2> stridesOfAll;
  /// See RowGroup::loopOfTask.
  const Loop *const loopOfAll;
  const bool keepsApart;
  void **pointersUnrolled = nullptr;
  std::int64_t *stridesUnrolled = nullptr;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ROWTASK_H
