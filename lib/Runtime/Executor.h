//===- Runtime/Executor.h - Loops split over threads ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EXECUTOR_H
#define KEXPR_RUNTIME_EXECUTOR_H

#include "Runtime/RangeFn.h"

#include <chrono>

namespace kexpr::runtime {

/// Work of fewer grains than this is not handed to a thread that is awake: each
/// must have work for longer than it takes to hand it over.
inline constexpr std::int64_t GrainsShared = 4;

/// How a range of elements is split.
struct Split {
  /// Elements of one task at least.
  std::int64_t grain = 1;
  /// Threads at most; 0 is as many as the caller's arena has, 1 is the caller.
  unsigned maxThreads = 0;
  /// How long other threads wait, without sleeping, for the next call.
  std::chrono::microseconds stayAwake{0};
  /// Elements up to which the calling thread is done before a sleeping one is
  /// awake.
  std::int64_t alone = 0;
};

/// Runs `work` over [0, count) and returns when all of it is done. A range of
/// up to one grain, or one thread, is run on the calling thread without
/// touching the scheduler. Otherwise oneTBB splits it, in the task arena the
/// call is made in, so a host's own arena bounds it; or, between threads that
/// stayed awake since another call, hand it out themselves.
void forRange(std::int64_t count, const Split &split, RangeFn work);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EXECUTOR_H
