//===- Runtime/Flight.h - What one thread makes for others ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_FLIGHT_H
#define KEXPR_RUNTIME_FLIGHT_H

#include "Support/Fork.h"

#include <atomic>
#include <thread>

namespace kexpr::runtime {

/// Of threads that ask for one thing at once, one makes it and the others wait
/// for its flight to land.
class Flight {
public:
  /// Begins on the thread that makes it.
  Flight() : maker(std::this_thread::get_id()), forks(forkCount()) {}

  /// Whether it will land without the calling thread: that is not its maker,
  /// and its maker is in this process.
  bool isAwaitable() const {
    return hasLanded() || (!isOfCaller() && forks == forkCount());
  }
  /// Whether the calling thread is its maker.
  bool isOfCaller() const {
    return maker == std::this_thread::get_id() && forks == forkCount();
  }
  bool hasLanded() const { return landed.load() != 0; }
  void wait() const { landed.wait(0); }
  void land() {
    landed = 1;
    landed.notify_all();
  }

private:
  const std::thread::id maker;
  const std::uint32_t forks;
  std::atomic<std::uint32_t> landed = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_FLIGHT_H
