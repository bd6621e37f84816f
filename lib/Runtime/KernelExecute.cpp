//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Executor.h"
#include "Runtime/Hardware.h"
#include "Runtime/Invocation.h"
#include "Runtime/KernelImpl.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

/// Streamed stores of x86 are seen by other threads in no order before this.
static void finishStreaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

namespace {
/// Calls laid end to end, counted in units: the range that is split.
class Row {
public:
  explicit Row(std::span<const Item> items)
      : items(items), starts(items.size() + 1), streams(items.size()) {
    starts[0] = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      starts[i + 1] = starts[i] + items[i].call->units();
      elements += static_cast<double>(items[i].call->count());
      streams[i] = nullptr;
    }
  }

  /// Elements of all calls.
  double count() const { return elements; }

  /// Has calls write past the caches where they can.
  void stream(const KernelImpl &kernel) {
    isStreamed = true;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].call->canStream(items[i].first))
        streams[i] = kernel.streaming(items[i].call->chosen());
  }

  std::int64_t size() const { return starts[items.size()]; }

  /// The units that hold `count` elements on average, at least one.
  std::int64_t unitsOf(std::int64_t count) const {
    const double share = std::min(static_cast<double>(count) / elements, 1.0);
    return std::max<std::int64_t>(
        static_cast<std::int64_t>(share * static_cast<double>(size())), 1);
  }

  void run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t *last = starts.data() + items.size();
    std::size_t i =
        std::upper_bound(starts.data(), last, begin) - starts.data() - 1;
    for (; begin < end; ++i) {
      const std::int64_t stop = std::min(end, starts[i + 1]);
      items[i].call->run(items[i].first, begin - starts[i], stop - starts[i],
                         streams[i]);
      begin = stop;
    }
    if (isStreamed)
      finishStreaming();
  }

private:
  std::span<const Item> items;
  InlineBuffer<std::int64_t, 64> starts;
  InlineBuffer<const Loop *, 64> streams;
  /// Of all calls; their sum may pass 64 bits.
  double elements = 0;
  bool isStreamed = false;
};
} // namespace

std::int64_t KernelImpl::tileOf(const RunOptions &options) const {
  return options.tileElements > 0 ? options.tileElements : grain;
}

bool KernelImpl::isSmall(std::int64_t count, const RunOptions &options) const {
  if (options.maxThreads == 1)
    return true;
  return options.tileElements > 0 ? count <= options.tileElements
                                  : count < GrainsShared * grain;
}

/// Threads of one core share its way to memory: more gain nothing there.
static unsigned onePerCore(unsigned limit) {
  return limit == 0 ? coreCount() : std::min(limit, coreCount());
}

void KernelImpl::execute(std::span<const Item> items,
                         const RunOptions &options) const {
  Row row(items);
  if (isLarge(row.count(), options))
    row.stream(*this);
  const std::int64_t tile = tileOf(options);
  // Threads of oneTBB take some 50 microseconds to wake up (two cores of a
  // virtual machine); a host that sets tiles wants these.
  constexpr std::int64_t grainsAlone = 24;
  const Split split{
      .grain = row.unitsOf(tile),
      .maxThreads = waitsForMemory(row.count()) ? onePerCore(options.maxThreads)
                                                : options.maxThreads,
      .stayAwake = options.stayAwake,
      .alone = options.tileElements > 0 ? 0 : row.unitsOf(grainsAlone * tile)};
  forRange(row.size(), split, [&row](std::int64_t begin, std::int64_t end) {
    row.run(begin, end);
  });
}

std::size_t KernelImpl::streamedBytes(const semantics::Plan &plan) {
  // More work than this an element, and memory is not what a core waits for;
  // streamed stores then cost up to a twentieth (Zen 5).
  constexpr std::size_t mostOperations = 6; // a byte
  const std::size_t bytes = plan.bytesPerElement();
  return plan.work().operations <= mostOperations * bytes ? bytes : 0;
}

bool KernelImpl::isLarge(double count, const RunOptions &options) const {
  return options.stores == Stores::Choose ? waitsForMemory(count)
                                          : options.stores == Stores::Streamed;
}

bool KernelImpl::waitsForMemory(double count) const {
  // Less than any machine's caches hold: what most calls are.
  constexpr double fewBytes = 1 << 20;
  const double bytes = count * static_cast<double>(streamed);
  return bytes >= fewBytes && bytes >= static_cast<double>(lastCacheBytes());
}

const Loop *KernelImpl::streaming(const Loop &regular) const {
  for (const Variant *v = variants.load(); v; v = v->next)
    if (v->loop.get() == &regular) {
      const Loop *known = v->streams.load(std::memory_order_acquire);
      return known ? known : makeStreaming(*v);
    }
  return nullptr;
}

const Loop *KernelImpl::makeStreaming(const Variant &variant) const {
  // The interpreter has no such stores; machine code may come yet.
  if (!variant.loop->code().function)
    return nullptr;
  std::lock_guard lock(growing);
  if (!variant.streaming) {
    semantics::Plan plan = contiguousPlan;
    plan.inputs = variant.loop->inputs;
    plan.outputs = variant.loop->outputs;
    plan.streams = true;
    variant.streaming =
        compiler->replaceLater(*variant.loop, plan, options.mode);
    variant.streams = variant.streaming.get();
  }
  return variant.streams;
}
