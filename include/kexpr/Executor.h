//===- kexpr/Executor.h - Threads of the host -------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_EXECUTOR_H
#define KEXPR_EXECUTOR_H

#include <cstdint>

namespace kexpr {
inline namespace v2 {

/// A host's own threads, on which calls run instead of oneTBB's
/// (`EngineOptions::executor`, `RunOptions::executor`). Results have the same
/// bits.
struct Executor {
  /// Does the tasks [begin, end) of a call. Any thread may call it.
  using Tasks = void (*)(std::int64_t begin, std::int64_t end, void *call);

  /// Calls `tasks` with ranges that cover each of [0, count) once, and with
  /// `call`, on any threads, in any order, one by one or in parallel, and
  /// returns when all these calls have returned. It may be called from any
  /// thread, by several at once, and finds the host's floating-point
  /// environment on the calling thread. If it throws, or returns before all
  /// tasks are done, the call fails with InvalidArgument and outputs may be
  /// partly written; later calls of `tasks` for it do nothing.
  void (*run)(void *context, std::int64_t count, Tasks tasks,
              void *call) = nullptr;
  /// The first argument of `run`. It must live as long as the engine and its
  /// kernels, for an engine's executor, or until the call returns.
  void *context = nullptr;
  /// The most tasks of a call, one for each thread that takes part; 0 is the
  /// number of threads of the machine.
  unsigned threads = 0;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_EXECUTOR_H
