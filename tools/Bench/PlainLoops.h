//===- Bench/PlainLoops.h - The loops to beat -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_PLAINLOOPS_H
#define KEXPR_TOOLS_BENCH_PLAINLOOPS_H

#include <cstdint>

namespace kexpr::tools {

/// `out[i]` from `in[0][i]`, `in[1][i]`...; `out` overlaps no input.
using PlainLoop = void (*)(std::int64_t count, float *out,
                           const float *const *in);

/// Expressions that there are loops for: the work set, E1 to E7.
inline constexpr int plainLoopCount = 7;

/// Loops for the work set, each for all its expressions in order.
struct PlainLoops {
  const char *name;
  /// Compiler, its version and flags; or the library.
  const char *compiledBy;
  PlainLoop loops[plainLoopCount];
};

/// What one would write in C++ by hand, compiled for the building machine:
/// exp, sin and cos are polynomials of about 1 ulp that the compiler inlines
/// and vectorises, and tanh-GELU is written with one exponential, as x times
/// the sigmoid that it equals.
const PlainLoops &handWrittenLoops();
/// The same with stores past the caches; null where the compiler has none.
const PlainLoops *streamingLoops();
/// Eigen's arrays; null where Eigen was not found.
const PlainLoops *eigenLoops();

/// Which of AVX2, FMA and AVX-512 they are compiled to.
extern const bool plainLoopsUse[3];
/// Whether this machine has those.
bool plainLoopsRunHere();

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_PLAINLOOPS_H
