//===- Bench/Limits.h - What the machine can do at most ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_LIMITS_H
#define KEXPR_TOOLS_BENCH_LIMITS_H

#include <cstdint>
#include <string>
#include <vector>

namespace kexpr::tools {

struct Cache {
  std::string name; ///< L1, L2, L3
  std::int64_t bytes = 0;
  /// Whether hardware threads beyond those of one core share it.
  bool isShared = false;
  /// What `threads` threads on cores of their own have of it together.
  std::int64_t room(unsigned threads) const {
    return isShared ? bytes : bytes * threads;
  }
};

/// The data caches of the first core as the system tells them, nearest first;
/// typical ones of 32 KiB, 1 MiB and 32 MiB if it does not.
const std::vector<Cache> &dataCaches();

/// The index of the nearest cache that holds so many bytes, used in equal parts
/// by `threads` threads; the number of caches for memory.
std::size_t levelOf(std::int64_t bytes, unsigned threads);

/// Its name; DRAM behind the last.
std::string levelName(std::size_t level);

/// Bytes a second, as STREAM counts them: those that a loop names, whatever
/// else its stores make the machine read. Zero is not measured.
struct StreamSpeeds {
  double read = 0;  ///< sum of b[i]; not one of STREAM's
  double copy = 0;  ///< a[i] = b[i]
  double triad = 0; ///< a[i] = b[i] + s * c[i]
  /// With stores past the caches: zero where the machine has none, or where
  /// they were left out.
  double copyPast = 0;
  double triadPast = 0;

  static constexpr double StreamSpeeds::*All[] = {
      &StreamSpeeds::read, &StreamSpeeds::copy, &StreamSpeeds::triad,
      &StreamSpeeds::copyPast, &StreamSpeeds::triadPast};
  /// The best of all.
  double best() const;
};

/// All streams in f32 over arrays of `footprint` bytes together (three, of
/// which a copy uses two) on `threads` threads, each busy on a slice of its
/// own. Each figure is the best of six times about `seconds`. Zeros if there is
/// no memory for it.
StreamSpeeds measureStreams(std::int64_t footprint, unsigned threads, bool past,
                            double seconds);

/// Bytes a second of STREAM's triad for that footprint and number of threads:
/// the better of a loop through the cache and, beyond 4 MiB, one with
/// non-temporal stores, each the best of six. Measured at the first call for
/// these arguments and remembered; call it from one thread.
double triadBandwidth(std::int64_t footprint, unsigned threads);

/// What one number of threads can do, measured in this process.
struct Limits {
  struct Level {
    std::string name; ///< L1, L2, L3, DRAM
    /// Of the arrays that were measured: half of what the cache holds, and in
    /// memory many times the last cache.
    std::int64_t footprint = 0;
    StreamSpeeds speeds;
  };
  unsigned threads = 1;
  std::vector<Level> levels; ///< Nearest first; the last is memory.
  /// Fused multiply-adds of f32 a second, each element counted once; a
  /// processor's FLOP/s are twice that.
  double fmaPerSecond = 0;
};

/// The least time, in seconds, that a kernel can take by these limits.
struct KernelLimit {
  /// For moving its bytes, at the speed of the best stream (read, copy or
  /// triad, through the caches or past them) in the level it lives in, or of
  /// the triad over as many bytes where that is faster. A bound
  /// as far as streams tell: a kernel whose mix of reads and writes suits the
  /// machine better, or whose data half lie in a nearer cache, can beat it by a
  /// few per cent.
  double memory = 0;
  /// For computing: its operations, each as one fused multiply-add. An
  /// estimate: `Kernel::operationsPerElement` weighs divisions and roots by a
  /// typical processor and counts comparisons and bit operations, which may
  /// have execution units of their own; shorter instruction sequences exist for
  /// some primitives.
  double compute = 0;
  double seconds() const { return memory > compute ? memory : compute; }
};

/// `bytes` are those of operands and outputs of one run, which does
/// `operations`; `triad` is the triad's speed at that footprint.
KernelLimit limitOf(const Limits &limits, double bytes, double operations,
                    double triad);

/// Takes about three seconds, or one if it is to be `quick`; uses up to 768 MiB
/// of memory.
Limits measureLimits(unsigned threads, bool quick);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_LIMITS_H
