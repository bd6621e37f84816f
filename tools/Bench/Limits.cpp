//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Limits.h"

#include "Bench/Timing.h"
#include "Bench/Yardsticks.h"
#include "Common/Array.h"

#include <algorithm>
#include <fstream>
#include <map>

using namespace kexpr;
using namespace kexpr::tools;

static std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// `48K` or `32M` in bytes; 0 for anything else.
static std::int64_t bytesOf(const std::string &text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == text.npos || text.size() > 9)
    return 0;
  const std::int64_t count = std::stoll(text.substr(0, unit));
  return text[unit] == 'K' ? count << 10 : text[unit] == 'M' ? count << 20 : 0;
}

static std::vector<Cache> findCaches() {
  const std::string core = "/sys/devices/system/cpu/cpu0/";
  std::vector<Cache> caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        core + "cache/index" + std::to_string(index) + "/";
    const std::string type = firstLine(folder + "type");
    const std::int64_t bytes = bytesOf(firstLine(folder + "size"));
    if ((type != "Data" && type != "Unified") || bytes == 0)
      continue;
    // A core's own threads share its caches as well, but count as one.
    const bool isShared = firstLine(folder + "shared_cpu_list") !=
                          firstLine(core + "topology/thread_siblings_list");
    caches.push_back({"L" + firstLine(folder + "level"), bytes, isShared});
  }
  std::ranges::sort(caches, {}, &Cache::name);
  if (caches.empty())
    caches = {{"L1", 32 << 10, false},
              {"L2", 1 << 20, false},
              {"L3", 32 << 20, true}};
  return caches;
}

const std::vector<Cache> &tools::dataCaches() {
  static const std::vector<Cache> caches = findCaches();
  return caches;
}

std::size_t tools::levelOf(std::int64_t bytes, unsigned threads) {
  const auto &caches = dataCaches();
  std::size_t level = 0;
  while (level < caches.size() && bytes > caches[level].room(threads))
    ++level;
  return level;
}

std::string tools::levelName(std::size_t level) {
  const auto &caches = dataCaches();
  return level < caches.size() ? caches[level].name : "DRAM";
}

double StreamSpeeds::best() const {
  return std::max({read, copy, triad, copyPast, triadPast});
}

namespace {
/// Three arrays, and threads that go over a slice of them each.
class StreamArrays {
public:
  StreamArrays(std::int64_t footprint, unsigned threads) : threads(threads) {
    // Beyond this it is the same memory at the same speed.
    constexpr std::int64_t most = std::int64_t{768} << 20;
    // Slices are whole steps of every loop.
    constexpr std::int64_t step = 64;
    slice = std::max<std::int64_t>(
                std::min(footprint, most) / 12 / threads / step, 1) *
            step;
    while (arrays.size() < 3) {
      auto array = Array::make(DType::F32, {slice * threads});
      if (!array)
        return;
      std::fill_n(static_cast<float *>(array->data()), array->count(), 1.0f);
      arrays.push_back(std::move(*array));
    }
  }

  /// The best of six; `streams` is how many arrays the loop uses. Zero if
  /// there was no memory for three, or if there is no loop.
  double bytesPerSecond(StreamLoop loop, int streams, double seconds) const {
    if (arrays.size() < 3 || !loop)
      return 0;
    const auto work = [&](unsigned thread) {
      const auto sliceOf = [&](const Array &array) {
        return static_cast<float *>(array.data()) + slice * thread;
      };
      loop(slice, sliceOf(arrays[0]), sliceOf(arrays[1]), sliceOf(arrays[2]));
    };
    return static_cast<double>(slice) * threads * 4 * streams /
           timePasses(threads, 6, seconds, work).front();
  }

private:
  unsigned threads;
  std::int64_t slice;
  std::vector<Array> arrays;
};
} // namespace

StreamSpeeds tools::measureStreams(std::int64_t footprint, unsigned threads,
                                   bool past, double seconds) {
  const StreamArrays arrays(footprint, threads);
  const VectorLoops &loops = vectorLoops();
  const auto speed = [&](StreamLoop loop, int streams) {
    return arrays.bytesPerSecond(loop, streams, seconds);
  };
  return {.read = speed(loops.read, 1),
          .copy = speed(loops.copy, 2),
          .triad = speed(loops.triad, 3),
          .copyPast = past ? speed(loops.copyPast, 2) : 0,
          .triadPast = past ? speed(loops.triadPast, 3) : 0};
}

double tools::triadBandwidth(std::int64_t footprint, unsigned threads) {
  static std::map<std::pair<std::int64_t, unsigned>, double> known;
  const auto [entry, isNew] = known.try_emplace({footprint, threads}, 0.0);
  if (!isNew)
    return entry->second;
  const StreamArrays arrays(footprint, threads);
  constexpr double seconds = 0.02;
  entry->second = arrays.bytesPerSecond(vectorLoops().triad, 3, seconds);
  // What fits a near cache is only slower when it is written past it.
  constexpr std::int64_t nearCaches = std::int64_t{4} << 20;
  if (footprint > nearCaches)
    entry->second =
        std::max(entry->second,
                 arrays.bytesPerSecond(vectorLoops().triadPast, 3, seconds));
  return entry->second;
}

KernelLimit tools::limitOf(const Limits &limits, double bytes,
                           double operations, double triad) {
  const std::size_t level =
      levelOf(static_cast<std::int64_t>(bytes), limits.threads);
  const double speed = std::max(
      limits.levels[std::min(level, limits.levels.size() - 1)].speeds.best(),
      triad);
  return {speed > 0 ? bytes / speed : 0,
          limits.fmaPerSecond > 0 ? operations / limits.fmaPerSecond : 0};
}

Limits tools::measureLimits(unsigned threads, bool quick) {
  Limits limits;
  limits.threads = threads;
  const double seconds = quick ? 0.003 : 0.02;
  const auto &caches = dataCaches();
  for (std::size_t level = 0; level <= caches.size(); ++level) {
    const std::int64_t footprint =
        level < caches.size() ? caches[level].room(threads) / 2
                              : std::max(std::int64_t{256} << 20,
                                         caches.back().room(threads) * 8);
    // Written past a cache, what fits it is only slower.
    const bool past = level + 1 >= caches.size();
    limits.levels.push_back(
        {levelName(level), footprint,
         measureStreams(footprint, threads, past, seconds)});
  }
  limits.fmaPerSecond = measureFmaPeak(threads, seconds);
  return limits;
}
