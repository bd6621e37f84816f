//===- Bench/FmaPeak.h - The speed of arithmetic alone --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_FMAPEAK_H
#define KEXPR_TOOLS_BENCH_FMAPEAK_H

namespace kexpr::tools {

/// Fused multiply-adds of f32 a second (elements, not vectors) that `threads`
/// threads do in registers, with the widest vectors the machine has and enough
/// chains to hide latencies; multiplications and additions where it has no
/// fused ones. The best of three times `seconds`.
double measureFmaPeak(unsigned threads, double seconds);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_FMAPEAK_H
