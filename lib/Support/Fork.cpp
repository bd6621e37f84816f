//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Fork.h"

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include <pthread.h>

using namespace kexpr;

/// All mutexes of this copy of the code.
struct kexpr::Forks {
  std::mutex mutex;
  Mutex *first = nullptr;
  std::atomic<std::uint32_t> count = 0;
  /// The thread that forks and holds all of them.
  std::atomic<pthread_t> holder = 0;
  std::atomic<Forks *> copy = nullptr;

  static Forks &ofProcess();
  bool isHeld() const { return holder.load() == pthread_self(); }
  bool tryAll();
  void prepare();
  void release(bool inChild);
};

Forks &Forks::ofProcess() {
  // Constant-initialised and never destroyed: threads may go on while the
  // process ends.
  static constinit Forks forks;
  return forks;
}

/// Registered when the library is loaded, before any fork can miss it.
[[maybe_unused]] static const int registered =
    pthread_atfork([] { Forks::ofProcess().prepare(); },
                   [] { Forks::ofProcess().release(false); },
                   [] { Forks::ofProcess().release(true); });

/// Locks all mutexes or none. Threads lock several of them in different orders,
/// so waiting for one while holding others could deadlock.
bool Forks::tryAll() {
  if (!mutex.try_lock())
    return false;
  Mutex *taken = first;
  while (taken && taken->mutex.try_lock())
    taken = taken->next;
  if (!taken) {
    holder = pthread_self();
    return true;
  }
  for (Mutex *each = first; each != taken; each = each->next)
    each->mutex.unlock();
  mutex.unlock();
  return false;
}

/// Two copies of the library may share a third, so it may be prepared already.
void Forks::prepare() {
  if (isHeld())
    return;
  // A fork in a signal handler whose thread holds a mutex waits for itself, and
  // another thread may be loading LLVM from a slow disk: the wait is limited,
  // since others may wait for this fork in turn.
  using Clock = std::chrono::steady_clock;
  const auto most = std::chrono::milliseconds(mutexesInHand ? 500 : 10000);
  const auto until = Clock::now() + most;
  while (!tryAll() && Clock::now() < until)
    std::this_thread::yield();
  // Handlers that are added while those of a fork run are not called by it.
  if (Forks *other = copy)
    other->prepare();
}

void Forks::release(bool inChild) {
  if (Forks *other = copy)
    other->release(inChild);
  count += inChild;
  const bool wasHeld = isHeld();
  if (!wasHeld && !inChild)
    return;
  holder = 0;
  for (Mutex *each = first; each; each = each->next)
    if (wasHeld)
      each->mutex.unlock();
    else // its owner is not in the child
      new (&each->mutex) std::mutex;
  if (wasHeld)
    mutex.unlock();
  else
    new (&mutex) std::mutex;
}

std::uint32_t kexpr::forkCount() noexcept {
  return Forks::ofProcess().count.load(std::memory_order_relaxed);
}

Forks &kexpr::forksOfCopy() noexcept { return Forks::ofProcess(); }

void kexpr::addCopyToForks(Forks &other) noexcept {
  Forks::ofProcess().copy = &other;
}

void Mutex::list() {
  Forks &forks = Forks::ofProcess();
  std::lock_guard lock(forks.mutex);
  if (isListed)
    return;
  next = forks.first;
  place = &forks.first;
  if (next)
    next->place = &next;
  forks.first = this;
  isListed.store(true, std::memory_order_release);
}

Mutex::~Mutex() {
  if (!isListed)
    return;
  Forks &forks = Forks::ofProcess();
  ++mutexesInHand;
  {
    std::lock_guard lock(forks.mutex);
    *place = next;
    if (next)
      next->place = place;
  }
  --mutexesInHand;
}
