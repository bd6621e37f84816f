//===- Bench/Limits.h - What the machine can do at most -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_LIMITS_H
#define KEXPR_TOOLS_BENCH_LIMITS_H

#include "Bench/Triad.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kexpr::tools {

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

  /// The level that a footprint lives in.
  const Level &levelFor(std::int64_t footprint) const;
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

/// `bytes` are those of operands and outputs of one run over `elements`, which
/// does `operations`; `triad` is the triad's speed at that footprint.
KernelLimit limitOf(const Limits &limits, double bytes, double operations,
                    double triad);

/// Takes about three seconds, or one if it is to be `quick`; uses up to 768 MiB
/// of memory.
Limits measureLimits(unsigned threads, bool quick);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_LIMITS_H
