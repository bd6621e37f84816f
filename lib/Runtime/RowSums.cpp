//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums that are exact until they are rounded. Loops store their elements, some
/// at a time, and one state of each row takes them: no order shows, so there
/// are neither lanes nor trees.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;
using ops::ReductionBlock;

std::size_t RowTask::sumBytes(const RowStep &step, std::size_t width) {
  std::size_t words = 0;
  for (const RowSum &sum : step.sums)
    words = std::max<std::size_t>(words, sum.exact->words);
  return words * width * Word;
}

/// Elements of a column that are copied together.
static constexpr std::int64_t MostTerms = 256;

/// From an element of a column to the next one: not a power of two of bytes, so
/// that they find room in a cache together.
std::int64_t RowTask::termPitch(std::size_t width) {
  constexpr std::int64_t line = 64 / Word;
  return static_cast<std::int64_t>(width) + line;
}

std::size_t RowTask::termBytes(const RowGroup &group, const RowStep &step,
                               std::size_t width) {
  if (step.sums.empty())
    return 0;
  const std::int64_t columns =
      group.hasColumns ? termPitch(width) * std::min(MostTerms, group.length)
                       : 0;
  return static_cast<std::size_t>(std::max(columns, ReductionBlock)) * Word;
}

/// Makes the states of the next rows those of no elements.
void RowTask::openSums(const RowStep &step) {
  std::memset(states, 0, step.sums.size() * stateBytes);
}

/// Has the states of a row take its elements [from, to).
void RowTask::sumRange(const RowStep &step, std::int64_t from,
                       std::int64_t to) {
  for (; from < to; from += ReductionBlock) {
    const std::int64_t count = std::min(ReductionBlock, to - from);
    // Elements may be in several runs.
    const bool isOneRun = group.reducedAxes <= 1 || group.packs;
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t here =
          isOneRun ? count
                   : std::min(group.inner() - (from + done) % group.inner(),
                              count - done);
      moveTo(step, from + done);
      if (group.packs)
        pack(step, from, count);
      for (std::size_t i = 0; i < step.sums.size(); ++i)
        pointers[i] = termsOf(i) + static_cast<std::size_t>(done) *
                                       sizeOf(step.sums[i].exact->element);
      call(step, here);
      done += here;
    }
    for (std::size_t i = 0; i < step.sums.size(); ++i)
      step.sums[i].exact->add(static_cast<std::size_t>(count), termsOf(i),
                              sumsOf(i));
  }
}

/// Makes results of the states of rows, or keeps the states for the caller.
void RowTask::finishSums(const RowStep &step, std::int64_t row,
                         std::int64_t rows) {
  for (std::size_t i = 0; i < step.sums.size(); ++i) {
    const RowSum &sum = step.sums[i];
    const std::uint32_t slot = step.slots[i];
    const auto size = static_cast<std::int64_t>(sizeOf(sum.exact->element));
    const std::int64_t divisor = sum.isMean ? group.length : 1;
    char *results = linear(slot, row);
    for (std::int64_t k = 0; k < rows; ++k)
      sum.exact->round(sumsOf(i) + k * sum.exact->words, divisor, sum.result,
                       results + k * size);
    const RowSumSink *sink = context.sink;
    const auto value = context.results[group.slots[slot].index].value;
    if (sink && value < sink->size() && (*sink)[value])
      std::memcpy((*sink)[value] + row * sum.exact->words, sumsOf(i),
                  static_cast<std::size_t>(rows) * sum.exact->words * Word);
  }
}

void RowTask::sumRows(const RowStep &step, std::int64_t begin,
                      std::int64_t end) {
  const std::int64_t last = group.lastKept();
  for (std::int64_t row = begin; row < end; ++row) {
    if (row == begin || row % last == 0)
      startAt(step, row);
    else
      nextRow(step);
    openSums(step);
    sumRange(step, 0, group.length);
    finishSums(step, row, 1);
  }
}

/// Has the state of each column take its elements, which are `pitch` apart.
template <class T>
static void addColumns(const ops::ExactSums &exact, const void *from,
                       std::int64_t length, std::int64_t columns,
                       std::int64_t pitch, std::int64_t *states) {
  T column[MostTerms];
  for (std::int64_t c = 0; c < columns; ++c, states += exact.words) {
    const T *next = static_cast<const T *>(from) + c;
    for (std::int64_t i = 0; i < length; ++i, next += pitch)
      column[i] = *next;
    exact.add(static_cast<std::size_t>(length), column, states);
  }
}

void RowTask::sumColumns(const RowStep &step, std::int64_t row,
                         std::int64_t count) {
  startColumns(step, row, count);
  openSums(step);
  const std::int64_t pitch = termPitch(width);
  for (std::int64_t from = 0; from < group.length; from += MostTerms) {
    const std::int64_t here = std::min(MostTerms, group.length - from);
    for (std::int64_t element = 0; element < here; ++element) {
      moveColumns(step, from + element);
      for (std::size_t i = 0; i < step.sums.size(); ++i)
        pointers[i] = termsOf(i) + static_cast<std::size_t>(element * pitch) *
                                       sizeOf(step.sums[i].exact->element);
      fetchColumns(step, count, 1);
      call(step, count);
    }
    for (std::size_t i = 0; i < step.sums.size(); ++i) {
      const ops::ExactSums &exact = *step.sums[i].exact;
      const auto add = exact.element == DType::F64 ? &addColumns<double>
                                                   : &addColumns<float>;
      add(exact, termsOf(i), here, count, pitch, sumsOf(i));
    }
  }
  finishSums(step, row, count);
}

void RowTask::sumPart(const RowStep &step, std::int64_t from, std::int64_t to,
                      std::byte *part) {
  openSums(step);
  sumRange(step, from, to);
  for (std::size_t i = 0; i < step.sums.size(); ++i) {
    const std::size_t size = step.sums[i].exact->words * Word;
    std::memcpy(part, sumsOf(i), size);
    part += size;
  }
}

void RowTask::joinSums(const RowStep &step, const std::byte *parts) {
  const std::int64_t count = partsOfRow();
  std::int64_t state[ops::ExactSums::MostWords];
  for (std::int64_t row = 0; row < group.rows; ++row) {
    openSums(step);
    for (std::int64_t part = 0; part < count; ++part)
      for (std::size_t i = 0; i < step.sums.size(); ++i) {
        const ops::ExactSums &exact = *step.sums[i].exact;
        std::memcpy(state, parts, exact.words * Word);
        exact.merge(sumsOf(i), state);
        parts += exact.words * Word;
      }
    finishSums(step, row, 1);
  }
}
