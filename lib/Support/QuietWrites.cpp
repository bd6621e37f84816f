//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/QuietWrites.h"

#include <cerrno>
#include <ctime>

using namespace kexpr;

/// Linux sends both to the thread that writes, before the call returns.
static constexpr int Raised[] = {SIGXFSZ, SIGPIPE};

QuietWrites::QuietWrites() {
  sigset_t pending;
  sigpending(&pending);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigemptyset(&ours);
  for (const int signal : Raised) {
    sigaddset(&blocked, signal);
    if (!sigismember(&pending, signal))
      sigaddset(&ours, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
}

QuietWrites::~QuietWrites() {
  const int error = errno;
  const timespec none = {};
  // Each signal is pending once at most; what interrupts the wait is handled.
  while (sigtimedwait(&ours, nullptr, &none) > 0 || errno == EINTR)
    ;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
}
