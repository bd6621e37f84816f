//===- Runtime/Team.h - The threads of one call ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TEAM_H
#define KEXPR_RUNTIME_TEAM_H

#include "kexpr/Kernel.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>

namespace kexpr::runtime {

class Team;

/// The ranges that one thread takes from a call, one after the other.
class Ranges {
public:
  /// Of a call that runs on its own thread alone, in ranges of at most `chunk`
  /// where the host may end it.
  Ranges(std::int64_t count, std::int64_t chunk, const Interrupt &interrupt)
      : interrupt(interrupt), count(count),
        chunk(interrupt.ask ? chunk : count) {}
  Ranges(Team &team, unsigned share);

  /// Whether this is the thread that made the call.
  bool isCaller() const { return byCaller; }
  /// Takes the next range; false if none is left.
  bool next(std::int64_t &begin, std::int64_t &end);
  /// How many elements were handed out.
  std::int64_t taken() const { return sum; }
  /// Whether the host ended a call of one thread before its last range.
  bool isEnded() const { return ended; }

private:
  bool nextOfTeam(std::int64_t &begin, std::int64_t &end);
  /// Whether the host wants the call to end, asked by its thread between
  /// ranges.
  bool endsHere() const {
    return interrupt.ask && byCaller && sum > 0 &&
           interrupt.ask(interrupt.context);
  }

  Team *team = nullptr;
  Interrupt interrupt;
  unsigned share = 0, tried = 0;
  std::int64_t count = 0, chunk = 0, sum = 0;
  bool byCaller = true, ended = false;
};

/// The work of one thread of a team: a reference, so that nothing is copied to
/// the heap, to a callable of `Ranges &`, or of the begin and end of a range.
/// It may throw before it has taken a range; its thread then takes no part.
class PartFn {
public:
  PartFn() = default; ///< Must not be called.
  template <class F, class = std::enable_if_t<
                         !std::is_same_v<std::remove_cvref_t<F>, PartFn>>>
  PartFn(F &&part)
      : target(const_cast<void *>(static_cast<const void *>(&part))),
        invoke([](void *target, Ranges &ranges) {
          auto &part = *static_cast<std::remove_reference_t<F> *>(target);
          if constexpr (std::is_invocable_v<F, Ranges &>)
            part(ranges);
          else
            for (std::int64_t begin, end; ranges.next(begin, end);)
              part(begin, end);
        }) {}

  void operator()(Ranges &ranges) const { invoke(target, ranges); }

private:
  void *target = nullptr;
  void (*invoke)(void *, Ranges &) = nullptr;
};

/// The threads of one call and its range, in one share for each thread. A
/// thread begins with its own share, the same from call to call, whose data its
/// core's caches may hold; then it takes from the others'. So one thread alone
/// completes the call if no other comes.
class Team {
public:
  /// Threads past these begin with another's share.
  static constexpr unsigned MostShares = 64;

  Team() = default;
  Team(std::int64_t count, std::int64_t chunk, unsigned threads, PartFn part,
       const Interrupt &interrupt = {}) {
    open(count, chunk, threads, part, interrupt);
  }

  /// Begins a call of the calling thread, in ranges of at most `chunk`.
  void open(std::int64_t count, std::int64_t chunk, unsigned threads,
            PartFn part, const Interrupt &interrupt = {});
  /// Takes part, in the default floating-point environment. Returns whether
  /// there was work left.
  bool takePart(std::uint64_t share) noexcept;
  /// Whether the threads that have left have done all of it.
  bool isDone() const { return done.load() == count; }
  /// Whether the host ended the call: nobody takes ranges any more.
  bool isEnded() const { return ended.load(std::memory_order_relaxed); }
  /// Whether a thread took no part as it had no memory for it.
  bool lackedMemory() const { return lacks.load(); }

  // For threads that may come late, to a team that is never destroyed: if
  // `enter` returns true, the call does not end before `leave`.
  bool enter() noexcept;
  void leave() noexcept { active.fetch_sub(1); }
  /// Refuses whoever enters from now on, and waits until all have left.
  void close() noexcept;

  /// Whether one more thread, of `most` beside the caller, is to take part.
  bool join(unsigned most) {
    return joined.load() < most && joined.fetch_add(1) < most;
  }

  Team *nextFree = nullptr; ///< In a list of unused teams.

private:
  friend class Ranges;

  /// The part of a share that no thread has taken.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  std::int64_t count = 0, chunk = 1;
  unsigned shareCount = 0;
  std::thread::id caller;
  PartFn part;
  Interrupt interrupt;
  std::atomic<std::int64_t> done = 0;
  std::atomic<unsigned> joined = 0, active = 0;
  std::atomic<bool> isOpen = false, lacks = false, ended = false;
  std::array<Share, MostShares> shares;
};

/// Pauses a thread that spins; after many spins it yields, as the thread that
/// it waits for may need its core.
void relax(unsigned spins);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TEAM_H
