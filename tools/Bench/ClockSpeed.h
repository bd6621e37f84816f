//===- Bench/ClockSpeed.h - What a cycle takes ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_BENCH_CLOCKSPEED_H
#define KEXPR_TOOLS_BENCH_CLOCKSPEED_H

namespace kexpr::tools {

/// Cycles a second of the core that the caller runs on, as it is now: the speed
/// of additions that wait for each other, which take a cycle each on any core.
/// The best of three times about `seconds`.
double measureClockSpeed(double seconds);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_BENCH_CLOCKSPEED_H
