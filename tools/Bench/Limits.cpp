//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Limits.h"

#include "Bench/Caches.h"
#include "Bench/FmaPeak.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

static std::int64_t footprintOf(std::size_t level, unsigned threads) {
  const auto &caches = dataCaches();
  if (level < caches.size())
    return caches[level].room(threads) / 2;
  return std::max(std::int64_t{256} << 20, caches.back().room(threads) * 8);
}

const Limits::Level &Limits::levelFor(std::int64_t footprint) const {
  return levels[std::min(levelOf(footprint, threads), levels.size() - 1)];
}

KernelLimit tools::limitOf(const Limits &limits, double bytes,
                           double operations, double triad) {
  const auto &level = limits.levelFor(static_cast<std::int64_t>(bytes));
  const double speed = std::max(level.speeds.best(), triad);
  return {speed > 0 ? bytes / speed : 0,
          limits.fmaPerSecond > 0 ? operations / limits.fmaPerSecond : 0};
}

Limits tools::measureLimits(unsigned threads, bool quick) {
  Limits limits;
  limits.threads = threads;
  const double seconds = quick ? 0.003 : 0.02;
  const std::size_t memory = dataCaches().size();
  for (std::size_t level = 0; level <= memory; ++level) {
    const std::int64_t footprint = footprintOf(level, threads);
    // Written past a cache, what fits it is only slower.
    const bool past = level + 1 >= memory;
    limits.levels.push_back(
        {levelName(level), footprint,
         measureStreams(footprint, threads, past, seconds)});
  }
  limits.fmaPerSecond = measureFmaPeak(threads, seconds);
  return limits;
}
