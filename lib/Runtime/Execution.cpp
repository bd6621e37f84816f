//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Execution.h"

#include "Runtime/Executor.h"
#include "Runtime/Hardware.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

/// Streamed stores of x86 are seen by other threads in no order before this.
static void finishStreaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

/// Threads of one core share its way to memory: more gain nothing there.
static unsigned onePerCore(unsigned limit) {
  return limit == 0 ? coreCount() : std::min(limit, coreCount());
}

Execution::Execution(const KernelImpl &kernel, std::span<const Item> items,
                     const RunOptions &options)
    : kernel(kernel), items(items), options(options), starts(items.size() + 1),
      streams(items.size()), callers(memory()) {
  starts[0] = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    starts[i + 1] = starts[i] + items[i].call->units();
    elements += static_cast<double>(items[i].call->count());
    streams[i] = nullptr;
  }
  if (kernel.isLarge(elements, options))
    stream();
  maxThreads = kernel.waitsForMemory(elements) ? onePerCore(options.maxThreads)
                                               : options.maxThreads;
}

/// Has the calling thread get what it needs to run any of it.
TaskMemory Execution::memory() const {
  std::int64_t bytes = 0;
  for (const Item &item : items) {
    bytes = std::max(bytes, item.call->copyBytes());
    item.call->chosen().code().reserve();
  }
  return TaskMemory(kernel.tensors(), kernel.slots(), bytes);
}

/// Has calls write past the caches where they can.
void Execution::stream() {
  isStreamed = true;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].call->canStream(items[i].first))
      streams[i] = kernel.streaming(items[i].call->chosen());
}

/// The units that hold `count` elements on average, at least one.
std::int64_t Execution::unitsOf(std::int64_t count) const {
  const double share = std::min(static_cast<double>(count) / elements, 1.0);
  const auto units = static_cast<double>(starts[items.size()]);
  return std::max<std::int64_t>(static_cast<std::int64_t>(share * units), 1);
}

void Execution::run(std::int64_t begin, std::int64_t end,
                    TaskMemory &memory) const {
  const std::int64_t *last = starts.data() + items.size();
  std::size_t i =
      std::upper_bound(starts.data(), last, begin) - starts.data() - 1;
  for (; begin < end; ++i) {
    const std::int64_t stop = std::min(end, starts[i + 1]);
    items[i].call->run(items[i].first, begin - starts[i], stop - starts[i],
                       streams[i], memory);
    begin = stop;
  }
  if (isStreamed)
    finishStreaming();
}

Status Execution::run(DefaultFloats &floats) {
  const std::int64_t tile = kernel.tileOf(options);
  // Threads of oneTBB take some 50 microseconds to wake up (two cores of a
  // virtual machine); a host that sets tiles wants these.
  constexpr std::int64_t grainsAlone = 24;
  const Split split{
      .grain = unitsOf(tile),
      .maxThreads = maxThreads,
      .stayAwake = options.stayAwake,
      .alone = options.tileElements > 0 ? 0 : unitsOf(grainsAlone * tile),
      .host = kernel.executorFor(options),
      .floats = &floats};
  const auto runRanges = [this](Ranges &ranges, TaskMemory &memory) {
    for (std::int64_t begin, end; ranges.next(begin, end);)
      run(begin, end, memory);
  };
  return forRange(starts[items.size()], split, [&](Ranges &ranges) {
    if (ranges.isCaller())
      return runRanges(ranges, callers);
    TaskMemory own = memory();
    runRanges(ranges, own);
  });
}
