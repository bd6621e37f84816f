//===- Bench/StreamLoops.h - Loops that only move memory ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_STREAMLOOPS_H
#define KEXPR_TOOLS_BENCH_STREAMLOOPS_H

#include <cstdint>

namespace kexpr::tools {

/// `count` f32 elements: a multiple of 64, at addresses that are one of 64
/// bytes. A loop that reads only writes to nothing but `a[0]`.
using StreamLoop = void (*)(std::int64_t count, float *a, const float *b,
                            const float *c);

struct StreamLoops {
  StreamLoop read;  ///< sum of b[i]
  StreamLoop copy;  ///< a[i] = b[i]
  StreamLoop triad; ///< a[i] = b[i] + 3 * c[i]
  /// The same with stores past the caches; null where there are none.
  StreamLoop copyPast;
  StreamLoop triadPast;
};

/// Those of the widest vectors that this machine has.
const StreamLoops &streamLoops();

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_STREAMLOOPS_H
