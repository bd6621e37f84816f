//===- Support/Fork.h - What a child of fork finds ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A host may fork at any moment, and go on in the child with what it had. Of
/// the threads there is one left. Data is whole there and locks are free, since
/// a fork waits until nobody holds a `Mutex`, ten seconds at most; but for what
/// is done once a process, none is held while anything takes long. What another
/// thread had begun never ends, which is found out by
/// the number of forks: who waits for a thread notes it, and gives up when it
/// has changed.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_FORK_H
#define KEXPR_SUPPORT_FORK_H

#include <atomic>
#include <cstdint>
#include <mutex>

namespace kexpr {

struct Forks;

/// Forks between the process that began and this one.
std::uint32_t forkCount() noexcept;

/// What this copy of the code knows of forks and mutexes; a library that it
/// loads has a copy of its own.
Forks &forksOfCopy() noexcept;
/// Has a fork that began before another copy was loaded, and so knows nothing
/// of that, wait for its mutexes, too. To be called with a `Mutex` held since
/// before it was loaded.
void addCopyToForks(Forks &other) noexcept;

/// Those that the thread holds or is about to.
inline constinit thread_local unsigned mutexesInHand = 0;

/// A mutex that is free in a child of fork, with what it guards whole. To be
/// held for microseconds, but for what is done once a process, and without
/// calls into the host.
class Mutex {
public:
  constexpr Mutex() = default;
  ~Mutex();
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() {
    ++mutexesInHand;
    if (!isListed.load(std::memory_order_acquire))
      list();
    mutex.lock();
  }
  void unlock() {
    mutex.unlock();
    --mutexesInHand;
  }

private:
  friend struct Forks;

  void list();

  std::mutex mutex;
  /// Those that were ever taken are in a list.
  std::atomic<bool> isListed = false;
  Mutex *next = nullptr, **place = nullptr;
};

/// What is made once a process, by the first who asks, and never destroyed. To
/// be a `constinit` variable of a file: a local static that another thread was
/// making would never be made in a child of fork.
template <class T> class Once {
public:
  /// It, made from what `make` returns.
  template <class F> T &get(F make) {
    if (T *made = value.load(std::memory_order_acquire))
      return *made;
    std::lock_guard lock(mutex);
    if (!value)
      value = new T(make());
    return *value;
  }
  /// Null if it was not made.
  T *find() const { return value; }

private:
  Mutex mutex;
  std::atomic<T *> value = nullptr;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_FORK_H
