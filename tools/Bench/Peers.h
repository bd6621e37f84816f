//===- Bench/Peers.h - Loops of others, checked and timed -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_PEERS_H
#define KEXPR_TOOLS_BENCH_PEERS_H

#include "Bench/PlainLoops.h"
#include "Bench/Workload.h"

#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

namespace kexpr::tools {

/// How far a peer may be from the kernel: this times 1 + |result|. Peers round
/// other intermediate results, and their functions err by an ulp or two more.
inline constexpr float peerTolerance = 1e-6f;

/// Whether all elements are that close; otherwise an error that names the
/// first that is not. NaN is close to nothing.
Status isClose(const float *results, const float *expected, std::int64_t count);

/// The compiled peers that this machine can run.
std::vector<const PlainLoops *> plainPeers();

/// The index of an expression of the work set, spelled as there; -1 for
/// another.
int plainIndexOf(std::string_view expression);

/// Holds what the loop computes against the kernel's result, then times it,
/// writing where the kernel writes. For workloads of equal contiguous shapes.
void timePlain(benchmark::State &state, const Engine &engine, Pool &pool,
               Workload &work, PlainLoop loop);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_PEERS_H
