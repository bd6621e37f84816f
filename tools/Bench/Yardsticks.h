//===- Bench/Yardsticks.h - Loops that one resource limits ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_YARDSTICKS_H
#define KEXPR_TOOLS_BENCH_YARDSTICKS_H

#include <cstdint>

namespace kexpr::tools {

/// `count` f32 elements: a multiple of 64, at addresses that are one of 64
/// bytes. A loop that reads only writes to nothing but `a[0]`.
using StreamLoop = void (*)(std::int64_t count, float *a, const float *b,
                            const float *c);

/// Loops over vectors of one width.
struct VectorLoops {
  StreamLoop read;  ///< sum of b[i]
  StreamLoop copy;  ///< a[i] = b[i]
  StreamLoop triad; ///< a[i] = b[i] + 3 * c[i]
  /// The same with stores past the caches; null where there are none.
  StreamLoop copyPast;
  StreamLoop triadPast;
  /// Computes that many multiply-adds of f32 elements in registers.
  float (*multiplyAdd)(float start);
  double multiplyAdds;
};

/// Those of vectors of so many bytes; VectorLoops.cpp is compiled for each.
template <int Bytes> const VectorLoops &vectorLoopsOf();

/// Those of the widest vectors that this machine has.
const VectorLoops &vectorLoops();

/// Cycles a second of the core that the caller runs on, as it is now: the speed
/// of additions that wait for each other, which take a cycle each on any core.
/// The best of three times about `seconds`.
double measureClockSpeed(double seconds);

/// Fused multiply-adds of f32 a second (elements, not vectors) that `threads`
/// threads do in registers, with the widest vectors the machine has and enough
/// chains to hide latencies; multiplications and additions where it has no
/// fused ones. The best of three times `seconds`.
double measureFmaPeak(unsigned threads, double seconds);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_YARDSTICKS_H
