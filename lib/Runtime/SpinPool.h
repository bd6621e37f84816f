//===- Runtime/SpinPool.h - Threads that spin between calls ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_SPINPOOL_H
#define KEXPR_RUNTIME_SPINPOOL_H

#include "Runtime/Team.h"

#include <chrono>

namespace kexpr::runtime {

/// Waking a thread that sleeps takes longer than many a call. Helpers are
/// threads of a scheduler that spin while they wait for the next call, for a
/// bounded time, and take part in it within a fraction of a microsecond. All
/// members may be called from any thread.
class SpinPool {
public:
  using Clock = std::chrono::steady_clock;

  static SpinPool &ofProcess();

  SpinPool() = default;
  SpinPool(const SpinPool &) = delete;
  SpinPool &operator=(const SpinPool &) = delete;

  /// Runs a team's range on the calling thread and `helpers` others, at most
  /// `MostHelpers`. False, with nothing done, if fewer are spinning, or they
  /// run another call.
  bool run(Team &team, unsigned helpers);

  /// Reserves a place for one more helper, for which the caller is to have
  /// another thread call `help`. False if `helpers` are reserved already, and
  /// mostly where the last few left without a call: calls are too far apart.
  bool reserve(unsigned helpers);
  /// Takes part in calls until none came for so long, or for an hour.
  void help(std::chrono::microseconds patience);

  /// The number of helpers that are spinning or in a call.
  unsigned spinning() const { return awake; }

private:
  static constexpr std::size_t MostHelpers = 64;

  /// The call that a helper may take part in, which must not end before.
  struct alignas(64) Seat {
    std::atomic<bool> isTaken = false;
    std::atomic<Team *> call = nullptr;
  };

  bool takePart(Seat &seat);
  Seat *takeSeat();

  alignas(64) std::atomic<Team *> current = nullptr;
  std::atomic<unsigned> wanted = 0; ///< Helpers of that call.
  alignas(64) std::atomic<unsigned> awake = 0;
  std::atomic<unsigned> reserved = 0;
  /// Helpers in a row that left without a call, and requests for one since.
  std::atomic<unsigned> idleInARow = 0, requests = 0;
  std::array<Seat, MostHelpers> seats;
};

// The threads of calls whose host gives no executor: oneTBB's
// (ExecutorTbb.cpp), or in a build without it the library's own
// (WorkerPool.cpp).

/// The number of threads for a call that is made here, its caller among them;
/// at least 1.
unsigned schedulerThreads();
/// Has the caller and others take part in a team, `threads` in all at most, and
/// returns when they have left. It may throw where memory runs out, with work
/// left to do.
void runOnScheduler(unsigned threads, Team &team);
/// Has `helpers` of the scheduler's threads spin in the pool of the process, as
/// far as it reserves them. It may throw where memory runs out.
void keepSpinning(unsigned helpers, std::chrono::microseconds patience);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_SPINPOOL_H
