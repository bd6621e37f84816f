//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elements that rows have at their classes, as losses take them: one a row is
/// read, whatever the row's length.
///
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// Rows that follow each other at even distances; strides are in bytes.
struct RowRun {
  std::int64_t rows;
  const std::byte *from, *classes;
  std::byte *to;
  std::int64_t step, classesStep; ///< From row to row.
  std::int64_t classStep;         ///< From class to class.
  std::uint64_t count;            ///< Of classes.
};
using RunFn = void (*)(const RowRun &run);
} // namespace

/// Gives `make` the class of each row, or `count` or more where there is none.
template <class Class, class F>
static void forClasses(const RowRun &run, F make) {
  for (std::int64_t row = 0; row < run.rows; ++row) {
    Class own;
    std::memcpy(&own, run.classes + row * run.classesStep, sizeof own);
    make(row, static_cast<std::uint64_t>(own)); // A negative one is large.
  }
}

/// Where there is no such class the element is 0, and no loss shows it.
template <class Class, class Element> static void takeRun(const RowRun &run) {
  forClasses<Class>(run, [&](std::int64_t row, std::uint64_t own) {
    Element element{};
    if (own < run.count)
      std::memcpy(&element,
                  run.from + row * run.step +
                      static_cast<std::int64_t>(own) * run.classStep,
                  sizeof element);
    std::memcpy(run.to + row * static_cast<std::int64_t>(sizeof element),
                &element, sizeof element);
  });
}

template <class Class> static void findRun(const RowRun &run) {
  forClasses<Class>(run, [&](std::int64_t row, std::uint64_t own) {
    run.to[row] = std::byte{own < run.count};
  });
}

template <class Class> static RunFn functionOf(const RowElements &elements) {
  if (elements.isTruth)
    return findRun<Class>;
  switch (elements.from.size) {
  case 8:
    return takeRun<Class, std::uint64_t>;
  case 4:
    return takeRun<Class, std::uint32_t>;
  case 2:
    return takeRun<Class, std::uint16_t>;
  default:
    return takeRun<Class, std::uint8_t>;
  }
}

static RunFn functionOf(const RowElements &elements) {
  switch (elements.type) {
  case DType::I64:
    return functionOf<std::int64_t>(elements);
  case DType::I32:
    return functionOf<std::int32_t>(elements);
  case DType::I16:
    return functionOf<std::int16_t>(elements);
  case DType::I8:
    return functionOf<std::int8_t>(elements);
  case DType::U64:
    return functionOf<std::uint64_t>(elements);
  case DType::U32:
    return functionOf<std::uint32_t>(elements);
  case DType::U16:
    return functionOf<std::uint16_t>(elements);
  default:
    return functionOf<std::uint8_t>(elements);
  }
}

Status RowCall::take(const RowElements &elements, const RowContext &context,
                     const RunOptions &options, const Executor &executor,
                     DefaultFloats &floats) const {
  const Shape &shape = results[elements.result].shape;
  const auto placeOf = [&](const RowSlot &slot) {
    return slot.kind == RowSlot::Kind::Operand
               ? static_cast<const std::byte *>(
                     context.first[context.outputs + slot.index])
               : context.shared + results[slot.index].offset;
  };
  RowRun all{.rows = shape.elementCount(),
             .from = placeOf(elements.from),
             .classes = placeOf(elements.classes),
             .to = context.shared + results[elements.result].offset,
             .step = 0,
             .classesStep = 0,
             .classStep = elements.steps[1] * elements.from.size,
             .count = static_cast<std::uint64_t>(elements.count)};
  const std::int64_t size = results[elements.result].size;
  // Runs are along the last axis that has several rows.
  std::size_t axes = shape.rank();
  while (axes > 1 && shape[axes - 1] == 1)
    --axes;
  const RunFn function = functionOf(elements);
  const auto takeRange = [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      RowRun run = all;
      run.rows =
          std::min(end - begin, shape[axes - 1] - begin % shape[axes - 1]);
      run.step = elements.steps[axes - 1] * elements.from.size;
      run.classesStep = elements.classSteps[axes - 1] * elements.classes.size;
      run.to += begin * size;
      std::int64_t left = begin;
      for (std::size_t axis = axes; axis-- > 0; left /= shape[axis]) {
        const std::int64_t at = left % shape[axis];
        if (axis == 1)
          continue;
        run.from += at * elements.steps[axis] * elements.from.size;
        run.classes += at * elements.classSteps[axis] * elements.classes.size;
      }
      function(run);
      begin += run.rows;
    }
  };
  constexpr std::int64_t rowsOfGrain = 4096;
  const std::int64_t tile = options.tileElements;
  const bool isSerial =
      tile > 0 ? all.rows <= tile : all.rows < GrainsShared * rowsOfGrain;
  const Split split{.grain = tile > 0 ? tile : rowsOfGrain,
                    .maxThreads = isSerial ? 1 : options.maxThreads,
                    .stayAwake = options.stayAwake,
                    .host = executor,
                    .floats = &floats,
                    .interrupt = options.interrupt};
  return forRange(all.rows, split, [&](Ranges &ranges) {
    for (std::int64_t begin, end; ranges.next(begin, end);)
      takeRange(begin, end);
  });
}
