//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Measure.h"

#include "Bench/Caches.h"
#include "Bench/ClockSpeed.h"
#include "Bench/Table.h"
#include "Bench/Team.h"
#include "Bench/Triad.h"
#include "Code/CodeMemory.h"
#include "Dump/LoopData.h"
#include "Support/Text.h"

#include <algorithm>
#include <sstream>

using namespace kexpr;
using namespace kexpr::tools;

/// Of each thing that is measured.
static constexpr double seconds = 0.001;

/// Sets the times that an element takes.
static void timeLoop(LoopTime &time, const LoopData &data,
                     semantics::LoopFn loop) {
  // So many runs that what is around them does not count.
  const std::int64_t runs = std::max<std::int64_t>(1, 32000 / time.elements);
  const auto work = [&](unsigned) {
    for (std::int64_t run = 0; run < runs; ++run)
      data.run(loop);
  };
  const double once = std::max(timeTeam(1, 1, work), 1e-9);
  const long passes = std::max(1L, static_cast<long>(seconds / once));
  constexpr int trials = 15;
  std::vector<double> times;
  for (int trial = 0; trial < trials; ++trial)
    times.push_back(timeTeam(1, passes, work) /
                    (double(passes) * double(runs * time.elements)));
  std::sort(times.begin(), times.end());
  time.median = times[trials / 2];
  time.best = times[0];
}

/// What moving the bytes of an element takes at least where so many bytes lie.
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
  // The loop's own arrays go before the others come.
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

Expected<std::vector<LoopTime>>
tools::measureLoop(const semantics::Plan &plan, const code::Image &image,
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
