//===- Bench/Triad.h - The yardstick for memory traffic -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TRIAD_H
#define KEXPR_TOOLS_BENCH_TRIAD_H

#include <cstdint>

namespace kexpr::tools {

/// Bytes a second of STREAM's triad, a[i] = b[i] + s * c[i] in f32, over three
/// arrays of `footprint` bytes together on `threads` threads, each busy on a
/// slice of its own. The better of a loop through the cache and, beyond 4 MiB,
/// one with non-temporal stores, each the best of three. Measured at the first
/// call for these arguments and remembered; call it from one thread.
double triadBandwidth(std::int64_t footprint, unsigned threads);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TRIAD_H
