//===- Runtime/Team.h - A call shared out between threads -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_TEAM_H
#define KEXPR_RUNTIME_TEAM_H

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>

namespace kexpr::runtime {

class Team;

/// The ranges that one thread takes of a call, one after the other.
class Ranges {
public:
  /// Of a call that its own thread does alone.
  explicit Ranges(std::int64_t count) : count(count) {}
  Ranges(Team &team, unsigned share);

  /// Whether this is the thread that made the call.
  bool isCaller() const { return byCaller; }
  /// The next range, which is nobody else's; false where nothing is left.
  bool next(std::int64_t &begin, std::int64_t &end);
  /// How many elements were handed out.
  std::int64_t taken() const { return sum; }

private:
  bool nextOfTeam(std::int64_t &begin, std::int64_t &end);

  Team *team = nullptr;
  unsigned share = 0, tried = 0;
  std::int64_t count = 0, sum = 0;
  bool byCaller = true;
};

/// What a thread does that takes part: a reference to a callable of `Ranges &`,
/// or of the begin and end of each range, so that nothing is copied to the
/// heap. It may throw before it has taken a range, and then takes no part.
class PartFn {
public:
  PartFn() = default; ///< Does nothing, and must not be called.
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

/// The range of a call, in one share for each thread that is to take part.
/// A thread begins with a share of its own, the same from call to call, so that
/// what a core's caches hold is of use to it; then it takes from the others'.
/// So every part of it may be left out but one.
class Team {
public:
  /// Threads past these begin with another's share.
  static constexpr unsigned MostShares = 64;

  Team() = default;
  Team(std::int64_t count, std::int64_t chunk, unsigned threads, PartFn part) {
    open(count, chunk, threads, part);
  }

  /// Begins a call of the calling thread, in ranges of at most `chunk`.
  void open(std::int64_t count, std::int64_t chunk, unsigned threads,
            PartFn part);
  /// Takes part, in the default floating-point environment. Whether there was
  /// anything to do.
  bool takePart(std::uint64_t share) noexcept;
  /// Whether all was done by those who have left.
  bool isDone() const { return done.load() == count; }
  /// Whether a thread took no part as it had no memory for it.
  bool lackedMemory() const { return lacks.load(); }

  // For threads that may come late, to a team that is never destroyed: what
  // the call refers to is there between the two, if `enter` gives true.
  bool enter() noexcept;
  void leave() noexcept { active.fetch_sub(1); }
  /// Lets nobody enter any more, and waits until all have left.
  void close() noexcept;

  /// Whether one thread more, of so many, is to take part beside the caller.
  bool join(unsigned most) {
    return joined.load() < most && joined.fetch_add(1) < most;
  }

  Team *nextFree = nullptr; ///< Of a list of teams in no use.

private:
  friend class Ranges;

  /// What of a share is not yet begun.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  std::int64_t count = 0, chunk = 1;
  unsigned shareCount = 0;
  std::thread::id caller;
  PartFn part;
  std::atomic<std::int64_t> done = 0;
  std::atomic<unsigned> joined = 0, active = 0;
  std::atomic<bool> isOpen = false, lacks = false;
  std::array<Share, MostShares> shares;
};

/// Tells the processor that this thread waits, or the system after a while: its
/// core may be what the other one waits for.
void relax(unsigned spins);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_TEAM_H
