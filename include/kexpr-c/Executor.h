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
/// A host's own threads, on which calls run in place of oneTBB's; all members 0
/// for none.
typedef struct kexpr_executor {
  /// Calls `tasks` with ranges that cover [0, count) once, and with `call`, on
  /// any threads, in any order, and returns when all these calls have. Any
  /// thread may call it, several at once. If it returns with tasks that were
  /// never done its call fails, with outputs partly written; what it calls too
  /// late does nothing.
  void (*run)(void *context, int64_t count, kexpr_tasks tasks, void *call);
  void *context;    ///< Passed on; lives as long as what was given it.
  uint32_t threads; ///< Tasks of a call at most; 0 is one a thread there is.
} kexpr_executor;

#ifdef __cplusplus
}
#endif

#endif // KEXPR_C_EXECUTOR_H
