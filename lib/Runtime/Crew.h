//===- Runtime/Crew.h - Threads that are awake between calls --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_CREW_H
#define KEXPR_RUNTIME_CREW_H

#include "Runtime/Team.h"

#include <chrono>

namespace kexpr::runtime {

/// A scheduler's threads sleep when there is nothing to do, and waking one
/// takes longer than many a call. The crew are threads of it that wait for the
/// next call without sleeping, for a bounded time, and take part in it within a
/// fraction of a microsecond. All members may be called from any thread.
class Crew {
public:
  using Clock = std::chrono::steady_clock;

  static Crew &ofProcess();

  Crew() = default;
  Crew(const Crew &) = delete;
  Crew &operator=(const Crew &) = delete;

  /// Runs a team's range on the calling thread and `helpers` others, as many
  /// as there can be. False, with nothing done, where not so many are awake, or
  /// the crew works for another call.
  bool run(Team &team, unsigned helpers);

  /// Whether the caller is to have another thread call `serve`: there are not
  /// yet so many helpers, and the one more is counted. Where the last few
  /// waited in vain, calls being too far apart, seldom.
  bool hire(unsigned helpers);
  /// Takes part in calls until there was none for so long, or for an hour.
  void serve(std::chrono::microseconds patience);

  /// How many helpers are awake.
  unsigned awake() const { return waiting; }

private:
  static constexpr std::size_t MostHelpers = 64;

  /// What a helper works for, so that the call does not end before it.
  struct alignas(64) Place {
    std::atomic<bool> isTaken = false;
    std::atomic<Team *> call = nullptr;
  };

  bool help(Place &place);
  Place *findPlace();

  alignas(64) std::atomic<Team *> current = nullptr;
  std::atomic<unsigned> wanted = 0; ///< Helpers of that call.
  alignas(64) std::atomic<unsigned> waiting = 0;
  std::atomic<unsigned> hired = 0;
  /// Helpers in a row that no call needed, and how often one was asked for
  /// since.
  std::atomic<unsigned> inVain = 0, asked = 0;
  std::array<Place, MostHelpers> places;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_CREW_H
