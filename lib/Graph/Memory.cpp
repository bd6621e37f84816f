//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Memory.h"

#include "Support/Text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include <sys/mman.h>

using namespace kexpr;
using namespace kexpr::graph;

static constexpr std::size_t HugePage = std::size_t{2} << 20;

void Arena::Unmap::operator()(void *memory) const { munmap(memory, bytes); }

Status Arena::reserve(std::size_t bytes) {
  if (bytes <= capacity && base)
    return {};
  mapping.reset();
  base = nullptr;
  capacity = 0;
  // Two huge pages at least: less gains little, and wastes up to one.
  const bool isLarge = bytes >= 2 * HugePage;
  const std::size_t wanted =
      std::max<std::size_t>(bytes, 1) + (isLarge ? 2 * HugePage : 0);
  void *memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error(ErrorCode::OutOfMemory,
                 concat("no ", wanted, " bytes for its values"));
  mapping = {memory, Unmap{wanted}};
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t skipped =
      isLarge ? (HugePage - address % HugePage) % HugePage : 0;
  base = static_cast<unsigned char *>(memory) + skipped;
  capacity = isLarge ? (bytes + HugePage - 1) / HugePage * HugePage : bytes;
#ifdef MADV_HUGEPAGE
  // Only advice: without it the memory is as good, but slower.
  if (isLarge)
    madvise(base, capacity, MADV_HUGEPAGE);
#endif
  return {};
}

static constexpr std::size_t Alignment = 64;
static constexpr std::size_t MostBytes = std::size_t{1} << 62;

/// Whole cache lines, one for 0 bytes, so that every value has an address.
static std::size_t roundUp(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + Alignment - 1) / Alignment *
         Alignment;
}

/// Positions of intervals so that `isBefore` holds from one to the next.
template <class F>
static std::vector<std::size_t> orderBy(const std::vector<Interval> &intervals,
                                        F isBefore) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return isBefore(intervals[a], intervals[b]);
  });
  return order;
}

namespace {
struct PlacedInterval {
  std::size_t begin, end;
  std::uint32_t first, last;
};
} // namespace

/// The begin of the smallest gap of `bytes` between placed intervals that share
/// a step with `interval`. They are sorted by `begin`.
static std::size_t findGap(const std::vector<PlacedInterval> &placed,
                           const Interval &interval, std::size_t bytes) {
  std::size_t best = 0, bestSize = ~std::size_t{0}, end = 0;
  for (const PlacedInterval &other : placed) {
    if (other.last < interval.first || interval.last < other.first)
      continue;
    if (other.begin > end && other.begin - end >= bytes &&
        other.begin - end < bestSize) {
      best = end;
      bestSize = other.begin - end;
    }
    end = std::max(end, other.end);
  }
  return bestSize == ~std::size_t{0} ? end : best;
}

/// Assigns offsets by size, the largest first, in the smallest gap.
static void fitBySize(const std::vector<Interval> &intervals, Layout &layout) {
  std::vector<PlacedInterval> placed;
  for (const std::size_t index :
       orderBy(intervals, [](const Interval &a, const Interval &b) {
         return a.bytes > b.bytes;
       })) {
    const Interval &interval = intervals[index];
    const std::size_t bytes = roundUp(interval.bytes);
    const std::size_t begin = findGap(placed, interval, bytes);
    layout.offsets[index] = begin;
    layout.bytes = std::max(layout.bytes, begin + bytes);
    const PlacedInterval entry{begin, begin + bytes, interval.first,
                               interval.last};
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), entry,
                         [](const PlacedInterval &a, const PlacedInterval &b) {
                           return a.begin < b.begin;
                         }),
        entry);
  }
}

namespace {
/// The memory that is free at a step. All memory behind the last value is.
class FreeMemory {
public:
  /// Takes so many bytes from the smallest gap that they fit; gives their
  /// begin.
  std::size_t take(std::size_t bytes) {
    const auto gap = bySize.lower_bound({bytes, 0});
    const std::size_t begin = gap->second, end = begin + gap->first;
    remove(begin, end);
    if (begin + bytes < end)
      add(begin + bytes, end);
    return begin;
  }
  void giveBack(std::size_t begin, std::size_t end) {
    auto next = byBegin.lower_bound(begin);
    if (next != byBegin.end() && next->first == end) {
      end = next->second;
      remove(next->first, end);
    }
    next = byBegin.lower_bound(begin);
    if (next != byBegin.begin() && std::prev(next)->second == begin) {
      begin = std::prev(next)->first;
      remove(begin, std::prev(next)->second);
    }
    add(begin, end);
  }

private:
  void add(std::size_t begin, std::size_t end) {
    byBegin.emplace(begin, end);
    bySize.emplace(end - begin, begin);
  }
  void remove(std::size_t begin, std::size_t end) {
    byBegin.erase(begin);
    bySize.erase({end - begin, begin});
  }

  std::map<std::size_t, std::size_t> byBegin = {{0, ~std::size_t{0}}};
  std::set<std::pair<std::size_t, std::size_t>> bySize = {{~std::size_t{0}, 0}};
};
} // namespace

/// Assigns offsets by first step, in time n log n of the number of intervals.
static void fitByTime(const std::vector<Interval> &intervals, Layout &layout) {
  using IntervalEnd = std::pair<std::uint32_t, std::size_t>;
  std::priority_queue<IntervalEnd, std::vector<IntervalEnd>, std::greater<>>
      ends;
  FreeMemory memory;
  for (const std::size_t index :
       orderBy(intervals, [](const Interval &a, const Interval &b) {
         return a.first < b.first;
       })) {
    for (; !ends.empty() && ends.top().first < intervals[index].first;
         ends.pop()) {
      const std::size_t begin = layout.offsets[ends.top().second];
      memory.giveBack(begin,
                      begin + roundUp(intervals[ends.top().second].bytes));
    }
    const std::size_t bytes = roundUp(intervals[index].bytes);
    layout.offsets[index] = memory.take(bytes);
    layout.bytes = std::max(layout.bytes, layout.offsets[index] + bytes);
    ends.emplace(intervals[index].last, index);
  }
}

static void layInRow(const std::vector<Interval> &intervals, Layout &layout) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    layout.offsets[i] = layout.bytes;
    layout.bytes += roundUp(intervals[i].bytes);
  }
}

Expected<Layout> graph::layOut(const std::vector<Interval> &intervals,
                               bool reuse) {
  // By size they take less memory, and quadratic time.
  constexpr std::size_t mostBySize = 4096;
  std::size_t all = 0;
  for (const Interval &interval : intervals) {
    if (interval.bytes > MostBytes || all > MostBytes)
      return Error(ErrorCode::OutOfMemory, "its values need too much memory");
    all += roundUp(interval.bytes);
  }
  Layout layout;
  layout.offsets.resize(intervals.size());
  if (!reuse)
    layInRow(intervals, layout);
  else if (intervals.size() <= mostBySize)
    fitBySize(intervals, layout);
  else
    fitByTime(intervals, layout);
  return layout;
}
