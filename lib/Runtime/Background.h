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
  /// Waits until there is nothing to do.
  void settle();

private:
  void work();

  std::mutex mutex;
  std::condition_variable wake, idle;
  std::deque<Job> urgent, rest;
  bool isBusy = false;
  bool isOver = false;
  std::thread thread;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_BACKGROUND_H
