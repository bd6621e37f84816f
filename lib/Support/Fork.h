//===- Support/Fork.h - What a child of fork finds ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A host may fork at any moment and go on using the library in the child,
/// where one thread is left. Data is consistent and locks are free there, since
/// a fork waits, ten seconds at most, until nobody holds a `Mutex`. Mutexes are
/// held for microseconds only, except for work that is done once a process.
/// Whatever another thread had begun never ends in the child: who waits for a
/// thread notes the number of forks before, and gives up when it
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

/// The forks and mutexes of this copy of the code; a library that it loads has
/// a copy of its own.
Forks &forksOfCopy() noexcept;
/// Makes a fork that began before another copy was loaded wait for the mutexes
/// of that copy, too. To be called with a `Mutex` held since before the copy
/// was loaded.
void addCopyToForks(Forks &other) noexcept;

/// Mutexes that the thread holds or is about to lock.
inline constinit thread_local unsigned mutexesInHand = 0;

/// A mutex that is free in a child of fork, where the data it guards is
/// consistent. To be held for microseconds, except for work that is done once a
/// process, and without calls into the host.
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
  /// Mutexes that were ever locked are in a list.
  std::atomic<bool> isListed = false;
  Mutex *next = nullptr, **place = nullptr;
};

/// An object that is made once a process, at its first use, and never
/// destroyed. To be a `constinit` variable of a file: a local static that
/// another thread was making would never be made in a child of fork.
template <class T> class Once {
public:
  /// The object, made from what `make` returns.
  template <class F> T &get(F make) {
    if (T *made = value.load(std::memory_order_acquire))
      return *made;
    std::lock_guard lock(mutex);
    if (!value)
      value = new T(make());
    return *value;
  }
  /// Null before the first `get`.
  T *find() const { return value; }

private:
  Mutex mutex;
  std::atomic<T *> value = nullptr;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_FORK_H
