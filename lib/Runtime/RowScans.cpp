//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scans. A loop stores their elements, which then become the scan where they
/// are: one element of a row waits for the one before, so vectors go across
/// rows, or several rows take turns.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include <algorithm>
#include <span>

using namespace kexpr;
using namespace kexpr::runtime;

/// Makes the states of the rows of a tile those of no elements: those of a
/// sweep's scans, where `first` is that of its first one.
void RowTask::openScans(const RowStep &step, std::size_t first) {
  const auto pitch = static_cast<std::size_t>(group.room);
  for (std::size_t i = 0; i < step.scans.size(); ++i)
    step.scans[i].loops->reset(pitch, rowStatesOf(first + i), pitch, 0, 0);
}

/// Makes scans of what a sweep stored for some rows, `length` elements of each.
void RowTask::scanRows(const RowStep &step, std::int64_t begin,
                       std::int64_t end, std::int64_t length,
                       std::size_t first) {
  if (pieceStart == 0)
    openScans(step, first);
  const std::int64_t last = group.lastKept();
  for (std::size_t i = 0; i < step.scans.size(); ++i) {
    const RowScan &scan = step.scans[i];
    const std::uint32_t number = step.slots[scan.output];
    const RowSlot &slot = group.slots[number];
    const std::int64_t size = slot.size;
    const std::int64_t toElement =
        group.reducedAxes ? slot.reduced[group.reducedAxes - 1] / size : 1;
    const std::int64_t toRow =
        slot.isScratch && !group.hasColumns ? group.scratchLength()
        : group.keptAxes ? slot.kept[group.keptAxes - 1] / size
                         : 0;
    for (std::int64_t row = begin; row < end;) {
      const std::int64_t here = std::min(end - row, last - row % last);
      scan.loops->scan(static_cast<std::size_t>(here),
                       rowStatesOf(first + i) + (row - begin) * size,
                       static_cast<std::size_t>(group.room), length,
                       placeOf(number, row), toRow, toElement);
      row += here;
    }
  }
}

/// Takes some rows through the sweeps from the first scan on, some elements at
/// a time: states go on from piece to piece.
void RowTask::runPieces(std::int64_t begin, std::int64_t end) {
  const std::span<const RowStep> rest =
      std::span(group.steps).subspan(group.firstInPieces);
  for (; pieceStart < group.length; pieceStart += group.piece) {
    const std::int64_t to = std::min(pieceStart + group.piece, group.length);
    std::size_t first = 0;
    for (const RowStep &step : rest) {
      if (group.hasColumns)
        storeColumns(step, begin, end - begin, pieceStart, to);
      else
        storeElements(step, begin, end, pieceStart, to);
      scanRows(step, begin, end, to - pieceStart, first);
      first += step.scans.size();
    }
  }
  pieceStart = 0;
}
