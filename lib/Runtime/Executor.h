//===- Runtime/Executor.h - Loops split over threads ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EXECUTOR_H
#define KEXPR_RUNTIME_EXECUTOR_H

#include "Runtime/Team.h"
#include "Support/DefaultFloats.h"
#include "kexpr/Error.h"
#include "kexpr/Executor.h"

#include <chrono>

namespace kexpr::runtime {

/// Work of fewer grains than this is not split even over spinning threads: each
/// must have work for longer than it takes to hand it over.
inline constexpr std::int64_t GrainsShared = 4;

/// Grains of the longest range where the host may end the call: a millisecond
/// of work.
inline constexpr std::int64_t GrainsAsked = 256;

/// How a range of elements is split.
struct Split {
  /// Elements of one task at least.
  std::int64_t grain = 1;
  /// Threads at most; 0 is as many as there are, 1 is the caller.
  unsigned maxThreads = 0;
  /// How long other threads spin while they wait for the next call.
  std::chrono::microseconds stayAwake{0};
  /// A call of up to so many elements ends before a sleeping thread is awake.
  std::int64_t alone = 0;
  /// Whose threads: the host's, or if it has no function the scheduler's.
  Executor host = {};
  /// Keeps the floating-point environment that the host's executor is called
  /// in; null if it is the default.
  DefaultFloats *floats = nullptr;
  /// The host's, which may end it, and the elements of the longest range then;
  /// 0 is `GrainsAsked` grains.
  Interrupt interrupt = {};
  std::int64_t asked = 0;
};

/// The threads that may take part, the calling one included.
unsigned threadsOf(const Split &split);

/// Runs `part` over [0, count) and returns when all of it is done. A range of
/// up to one grain, or where `maxThreads` is 1, is run on the calling thread
/// without touching the scheduler. Otherwise threads are those of the host's
/// executor, or spinning ones, or the scheduler's: oneTBB's in the task arena
/// of the caller, so that a host's own arena bounds it. A thread that waits
/// runs no task of the host's, and a host that cancels its own tasks cancels
/// none of these. In a child of fork, oneTBB has no threads. Errors: those of
/// an executor that throws or does not run its tasks, and of a host that ends
/// it.
Status forRange(std::int64_t count, const Split &split, PartFn part);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EXECUTOR_H
