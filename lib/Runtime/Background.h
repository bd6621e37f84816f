//===- Runtime/Background.h - Work that nobody waits for ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_BACKGROUND_H
#define KEXPR_RUNTIME_BACKGROUND_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace kexpr::runtime {

/// One thread that does jobs in order, urgent ones first. It starts with the
/// first job. Destruction waits for the job at hand and drops the others.
class Background {
public:
  using Job = std::function<void()>;

  Background() = default;
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Does `job` on the thread. It must not throw.
  void add(bool isUrgent, Job job);
  /// The same for a job that is not worth doing when `owner` is gone: it is
  /// dropped, or done, then. What waits is bounded by the owners that live.
  void add(bool isUrgent, std::weak_ptr<const void> owner, Job job);
  /// Waits until there is nothing to do.
  void settle();

private:
  struct Task {
    Job job;
    bool isOwned;
    std::weak_ptr<const void> owner;
  };
  struct Queue {
    std::deque<Task> tasks;
    /// Tasks at which those whose owners are gone are removed.
    std::size_t sweepAt = 64;
  };

  void add(bool isUrgent, Task task);
  void work();

  std::mutex mutex;
  std::condition_variable wake, idle;
  Queue urgent, rest;
  bool isBusy = false;
  bool isOver = false;
  std::thread thread;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BACKGROUND_H
