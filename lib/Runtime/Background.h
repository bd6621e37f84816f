//===- Runtime/Background.h - Work that nobody waits for ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BACKGROUND_H
#define KEXPR_RUNTIME_BACKGROUND_H

#include "Support/Fork.h"
#include "Support/Thread.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace kexpr::runtime {

/// One thread that does jobs in order, urgent ones first. It starts with the
/// first job. In a child of fork it starts anew with the next job or `settle`,
/// and the job that was at hand is done again. Destruction waits for the job at
/// hand and drops the others.
///
/// A host may destroy this, or settle, while it loads or unloads a plugin, with
/// the loader's lock in hand. So a job must not need that lock: what does is
/// done first, by functions that use nothing of the engine's, and nobody waits
/// for these.
class Background {
public:
  using Job = std::function<void()>;
  using First = void (*)();

  Background() : state(std::make_shared<State>()) {}
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Does `job` on the thread, or where none can be had, in `settle`. It must
  /// not throw. The thread calls `first` before it takes the job.
  void add(bool isUrgent, Job job, First first = nullptr);
  /// The same for a job that is not worth doing when `owner` is gone: it is
  /// dropped, or done, then. What waits is bounded by the owners that live.
  void add(bool isUrgent, std::weak_ptr<const void> owner, Job job,
           First first = nullptr);
  /// Waits until there is nothing to do. A job does not wait for itself.
  void settle();

private:
  struct Task {
    /// Shared with the thread that does it, for a child that has no such.
    std::shared_ptr<const Job> job = {};
    First first = nullptr;
    bool isOwned = false;
    std::weak_ptr<const void> owner = {};

    bool isGone() const { return isOwned && owner.expired(); }
  };
  struct Queue {
    std::deque<Task> tasks;
    /// Tasks at which those whose owners are gone are removed.
    std::size_t sweepAt = 64;
  };
  /// What the thread has in common with its owner; it may outlive it.
  struct State {
    Mutex mutex;
    Queue urgent, rest;
    std::shared_ptr<const Job> atHand;
    std::thread::id doing;     ///< Whose job that is.
    std::uint32_t takenAt = 0; ///< The number of forks then.
    bool isOver = false;
    /// Whether the thread does what may take the loader's lock.
    bool isAway = false;
    /// Counts what somebody may wait for.
    std::atomic<std::uint32_t> changes = 0;

    void tell();
    bool isBusy() const;
    bool isOfCaller() const;
    Queue &next();
    std::shared_ptr<const Job> take();
    bool doOne();
    void prepare();
    void work();
  };

  void add(bool isUrgent, Task task);
  bool isIdle() const;
  bool hasThread();

  std::shared_ptr<State> state;
  /// The number of forks when it was started.
  std::optional<std::uint32_t> startedAt;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BACKGROUND_H
