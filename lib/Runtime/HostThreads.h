//===- Runtime/HostThreads.h - Calls on threads of the host ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_HOSTTHREADS_H
#define KEXPR_RUNTIME_HOSTTHREADS_H

#include "Runtime/Executor.h"

namespace kexpr::runtime {

/// Threads that an executor has, as far as is known.
unsigned threadsOf(const Executor &host);

/// Runs `part` over [0, count) as `threads` tasks of the host's executor, in
/// ranges of at most `chunk`; the executor is called in the environment that
/// `split.floats` keeps. What it does not do as it should is an error, and
/// nothing that it does later touches what is gone.
Status runOnHost(const Split &split, unsigned threads, std::int64_t count,
                 std::int64_t chunk, PartFn part);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_HOSTTHREADS_H
