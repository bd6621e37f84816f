//===- Runtime/WorkerPool.h - Threads of the library for calls ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_WORKERPOOL_H
#define KEXPR_RUNTIME_WORKERPOOL_H

#include "Runtime/SpinPool.h"
#include "Support/Fork.h"

namespace kexpr::runtime {

/// Threads that sleep between calls, for builds without oneTBB. They start with
/// the first call, and anew in a child of fork; without them callers do all
/// work. They live as long as the process, and so must the pool.
class WorkerPool {
public:
  explicit WorkerPool(unsigned helpers) : most(helpers) {}
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Has the caller and helpers take part, `threads` in all at most, and
  /// returns when they have left. A caller that waits runs no other work. Any
  /// thread may call it, also from within a call.
  void run(unsigned threads, Team &team);
  /// Has helpers without a call spin in `spinners`, as far as it reserves them.
  void keepSpinning(SpinPool &spinners, unsigned helpers,
                    std::chrono::microseconds patience);

private:
  struct Call;

  void start();
  Call *enter();
  void leave(Call &call);
  void close(Call &call);
  bool spin();
  [[noreturn]] void help();
  void wake();

  const unsigned most; ///< Helpers.
  Mutex mutex;
  // Guarded by the mutex:
  unsigned started = 0;
  std::uint32_t forks = 0; ///< When they were started.
  Call *first = nullptr;   ///< Of a list of calls that helpers may enter.
  SpinPool *spinners = nullptr;
  unsigned toSpin = 0; ///< Helpers that have still to go there.
  std::chrono::microseconds patience{0};
  /// Events that helpers and callers wait for.
  std::atomic<std::uint32_t> posted = 0, left = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_WORKERPOOL_H
