//===- Bench/Triad.h - The yardstick for memory traffic -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TRIAD_H
#define KEXPR_TOOLS_BENCH_TRIAD_H

#include <cstdint>

namespace kexpr::tools {

/// Bytes a second, as STREAM counts them: those that a loop names, whatever
/// else its stores make the machine read. Zero is not measured.
struct StreamSpeeds {
  double read = 0;  ///< sum of b[i]; not one of STREAM's
  double copy = 0;  ///< a[i] = b[i]
  double triad = 0; ///< a[i] = b[i] + s * c[i]
  /// With stores past the caches: zero where the machine has none, or where
  /// they were not asked for.
  double copyPast = 0;
  double triadPast = 0;
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

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TRIAD_H
