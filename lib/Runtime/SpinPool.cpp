//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/SpinPool.h"

#include "Support/Fork.h"
#include "Support/Thread.h"

#include <algorithm>
#include <new>

#include <pthread.h>

using namespace kexpr;
using namespace kexpr::runtime;

// Never destroyed: helpers may spin while the process ends.
static constinit Once<SpinPool> spinPool;

SpinPool &SpinPool::ofProcess() {
  stayLoaded();
  return spinPool.get([] {
    // A child of fork has none of the threads.
    pthread_atfork(nullptr, nullptr, [] {
      if (SpinPool *const pool = spinPool.find()) {
        pool->~SpinPool();
        new (pool) SpinPool;
      }
    });
    return SpinPool();
  });
}

bool SpinPool::run(Team &team, unsigned helpers) {
  helpers = std::min<unsigned>(helpers, MostHelpers);
  if (helpers == 0 || awake.load() < helpers)
    return false;
  Team *none = nullptr;
  if (!current.compare_exchange_strong(none, &team))
    return false;
  wanted = helpers;
  team.takePart(0);
  current = nullptr;
  // A helper notes the call in its seat before it checks that the call is still
  // the current one: whoever is not seen here will not begin.
  for (const Seat &seat : seats)
    for (unsigned spins = 0; seat.call.load() == &team; ++spins)
      relax(spins);
  return true;
}

bool SpinPool::reserve(unsigned helpers) {
  constexpr unsigned fewIdle = 3, seldom = 32;
  if (idleInARow.load() >= fewIdle && requests.fetch_add(1) % seldom != 0)
    return false;
  helpers = std::min<unsigned>(helpers, static_cast<unsigned>(seats.size()));
  unsigned now = reserved.load();
  while (now < helpers)
    if (reserved.compare_exchange_weak(now, now + 1))
      return true;
  return false;
}

/// Takes part in the current call, if there is one with work left.
bool SpinPool::takePart(Seat &seat) {
  Team *const seen = current.load();
  if (!seen)
    return false;
  seat.call = seen;
  bool hasHelped = false;
  // Late helpers try again and again, which must not slow down the others.
  if (current.load() == seen && seen->join(wanted.load()))
    hasHelped = seen->takePart(1 + (&seat - seats.data()));
  seat.call = nullptr;
  return hasHelped;
}

SpinPool::Seat *SpinPool::takeSeat() {
  for (Seat &seat : seats)
    if (!seat.isTaken.exchange(true))
      return &seat;
  return nullptr; // more are never reserved
}

void SpinPool::help(std::chrono::microseconds patience) {
  // Hosts may pass the greatest number there is.
  patience =
      std::min<std::chrono::microseconds>(patience, std::chrono::hours(1));
  Seat *const seat = takeSeat();
  ++awake;
  auto until = Clock::now() + patience;
  bool hasHelped = false;
  for (unsigned spins = 1; seat; ++spins) {
    if (takePart(*seat)) {
      until = Clock::now() + patience;
      hasHelped = true;
    }
    relax(0);
    // Reading the clock takes as long as many tries.
    if (spins % 64 == 0 && Clock::now() >= until)
      break;
  }
  --awake;
  if (hasHelped)
    idleInARow = 0;
  else
    ++idleInARow;
  if (seat)
    seat->isTaken = false;
  --reserved;
}
