//===- Runtime/Scheduler.h - Threads that sleep between calls -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The threads of calls whose host gives no executor: oneTBB's
/// (ExecutorTbb.cpp), or in a build without it the library's own (Pool.cpp).
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_SCHEDULER_H
#define KEXPR_RUNTIME_SCHEDULER_H

#include "Runtime/Team.h"

#include <chrono>

namespace kexpr::runtime {

/// How many a call that is made here can have, its caller among them; at
/// least 1.
unsigned schedulerThreads();
/// Has the caller and others take part, so many in all at most, and returns
/// when they have left. It may throw where memory runs out, with something left
/// to do.
void runOnScheduler(unsigned threads, Team &team);
/// Has so many of those that a call made here can have join the crew of the
/// process, if it hires them. It may throw where memory runs out.
void keepAwake(unsigned helpers, std::chrono::microseconds patience);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_SCHEDULER_H
