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

/// A host's own threads, on which calls run in place of oneTBB's
/// (`EngineOptions::executor`, `RunOptions::executor`). Results have the same
/// bits.
struct Executor {
  /// Does the tasks [begin, end) of a call. Any thread may call it.
  using Tasks = void (*)(std::int64_t begin, std::int64_t end, void *call);

  /// Calls `tasks` with ranges that cover [0, count) once, and with `call`, on
  /// any threads, in any order, side by side or one after the other, and
  /// returns when all these calls have returned. It may be called from any
  /// thread, by several at once. One that throws, or returns with tasks that
  /// were never done, makes its call fail with InvalidArgument, after which
  /// outputs may be partly written; what it calls too late does nothing. On
  /// the calling thread it finds the floating-point environment of the host.
  void (*run)(void *context, std::int64_t count, Tasks tasks,
              void *call) = nullptr;
  /// Passed on as it is. It must live as long as what was given the executor:
  /// the engine with its kernels, or the call.
  void *context = nullptr;
  /// Tasks of a call at most: as many as threads take part; 0 is one for each
  /// of the machine.
  unsigned threads = 0;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_EXECUTOR_H
