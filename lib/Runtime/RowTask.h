//===- Runtime/RowTask.h - What a thread does of a group of sweeps ------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ROWTASK_H
#define KEXPR_RUNTIME_ROWTASK_H

#include "Runtime/RowCall.h"

namespace kexpr::runtime {

/// A group of sweeps and its memory.
struct RowContext {
  const RowGroup &group;
  const std::vector<RowResult> &results;
  /// The first elements of outputs, then of inputs.
  void *const *first;
  std::byte *shared; ///< Results that other groups use.
  std::size_t outputs;
  /// The other results of all rows, where each row is done by all threads;
  /// null where a task keeps those of its tile.
  std::byte *own = nullptr;
};

/// States of reductions of one kind for neighbouring blocks, each of which
/// joins the one before as soon as both are of as many blocks.
class BlockTree {
public:
  /// Of `width` states side by side; `memory` has room for `bytesFor` blocks.
  BlockTree(const ops::ReductionLoops &loops, std::size_t width,
            std::byte *memory);
  static std::int64_t bytesFor(const ops::ReductionLoops &loops,
                               std::size_t width, std::int64_t blocks);

  /// Adds a block, or 2^level of them; parts of a state are `pitch` elements
  /// apart. A negative level is that of the last blocks, which are fewer.
  void push(const std::byte *states, std::size_t pitch, int level = 0);
  /// The states of all; parts are `width` apart.
  const std::byte *finish();
  void clear() { height = 0; }

private:
  std::byte *slot(std::size_t index) const { return memory + index * bytes; }

  const ops::ReductionLoops &loops;
  const std::size_t width, size, bytes;
  std::byte *const memory;
  std::size_t height = 0;
  std::array<int, 64> levels;
};

/// A thread's part of a group. What it needs is allocated when it is made, so
/// that it cannot fail later.
class RowTask {
public:
  RowTask(const RowContext &context, bool isSplit);

  /// Tiles are rows, or neighbouring columns.
  static std::int64_t tilesOf(const RowGroup &group);
  void runTiles(std::int64_t begin, std::int64_t end);

  // Where each row is done by all threads: a sweep in parts of a row.

  std::int64_t partsOfRow(const RowStep &step) const;
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
  void seek(std::int64_t row);
  void advance();
  char *linear(std::uint32_t slot, std::int64_t row) const;
  void runColumns(std::int64_t row, std::int64_t count);
  void reduceRow(const RowStep &step);
  void reduceColumns(const RowStep &step, std::int64_t count);
  void storeColumns(const RowStep &step, std::int64_t count);
  void reduceBlock(const RowStep &step, std::int64_t from, std::int64_t count);
  void storeRange(const RowStep &step, std::int64_t from, std::int64_t to);
  char *firstOf(std::uint32_t slot) const;
  void locate(const RowStep &step, std::int64_t element);
  void locateColumns(const RowStep &step);
  void pack(const RowStep &step, std::int64_t from, std::int64_t count);
  void setParameters(const RowStep &step);
  void call(const RowStep &step, std::int64_t count) const;
  /// Whether a slot of a sweep is that of a reduction, which stand first.
  static bool isReduced(const RowStep &step, std::size_t slot) {
    const auto &outputs = step.step->sweep.plan.outputs;
    return slot < outputs.size() && outputs[slot].reducing;
  }
  const ops::ReductionLoops &loopsOf(const RowStep &step,
                                     std::size_t output) const {
    return step.step->sweep.plan.outputs[output].reducing->loops();
  }
  std::size_t outputsOf(const RowStep &step) const {
    return step.step->sweep.plan.outputs.size();
  }
  std::int64_t counted(const RowStep &step, std::size_t output) const;
  std::size_t statesBytes(const ops::ReductionLoops &loops) const;
  std::byte *statesOf(std::size_t output) const {
    return states + output * stateBytes;
  }
  BlockTree treeOf(const RowStep &step, std::size_t output) const;
  void *resultOf(const RowStep &step, std::size_t output,
                 std::int64_t row) const;

  const RowContext context;
  const RowGroup &group;
  const bool isSplit;
  std::size_t width = 1; ///< States side by side.
  std::int64_t blocks = 1;
  /// Bytes for the states, and for the tree, of one reduction of a sweep.
  std::size_t stateBytes = 0, treeBytes = 0;
  std::size_t bytes = 0;
  std::size_t mostOutputs = 0;
  std::byte *own = nullptr, *states = nullptr, *trees = nullptr,
            *packs = nullptr;
  /// Where results of a tile begin.
  std::int64_t origin = 0, row = 0;
  std::int64_t at[MaxRank] = {};
  std::vector<char *> bases, places;
  /// The arguments of a loop.
  std::vector<void *> pointers;
  std::vector<std::int64_t> strides;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ROWTASK_H
