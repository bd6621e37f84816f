//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interrupts.h"

#include <sys/syscall.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::python;

constinit thread_local Interrupts *Interrupts::current = nullptr;

/// Whether this is the process's first thread, the only one that Python runs
/// handlers on.
static bool isMainThread() { return syscall(SYS_gettid) == getpid(); }

bool Interrupts::ask(void *) { return current && current->look(); }

bool Interrupts::look() {
  if (raised || Clock::now() < next)
    return raised;
  if (!isMainThread()) {
    next = Clock::time_point::max();
    return false;
  }
  const Hidden hidden;
  PyEval_RestoreThread(without.state);
  raised = PyErr_CheckSignals() != 0;
  without.state = PyEval_SaveThread();
  next = Clock::now() + Patience;
  return raised;
}
