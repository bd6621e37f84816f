//===- Runtime/StoreChoice.h - Whether to write past the caches -*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_STORECHOICE_H
#define KEXPR_RUNTIME_STORECHOICE_H

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>

namespace kexpr::runtime {

/// Learns, by the time that calls take, whether those of a size are faster with
/// streamed stores. What a last-level cache holds says little of it: the cache
/// may be shared with strangers. Calls try either way a few times, go on in the
/// faster one, and try again after a while. All members may be called from any
/// thread; a race costs a measurement.
class StoreChoice {
public:
  /// What one core may well have to itself of a shared cache. Calls that move
  /// less are never streamed.
  static constexpr double FewestBytes = 4 << 20;

  /// Whether the next call that moves so many bytes is to stream.
  bool streams(double bytes) const {
    const Level &level = levelOf(bytes);
    const Way &cached = level.ways[0], &streamed = level.ways[1];
    if (cached.samples < Samples || streamed.samples < Samples)
      return cached.samples >= Samples;
    return streamed.least * Margin < cached.least;
  }

  /// What such a call took in which way.
  void note(double bytes, bool streamed, std::chrono::nanoseconds took) {
    Level &level = levelOf(bytes);
    if (level.calls.fetch_add(1) % Period == Period - 1) {
      level.ways[0].samples = level.ways[1].samples = 0;
      return;
    }
    // What a call finds in the caches is what the one before left there.
    Way &way = level.ways[streamed];
    if (level.last.exchange(streamed) != static_cast<int>(streamed) ||
        way.samples >= Samples)
      return;
    const double perByte = static_cast<double>(took.count()) / bytes;
    way.least =
        way.samples == 0 ? perByte : std::min<double>(way.least, perByte);
    ++way.samples;
  }

private:
  static constexpr unsigned Samples = 3, Period = 512, Levels = 8;
  /// Streamed outputs are in no cache for whoever reads them.
  static constexpr double Margin = 1.05;

  struct Way {
    std::atomic<double> least = 0; ///< Nanoseconds a byte.
    std::atomic<unsigned> samples = 0;
  };
  struct Level {
    Way ways[2];
    std::atomic<int> last = -1;
    std::atomic<unsigned> calls = 0;
  };

  /// One for each doubling of the bytes.
  static unsigned indexOf(double bytes) {
    const auto times = static_cast<std::uint64_t>(bytes / FewestBytes);
    return std::min(static_cast<unsigned>(std::bit_width(times)), Levels - 1);
  }
  const Level &levelOf(double bytes) const { return levels[indexOf(bytes)]; }
  Level &levelOf(double bytes) { return levels[indexOf(bytes)]; }

  Level levels[Levels];
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_STORECHOICE_H
