//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Triad.h"

#include "Bench/StreamLoops.h"
#include "Bench/Team.h"
#include "Common/Array.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace kexpr;
using namespace kexpr::tools;

double StreamSpeeds::best() const {
  return std::max({read, copy, triad, copyPast, triadPast});
}

namespace {
/// Three arrays, and threads that go over a slice of them each.
class Arrays {
public:
  static std::optional<Arrays> make(std::int64_t footprint, unsigned threads) {
    // Beyond this it is the same memory at the same speed.
    constexpr std::int64_t most = std::int64_t{768} << 20;
    // Slices are whole steps of every loop.
    constexpr std::int64_t step = 64;
    const std::int64_t slice =
        std::max<std::int64_t>(std::min(footprint, most) / 12 / threads / step,
                               1) *
        step;
    Arrays result(slice, threads);
    for (auto &array : result.arrays) {
      auto made = Array::make(DType::F32, {slice * threads});
      if (!made)
        return {};
      array = std::move(*made);
      std::fill_n(static_cast<float *>(array->data()), array->count(), 1.0f);
    }
    return result;
  }

  /// The best of six; `streams` is how many arrays the loop uses.
  double bytesPerSecond(StreamLoop loop, int streams, double seconds) const {
    const double bytes = static_cast<double>(slice) * threads * 4 * streams;
    const auto work = [&](unsigned thread) {
      const std::int64_t begin = slice * thread;
      loop(slice, at(0) + begin, at(1) + begin, at(2) + begin);
    };
    const double once = std::max(timeTeam(threads, 1, work), 1e-9);
    // Of what a pass takes the first time: a guess that is made again.
    long passes = std::max(1L, static_cast<long>(seconds / once / 4));
    double best = 0;
    for (int trial = 0; trial < 6; ++trial) {
      const double time = timeTeam(threads, passes, work) / double(passes);
      best = std::max(best, bytes / time);
      passes = std::max(1L, static_cast<long>(seconds / time));
    }
    return best;
  }

private:
  Arrays(std::int64_t slice, unsigned threads)
      : slice(slice), threads(threads) {}

  float *at(int array) const {
    return static_cast<float *>(arrays[array]->data());
  }

  std::optional<Array> arrays[3];
  std::int64_t slice;
  unsigned threads;
};
} // namespace

StreamSpeeds tools::measureStreams(std::int64_t footprint, unsigned threads,
                                   bool past, double seconds) {
  const auto arrays = Arrays::make(footprint, threads);
  if (!arrays)
    return {};
  const StreamLoops &loops = streamLoops();
  StreamSpeeds speeds;
  speeds.read = arrays->bytesPerSecond(loops.read, 1, seconds);
  speeds.copy = arrays->bytesPerSecond(loops.copy, 2, seconds);
  speeds.triad = arrays->bytesPerSecond(loops.triad, 3, seconds);
  if (past && loops.copyPast) {
    speeds.copyPast = arrays->bytesPerSecond(loops.copyPast, 2, seconds);
    speeds.triadPast = arrays->bytesPerSecond(loops.triadPast, 3, seconds);
  }
  return speeds;
}

static double measureTriad(std::int64_t footprint, unsigned threads) {
  const auto arrays = Arrays::make(footprint, threads);
  if (!arrays)
    return 0;
  constexpr double seconds = 0.02;
  const StreamLoops &loops = streamLoops();
  const double near = arrays->bytesPerSecond(loops.triad, 3, seconds);
  // What fits a near cache is only slower when it is written past it.
  constexpr std::int64_t nearCaches = std::int64_t{4} << 20;
  if (footprint <= nearCaches || !loops.triadPast)
    return near;
  return std::max(near, arrays->bytesPerSecond(loops.triadPast, 3, seconds));
}

double tools::triadBandwidth(std::int64_t footprint, unsigned threads) {
  static std::map<std::pair<std::int64_t, unsigned>, double> known;
  const auto [entry, isNew] = known.try_emplace({footprint, threads}, 0.0);
  if (isNew)
    entry->second = measureTriad(footprint, threads);
  return entry->second;
}
