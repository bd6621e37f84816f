//===- Bench/Team.h - Threads that start together -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_TEAM_H
#define KEXPR_TOOLS_BENCH_TEAM_H

#include <functional>

namespace kexpr::tools {

/// Runs `work(thread)` on that many threads at once, the caller's among them,
/// each `passes` times after one pass that is not timed; from the first start
/// to the last end, in seconds.
double timeTeam(unsigned threads, long passes,
                const std::function<void(unsigned)> &work);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_TEAM_H
