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

/// A thread that runs jobs in order, urgent ones first. It starts with the
/// first job. In a child of fork it starts anew with the next job or `settle`,
/// and the job that was running then is run again. Destruction waits for the
/// job that is running and drops the others.
///
/// A host may destroy this, or settle, while it loads or unloads a plugin and
/// so holds the loader's lock. A job must not need that lock: work that does is
/// a preparation of the job, a function that uses nothing of the engine, and
/// for which no thread waits.
class Background {
public:
  using Job = std::function<void()>;
  using Preparation = void (*)();
  using Owner = std::weak_ptr<const void>;

  Background() : state(std::make_shared<State>()) {}
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Runs `job`, which must not throw, on the thread, or in `settle` if no
  /// thread can be had. The thread calls `prepare` before.
  void add(bool isUrgent, Job job, Preparation prepare = nullptr) {
    addTask(isUrgent, {std::make_shared<const Job>(std::move(job)), prepare});
  }
  /// The same for a job that is useless when `owner` is gone: it may then be
  /// dropped. The number of jobs that wait is bounded by that of live owners.
  void add(bool isUrgent, Owner owner, Job job, Preparation prepare = nullptr) {
    addTask(isUrgent, {std::make_shared<const Job>(std::move(job)), prepare,
                       std::move(owner)});
  }
  /// Waits until there are no jobs. A job that calls this does not wait.
  void settle();

private:
  struct Task {
    /// Shared with the thread that runs it: a child of fork runs it again.
    std::shared_ptr<const Job> job;
    Preparation prepare = nullptr;
    std::optional<Owner> owner = {};

    bool isGone() const { return owner && owner->expired(); }
  };
  struct Queue {
    std::deque<Task> tasks;
    /// Tasks at which those whose owners are gone are removed.
    std::size_t sweepAt = 64;
  };
  /// Shared by the thread and this, since the thread may outlive this.
  struct State {
    Mutex mutex;
    Queue urgent, rest;
    std::shared_ptr<const Job> running;
    std::thread::id runner;
    std::uint32_t runForks = 0; ///< The number of forks when it began.
    bool isOver = false;
    /// Whether the thread starts or prepares, and may need the loader's lock.
    bool isPreparing = false;
    /// Counts the events that threads wait for.
    std::atomic<std::uint32_t> changes = 0;

    void notify();
    bool isBusy() const;
    bool isCallers() const;
    Queue &next();
    std::shared_ptr<const Job> take();
    bool runNext();
    void prepare();
    void work();
  };

  void addTask(bool isUrgent, Task task);
  bool ensureThread();

  std::shared_ptr<State> state;
  /// The number of forks when the thread was started.
  std::optional<std::uint32_t> startedAt;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BACKGROUND_H
