//===- Runtime/Pool.h - Threads of the library for calls ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_POOL_H
#define KEXPR_RUNTIME_POOL_H

#include "Runtime/Crew.h"
#include "Support/Fork.h"

namespace kexpr::runtime {

/// Threads that sleep between calls, for builds without oneTBB. They start with
/// the first call, and anew in a child of fork; where none can be had callers
/// do everything. They live as long as the process, and so must the pool.
class Pool {
public:
  explicit Pool(unsigned helpers) : most(helpers) {}
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Has the caller and helpers take part, so many in all at most, and returns
  /// when they have left. A caller that waits does nothing else meanwhile. Any
  /// thread may call it, from within a call, too.
  void run(unsigned threads, Team &team);
  /// Has helpers without a call serve a crew that hires so many.
  void keepAwake(Crew &crew, unsigned helpers,
                 std::chrono::microseconds patience);

private:
  struct Call;

  void start();
  Call *enter();
  void leave(Call &call);
  void close(Call &call);
  bool serve();
  [[noreturn]] void help();
  void wake();

  const unsigned most; ///< Helpers.
  Mutex mutex;
  /// What the mutex guards.
  unsigned started = 0;
  std::uint32_t forks = 0; ///< When they were started.
  Call *first = nullptr;   ///< Of a list of calls that helpers may enter.
  Crew *crew = nullptr;    ///< That others are to serve.
  unsigned others = 0;
  std::chrono::microseconds patience{0};
  /// Count what helpers and callers wait for.
  std::atomic<std::uint32_t> posted = 0, left = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_POOL_H
