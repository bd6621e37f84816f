//===- benchmarks/PlainLoops.h - The loops to beat ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_PLAINLOOPS_H
#define KEXPR_BENCHMARKS_PLAINLOOPS_H

#include <cstdint>

/// `out[i]` from `in[0][i]`, `in[1][i]`...; `out` overlaps no input.
using PlainLoop = void (*)(std::int64_t count, float *out,
                           const float *const *in);

/// The loop that one would write in C++ for expression "E1" to "E7" of the
/// work set; null for another name. Compiled apart from the project, so only a
/// C function is shared.
extern "C" PlainLoop plainLoop(const char *name);

/// The compiler of the loops and its version.
extern "C" const char *plainCompiler();

#endif // KEXPR_BENCHMARKS_PLAINLOOPS_H
