//===- kexpr-c/Executor.h - Threads of the host, for C ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_C_EXECUTOR_H
#define KEXPR_C_EXECUTOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Does the tasks [begin, end) of a call.
typedef void (*kexpr_tasks)(int64_t begin, int64_t end, void *call);
/// A host's own threads, on which calls run instead of oneTBB's; all members 0
/// for none.
typedef struct kexpr_executor {
  /// Calls `tasks` with ranges that cover each of [0, count) once, and with
  /// `call`, on any threads, in any order, and returns when all these calls
  /// have. Any thread may call it, several at once. If it returns before all
  /// tasks are done the call fails, and outputs may be partly written; later
  /// calls of `tasks` for it do nothing.
  void (*run)(void *context, int64_t count, kexpr_tasks tasks, void *call);
  void *context;    ///< Of `run`; lives as long as its engine or call.
  uint32_t threads; ///< The most tasks of a call; 0: as many as the machine.
} kexpr_executor;

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_EXECUTOR_H
