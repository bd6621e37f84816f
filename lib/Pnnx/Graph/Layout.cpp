//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Graph/Memory.h"

#include <algorithm>
#include <numeric>

using namespace kexpr;
using namespace kexpr::graph;

static constexpr std::size_t Alignment = 64;
static constexpr std::size_t MostBytes = std::size_t{1} << 62;

/// 0 bytes take a line as well, so that every value has an address.
static std::size_t roundUp(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + Alignment - 1) / Alignment *
         Alignment;
}

namespace {
struct Placed {
  std::size_t begin, end;
  std::uint32_t first, last;
};
} // namespace

/// The begin of the smallest gap of `bytes` between the placed ones that are
/// in use from `first` to `last`; they stand in the order of `begin`.
static std::size_t findGap(const std::vector<Placed> &placed,
                           const Interval &interval, std::size_t bytes) {
  std::size_t best = 0, bestSize = ~std::size_t{0}, end = 0;
  for (const Placed &other : placed) {
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

Expected<Layout> graph::layOut(const std::vector<Interval> &intervals,
                               bool reuse) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return intervals[a].bytes > intervals[b].bytes;
  });
  Layout layout;
  layout.offsets.resize(intervals.size());
  std::vector<Placed> placed;
  for (const std::size_t index : order) {
    const Interval &interval = intervals[index];
    if (interval.bytes > MostBytes || layout.bytes > MostBytes)
      return Error(ErrorCode::OutOfMemory, "its values need too much memory");
    const std::size_t bytes = roundUp(interval.bytes);
    const std::size_t begin =
        reuse ? findGap(placed, interval, bytes) : layout.bytes;
    layout.offsets[index] = begin;
    layout.bytes = std::max(layout.bytes, begin + bytes);
    const Placed entry{begin, begin + bytes, interval.first, interval.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry,
                                   [](const Placed &a, const Placed &b) {
                                     return a.begin < b.begin;
                                   }),
                  entry);
  }
  return layout;
}
