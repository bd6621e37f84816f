//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/RowTask.h"
#include "Support/CallMemory.h"

#include <algorithm>
#include <chrono>

using namespace kexpr;
using namespace kexpr::runtime;

static constinit thread_local CallMemory::Kept resultsOfThread;

Status RowCall::run(void *const *first, const RunOptions &options,
                    const Executor &executor, DefaultFloats &floats,
                    const RowSumSink *sink) const {
  using Clock = std::chrono::steady_clock;
  const bool mayStream = this->mayStream(first, options);
  const bool learns = mayStream && options.stores == Stores::Choose &&
                      movedBytes < static_cast<std::int64_t>(lastCacheBytes());
  if (!learns)
    return runGroups(first, options, executor, floats, sink, mayStream);
  StoreChoice &choice = program.storeChoice();
  const auto bytes = static_cast<double>(movedBytes);
  const bool isStreamed = choice.streams(bytes);
  const auto start = Clock::now();
  auto status = runGroups(first, options, executor, floats, sink, isStreamed);
  const bool hasCode =
      std::all_of(groups.begin(), groups.end(), [](const RowGroup &group) {
        return !group.whole || group.wholeLoop(false);
      });
  if (status && hasCode && (!isStreamed || hasStreamingCode(first)))
    choice.note(bytes, isStreamed, Clock::now() - start);
  return status;
}

Status RowCall::runGroups(void *const *first, const RunOptions &options,
                          const Executor &executor, DefaultFloats &floats,
                          const RowSumSink *sink, bool isStreamed) const {
  const CallMemory memory(resultsOfThread,
                          static_cast<std::size_t>(sharedBytes));
  for (const RowGroup &group : groups) {
    const RowContext context{.group = group,
                             .results = results,
                             .first = first,
                             .shared = memory.get(),
                             .outputs = plan.outputs.size(),
                             .columns = group.columns,
                             .streams = isStreamed,
                             .sink = sink};
    for (const RowElements &elements : group.taken)
      if (auto status = take(elements, context, options, executor, floats);
          !status)
        return status;
    if (auto status = runGroup(context, options, executor, floats); !status)
      return status;
  }
  return {};
}

/// Whether stores may go past the caches: there is code for it, calls are so
/// large that it may pay, and nothing that is written is read.
bool RowCall::mayStream(void *const *first, const RunOptions &options) const {
  const auto streams = [](const RowStep &step) { return step.streaming(); };
  if (options.stores == Stores::Cached ||
      std::none_of(groups.begin(), groups.end(), [&](const RowGroup &group) {
        const Loop *regular = group.wholeLoop(false);
        // All sweeps at once gain more, of rows that are one block.
        if (regular && group.staggered && options.stores == Stores::Choose &&
            group.length <= ops::ReductionBlock &&
            !group.staggersStreaming(first))
          return false;
        const Loop *whole = group.loopOfTask(true, first);
        return whole ? whole != regular
                     : std::any_of(group.steps.begin(), group.steps.end(),
                                   streams);
      }))
    return false;
  for (std::size_t out = 0; out < plan.outputs.size(); ++out)
    for (std::size_t in = 0; in < plan.inputs.size(); ++in)
      if (first[out] == first[plan.outputs.size() + in])
        return false;
  return true;
}

/// Whether that code is built: until then the ordinary one runs.
bool RowCall::hasStreamingCode(void *const *first) const {
  const auto isBuilt = [](const Loop *streaming, const Loop *regular) {
    return !streaming || streaming == regular ||
           streaming->code().machine != regular->code().machine;
  };
  return std::all_of(groups.begin(), groups.end(), [&](const RowGroup &group) {
    if (const Loop *whole = group.loopOfTask(true, first))
      return isBuilt(whole, group.wholeLoop(false));
    return std::all_of(group.steps.begin(), group.steps.end(),
                       [&](const RowStep &step) {
                         return isBuilt(step.streaming(), step.loop);
                       });
  });
}

std::int64_t RowTask::tilesOf(const RowContext &context) {
  const RowGroup &group = context.group;
  if (!group.hasColumns)
    return (group.rows + context.columns - 1) / context.columns;
  const std::int64_t each =
      (group.lastKept() + context.columns - 1) / context.columns;
  return group.rows / group.lastKept() * each;
}

void RowTask::runTiles(std::int64_t begin, std::int64_t end) {
  openMemory();
  const std::int64_t last = group.lastKept();
  const std::int64_t each = (last + context.columns - 1) / context.columns;
  if (loopOfAll && group.staggered) {
    runStaggered(begin * context.columns,
                 std::min(end * context.columns, group.rows));
    begin = end;
  }
  for (; begin < end; ++begin) {
    std::int64_t first = begin * context.columns,
                 count = std::min(context.columns, group.rows - first);
    if (group.hasColumns) {
      const std::int64_t column = begin % each * context.columns;
      first = begin / each * last + column;
      count = std::min(context.columns, last - column);
    }
    if (loopOfAll)
      runWhole(first, first + count);
    else if (group.hasColumns)
      runColumns(first, count);
    else
      runRows(first, first + count);
  }
  if (context.streams)
    finishStreaming();
}

Status RowCall::runGroup(RowContext context, const RunOptions &options,
                         const Executor &executor,
                         DefaultFloats &floats) const {
  const RowGroup &group = context.group;
  if (group.rows == 0)
    return {};
  const LaunchPolicy &policy = group.steps[0].step->policy;
  const std::int64_t grain = policy.grainFor(options);
  const double elements =
      static_cast<double>(group.rows) *
      static_cast<double>(std::max<std::int64_t>(group.length, 1));
  constexpr double most = 1e18;
  const bool isSerial = policy.isSerial(
      static_cast<std::int64_t>(std::min(elements, most)), options);
  Split split{.grain = 1,
              .maxThreads = isSerial ? 1 : options.maxThreads,
              .stayAwake = options.stayAwake,
              .host = executor,
              .floats = &floats,
              .interrupt = options.interrupt};
  // So few rows that threads would have none, or so long that a host that may
  // end the call would wait for one.
  constexpr std::int64_t fewRows = 64, longRow = 1 << 24;
  const bool isShared =
      split.maxThreads != 1 && group.length > 4 * ops::ReductionBlock;
  const bool isAsked = options.interrupt.ask && group.length > longRow;
  if ((isShared || isAsked) && group.rows < fewRows && !group.hasColumns &&
      !group.hasScratch && !group.hasScans) {
    split.asked = RowTask::partsOf(GrainsAsked * grain);
    return runSplit(context, split);
  }
  if (group.hasWideTiles())
    context.columns = group.columnsFor(
        threadsOf(split), options.interrupt.ask ? GrainsAsked * grain : 0);
  const std::int64_t tiles = RowTask::tilesOf(context);
  const double each = elements / static_cast<double>(tiles);
  const auto tilesOf = [each](double count) {
    return std::max<std::int64_t>(static_cast<std::int64_t>(count / each), 1);
  };
  split.grain = tilesOf(static_cast<double>(grain));
  split.asked = tilesOf(static_cast<double>(grain) * GrainsAsked);
  RowTask callers(context);
  return forRange(tiles, split, [&](Ranges &ranges) {
    if (ranges.isCaller()) {
      for (std::int64_t begin, end; ranges.next(begin, end);)
        callers.runTiles(begin, end);
      return;
    }
    RowTask own(context);
    for (std::int64_t begin, end; ranges.next(begin, end);)
      own.runTiles(begin, end);
  });
}

/// Long rows, each by all threads, sweep by sweep.
Status RowCall::runSplit(const RowContext &given, const Split &split) const {
  const RowGroup &group = given.group;
  // Results of rows are kept for all sweeps.
  const std::unique_ptr<std::byte[]> tile(
      new std::byte[static_cast<std::size_t>(
          group.rows * std::max<std::int64_t>(group.tileBytes, 1) + 64)]);
  RowContext context = given;
  context.own = tile.get();
  RowTask callers(context);
  std::int64_t most = 0;
  for (const RowStep &step : group.steps)
    most = std::max(most, callers.partBytes(step));
  const std::unique_ptr<std::byte[]> parts(
      new std::byte[static_cast<std::size_t>(most)]);
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    const RowStep &step = group.steps[i];
    if (step.isOfRows) {
      callers.runRowStep(step, 0, group.rows);
      continue;
    }
    const std::int64_t count = group.rows * callers.partsOfRow();
    auto status = forRange(count, split, [&](Ranges &ranges) {
      if (ranges.isCaller()) {
        for (std::int64_t begin, end; ranges.next(begin, end);)
          callers.runParts(step, begin, end, parts.get());
        return;
      }
      RowTask own(context);
      for (std::int64_t begin, end; ranges.next(begin, end);)
        own.runParts(step, begin, end, parts.get());
    });
    if (!status)
      return status;
    if (step.reductions > 0)
      callers.joinParts(step, parts.get());
  }
  return {};
}
