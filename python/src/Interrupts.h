//===- Interrupts.h - Signals during long calls -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_INTERRUPTS_H
#define KEXPR_PYTHON_INTERRUPTS_H

#include "Python.h"

#include "kexpr/Kernel.h"

#include <chrono>
#include <utility>

namespace kexpr::python {

/// Lets other threads run while it lives, as `WithoutGil`, and answers signals
/// of Python meanwhile: handlers run on the main thread, and where one raises,
/// which Ctrl-C does, the call ends and the exception is set.
class Interrupts {
public:
  Interrupts() : before(std::exchange(current, this)) {}
  ~Interrupts() { current = before; }
  Interrupts(const Interrupts &) = delete;
  Interrupts &operator=(const Interrupts &) = delete;

  /// While it lives, code of Python may make calls of its own, within a call
  /// that they know nothing of.
  class Hidden {
  public:
    Hidden() : outer(std::exchange(current, nullptr)) {}
    ~Hidden() { current = outer; }
    Hidden(const Hidden &) = delete;
    Hidden &operator=(const Hidden &) = delete;

  private:
    Interrupts *outer;
  };

  /// What options of calls have.
  static Interrupt option() { return {ask, nullptr}; }

private:
  static bool ask(void *);
  bool look();

  using Clock = std::chrono::steady_clock;
  /// How long a signal waits at most. Looking for one takes the GIL, for which
  /// a thread of Python that computes makes others wait milliseconds.
  static constexpr std::chrono::milliseconds Patience{100};

  static thread_local Interrupts *current;
  Interrupts *before;
  WithoutGil without;
  Clock::time_point next = Clock::now() + Patience;
  bool raised = false;
};

/// Runs a call, a long one without the GIL. Where it ended because a handler
/// of a signal raised, the exception is set.
template <class Run> Status runInterruptibly(bool isLong, const Run &run) {
  if (!isLong)
    return run();
  const Interrupts interrupts;
  return run();
}

} // namespace kexpr::python

#endif // KEXPR_PYTHON_INTERRUPTS_H
