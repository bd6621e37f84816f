//===- CliffLoops.h - Loops that only the processor can be slow in --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_CLIFFLOOPS_H
#define KEXPR_BENCHMARKS_CLIFFLOOPS_H

#include <cstdint>
#include <span>

namespace kexpr::tools {

/// What a kernel of CliffsBenchmark computes, as one would write it in C++:
/// without a branch, compiled for the building machine.
struct CliffLoop {
  const char *kernel; ///< Its name in the benchmark.
  /// Elements are floats, or of the type in which the name ends.
  void (*run)(std::int64_t count, void *out, const void *const *in);
  /// Whether results may be what is left of larger numbers: then they are off
  /// by a part of those.
  bool cancels = false;
};

std::span<const CliffLoop> cliffLoops();

} // namespace kexpr::tools

#endif // KEXPR_BENCHMARKS_CLIFFLOOPS_H
