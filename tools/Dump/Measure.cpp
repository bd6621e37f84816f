//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Measure.h"

#include "Bench/Limits.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"
#include "Bench/Yardsticks.h"
#include "Code/CodeMemory.h"
#include "Common/Array.h"
#include "Semantics/Promotion.h"
#include "Support/Text.h"

#include <algorithm>
#include <limits>
#include <random>
#include <span>
#include <sstream>

using namespace kexpr;
using namespace kexpr::tools;
using semantics::AccessPattern;

namespace {
/// Operands, outputs and parameters of a plan's loop in memory.
class LoopData {
public:
  /// Errors: OutOfMemory; InvalidArgument for numbers that cannot be computed
  /// from operands of the shape [1,1,1,count].
  static Expected<LoopData> make(const semantics::Plan &plan,
                                 std::int64_t count);

  void run(semantics::LoopFn loop) const {
    loop(count, pointers.data(), strides.data());
  }

private:
  explicit LoopData(std::int64_t count) : count(count) {}
  Status addOperand(const semantics::Access &access);
  Status addStates(const semantics::Access &access);
  Status addParameters(const semantics::Graph &graph);

  std::int64_t count;
  std::vector<Array> arrays;
  std::vector<std::uint64_t> parameters;
  std::vector<void *> pointers;
  std::vector<std::int64_t> strides;
};
} // namespace

/// Elements from one to the next of a strided operand.
static constexpr std::int64_t step = 2;

/// Numbers that take the fast path of every operator, the same in every run.
static void fill(Array &array) {
  // Random numbers repeat after a prime number of elements: quickly made.
  constexpr std::int64_t period = 4093;
  std::minstd_rand random(1);
  const bool isReal = semantics::isFloatingPoint(array.type());
  std::uniform_real_distribution<double> values(isReal ? 0.1 : 1.0,
                                                isReal ? 2.0 : 100.0);
  const std::size_t size = sizeOf(array.type());
  auto *bytes = static_cast<char *>(array.data());
  for (std::int64_t i = 0; i < std::min(period, array.count()); ++i)
    array.set(i, values(random));
  for (std::int64_t i = period; i < array.count(); i += period)
    std::copy_n(bytes,
                static_cast<std::size_t>(std::min(period, array.count() - i)) *
                    size,
                bytes + static_cast<std::size_t>(i) * size);
}

/// The lanes of a reduction.
Status LoopData::addStates(const semantics::Access &access) {
  const ops::ReductionLoops &loops = access.reducing->loops();
  constexpr std::int64_t lanes = ops::ReductionLanes;
  auto array = Array::make(loops.element, {lanes * loops.parts});
  if (!array)
    return array.error();
  loops.reset(ops::ReductionLanes, array->data(), ops::ReductionLanes, 0, 1);
  pointers.push_back(array->data());
  strides.push_back(lanes * static_cast<std::int64_t>(sizeOf(loops.element)));
  arrays.push_back(std::move(*array));
  return {};
}

Status LoopData::addOperand(const semantics::Access &access) {
  if (access.reducing)
    return addStates(access);
  const std::int64_t held = access.pattern == AccessPattern::Constant ? 1
                            : access.pattern == AccessPattern::Strided
                                ? count * step
                                : count;
  auto array = Array::make(access.type, {held});
  if (!array)
    return array.error();
  fill(*array);
  pointers.push_back(array->data());
  strides.push_back(step * static_cast<std::int64_t>(sizeOf(access.type)));
  arrays.push_back(std::move(*array));
  return {};
}

Status LoopData::addParameters(const semantics::Graph &graph) {
  const Shape shape = {1, 1, 1, count};
  const semantics::Shapes shapes{
      &shape, std::numeric_limits<std::size_t>::max(),
      [](const void *same, std::size_t) -> const Shape & {
        return *static_cast<const Shape *>(same);
      }};
  std::vector<semantics::Number> numbers(graph.parameters.size());
  if (auto status = graph.numbers.evaluate(graph.parameters, shapes, numbers);
      !status)
    return status;
  parameters.resize(graph.parameters.size());
  for (const semantics::Value &value : graph.values)
    if (value.kind == semantics::ValueKind::Parameter)
      parameters[value.input] = numbers[value.input].bitsAs(value.type);
  for (std::uint64_t &parameter : parameters)
    pointers.push_back(&parameter);
  return {};
}

Expected<LoopData> LoopData::make(const semantics::Plan &plan,
                                  std::int64_t count) {
  LoopData data(count);
  for (const auto *accesses : {&plan.outputs, &plan.inputs})
    for (const semantics::Access &access : *accesses)
      if (auto status = data.addOperand(access); !status)
        return status.error();
  if (auto status = data.addParameters(plan.graph); !status)
    return status.error();
  return data;
}

/// The time that each measurement takes.
static constexpr double seconds = 0.001;

/// Sets the times that an element takes.
static void timeLoop(LoopTime &time, const LoopData &data,
                     semantics::LoopFn loop) {
  // So many runs a pass that the overhead of the pass is negligible.
  const std::int64_t runs = std::max<std::int64_t>(1, 32000 / time.elements);
  const auto work = [&](unsigned) {
    for (std::int64_t run = 0; run < runs; ++run)
      data.run(loop);
  };
  const auto times = timePasses(1, 15, seconds, work);
  const double elements = static_cast<double>(runs * time.elements);
  time.median = times[times.size() / 2] / elements;
  time.best = times[0] / elements;
}

/// The least time for moving the bytes of an element where so many bytes lie.
/// Reading has a stream of its own; what writing adds follows from those that
/// do both.
static double movingTime(const semantics::Plan &plan, std::int64_t bytes) {
  const auto &caches = dataCaches();
  const std::size_t level = levelOf(bytes, 1);
  const StreamSpeeds speeds =
      measureStreams(level < caches.size() ? caches[level].room(1) / 2 : bytes,
                     1, /*past=*/false, seconds);
  if (speeds.read <= 0 || speeds.copy <= 0 || speeds.triad <= 0)
    return 0;
  const double read = 1 / speeds.read;
  const double write = std::max(
      0.0, std::min(2 / speeds.copy - read, 3 / speeds.triad - 2 * read));
  const auto written = static_cast<double>(plan.bytesWritten());
  return written * write +
         (static_cast<double>(plan.bytesPerElement()) - written) * read;
}

static Expected<LoopTime> measureSize(const semantics::Plan &plan,
                                      semantics::LoopFn loop,
                                      std::int64_t count) {
  LoopTime time;
  time.elements = count;
  time.bytes = count * static_cast<std::int64_t>(plan.bytesPerElement());
  time.level = levelName(levelOf(time.bytes, 1));
  // The loop's own arrays are freed before those of the streams are allocated.
  {
    auto data = LoopData::make(plan, count);
    if (!data)
      return data.error();
    timeLoop(time, *data, loop);
  }
  time.clock = measureClockSpeed(seconds);
  time.moving = movingTime(plan, time.bytes);
  return time;
}

/// Errors: those of memory and of numbers that depend on shapes.
static Expected<std::vector<LoopTime>>
measureLoop(const semantics::Plan &plan, const code::Image &image,
            std::span<const std::int64_t> sizes) {
  auto code = code::CodeMemory::ofProcess()->load(image);
  if (!code)
    return code.error();
  const auto loop = reinterpret_cast<semantics::LoopFn>((*code)->address());
  std::vector<LoopTime> times;
  for (std::int64_t count : sizes) {
    auto time = measureSize(plan, loop, count);
    if (!time)
      return time.error();
    times.push_back(std::move(*time));
  }
  return times;
}

/// The most bytes of operands and outputs that a loop is timed over.
static constexpr std::int64_t mostBytes = std::int64_t{1} << 30;

Measured tools::measureHere(const backend::Backend &backend,
                            const semantics::Plan &plan,
                            const codegen::Target &target,
                            codegen::OptLevel level, std::int64_t elements) {
  const auto host = backend.makeTarget({});
  if (!host || target.triple != host->triple || target.cpu != host->cpu ||
      !backend.checkRunsHere(target))
    return {{},
            concat(target.cpu, " is not this machine",
                   host ? ", which is " + host->cpu : "")};
  const auto compiled = backend.compile(plan, target, level);
  if (!compiled)
    return {{}, compiled.error().message()};
  const auto bytes = std::max<std::int64_t>(
      static_cast<std::int64_t>(plan.bytesPerElement()), 1);
  const std::int64_t last = std::min(elements, mostBytes / bytes);
  std::vector<std::int64_t> sizes = {1000, 32000, last};
  std::erase_if(sizes, [&](auto size) { return size > last; });
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  auto times = measureLoop(plan, compiled->image, sizes);
  if (!times)
    return {{}, times.error().message()};
  return {std::move(*times), {}};
}

std::string tools::timesText(std::span<const LoopTime> times,
                             const codegen::LoopReport &report) {
  auto nanoseconds = [](double seconds) {
    return seconds > 0 ? number(seconds * 1e9, 4) : "-";
  };
  const double cycles =
      report.prediction ? report.prediction->cycles / report.elements() : 0;
  Table table({"  elements", "bytes", "in", "by cycles", "by bytes", "limit",
               "median", "best", "cycles", "of limit"});
  double clock = 0;
  for (const LoopTime &time : times) {
    const double byCycles = cycles / time.clock;
    const double limit = std::max(byCycles, time.moving);
    table.add({"  " + std::to_string(time.elements), std::to_string(time.bytes),
               time.level, nanoseconds(byCycles), nanoseconds(time.moving),
               byCycles > time.moving ? "cycles" : time.level,
               nanoseconds(time.median), nanoseconds(time.best),
               number(time.median * time.clock, 3),
               number(100 * limit / time.median, 0) + " %"});
    clock = std::max(clock, time.clock);
  }
  std::ostringstream text;
  text << "Measured here on one thread, " << number(clock / 1e9, 2)
       << " GHz: nanoseconds and cycles of an element\n";
  table.print(text);
  return text.str();
}
