//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run/Summary.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>
#include <thread>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Moments {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  std::int64_t nans = 0;
};
} // namespace

static Moments measure(const Array &array) {
  Moments moments;
  for (std::int64_t i = 0, count = array.count(); i < count; ++i) {
    const double value = array.at(i);
    if (std::isnan(value)) {
      ++moments.nans;
      continue;
    }
    moments.least = std::min(moments.least, value);
    moments.greatest = std::max(moments.greatest, value);
    moments.sum += value;
  }
  return moments;
}

static void printFirst(std::ostream &out, const Array &array) {
  constexpr std::int64_t most = 8;
  const std::int64_t count = array.count();
  out << "  first ";
  for (std::int64_t i = 0; i < std::min(count, most); ++i)
    out << ' ' << array.at(i);
  out << (count > most ? " ...\n" : "\n");
}

void tools::printSummary(std::ostream &out, const Array &array) {
  out << nameOf(array.type()) << array.shape().str() << '\n';
  const std::int64_t count = array.count();
  if (count == 0)
    return;
  const Moments moments = measure(array);
  out << std::setprecision(9);
  if (moments.nans < count)
    out << "  min    " << moments.least << "\n  max    " << moments.greatest
        << "\n  mean   "
        << moments.sum / static_cast<double>(count - moments.nans) << '\n';
  if (moments.nans > 0)
    out << "  nan    " << moments.nans << " of " << count << '\n';
  printFirst(out, array);
}

static double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void tools::printStats(std::ostream &out, const Kernel &kernel,
                       std::chrono::nanoseconds runTime, unsigned threads) {
  const CompileTimes times = kernel.compileTimes();
  const std::pair<const char *, std::chrono::nanoseconds> stages[] = {
      {"parse", times.parse}, {"plan", times.plan},
      {"emit", times.emit},   {"codegen", times.codegen},
      {"link", times.link},   {"total", times.total()}};
  out << "tier     " << nameOf(kernel.tier()) << '\n';
  out << std::fixed << std::setprecision(3);
  for (const auto &[name, time] : stages)
    out << std::left << std::setw(9) << name << std::right << std::setw(9)
        << milliseconds(time) << " ms\n";
  out << "run      " << std::setw(9) << milliseconds(runTime) << " ms\n"
      << std::defaultfloat << "code     " << kernel.codeSize() << " bytes\n"
      << "work     " << kernel.operationsPerElement()
      << " operations an element\n"
      << "threads  "
      << (threads ? threads : std::max(1u, std::thread::hardware_concurrency()))
      << " at most\n";
}

static void printTier(std::ostream &out, const char *name,
                      const TierStats &tier) {
  out << name << ' ' << tier.loops << " in " << milliseconds(tier.time)
      << " ms";
}

void tools::printStats(std::ostream &out, const Engine &engine) {
  const EngineStats stats = engine.stats();
  out << "loops    " << std::fixed << std::setprecision(3);
  printTier(out, "baseline", stats.baseline);
  printTier(out, ", optimized", stats.optimized);
  out << std::defaultfloat << "\ncache    " << stats.hits << " hits, "
      << stats.misses << " misses, " << stats.evictions << " evictions, "
      << stats.kernels << " kernels, " << stats.codeBytes << " bytes\n"
      << "disk     " << stats.diskHits << " hits, " << stats.diskMisses
      << " misses, " << stats.diskStored << " stored, " << stats.diskFailed
      << " failed\n";
}
