//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Crew.h"

#include <algorithm>
#include <new>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

using namespace kexpr::runtime;

/// Tells the processor that this thread waits.
static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

/// Keeps the library that this is part of in memory: a helper may wait in its
/// code for a while after a host has closed it.
static void stayLoaded() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<void *>(&relax), &here) != 0 && here.dli_fname)
    dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

Crew &Crew::ofProcess() {
  // Never destroyed: helpers may still wait while the process ends.
  static Crew *const crew = [] {
    static auto *const made = new Crew;
    stayLoaded();
    // A child of fork has none of the threads.
    pthread_atfork(nullptr, nullptr, [] {
      made->~Crew();
      new (made) Crew;
    });
    return made;
  }();
  return *crew;
}

Crew::Call::Call(std::int64_t count, std::int64_t chunk, unsigned helpers,
                 RangeFn work)
    : chunk(chunk), helpers(helpers), work(work) {
  const std::int64_t each = count / (helpers + 1);
  for (unsigned i = 0; i <= helpers; ++i) {
    shares[i].next.store(i * each, std::memory_order_relaxed);
    shares[i].end = i < helpers ? (i + 1) * each : count;
  }
}

bool Crew::Call::takePart(std::size_t share) {
  bool hasBegun = false;
  for (unsigned tried = 0; tried <= helpers; ++tried) {
    auto &[next, end] = shares[(share + tried) % (helpers + 1)];
    while (next.load(std::memory_order_relaxed) < end) {
      const std::int64_t begin = next.fetch_add(chunk);
      if (begin >= end)
        break;
      work(begin, std::min(begin + chunk, end));
      hasBegun = true;
    }
  }
  return hasBegun;
}

bool Crew::run(std::int64_t count, std::int64_t chunk, unsigned helpers,
               RangeFn work) {
  if (helpers == 0 || helpers > MostHelpers || waiting.load() < helpers)
    return false;
  Call call(count, chunk, helpers, work);
  Call *none = nullptr;
  if (!current.compare_exchange_strong(none, &call))
    return false;
  call.takePart(0);
  current = nullptr;
  // A helper says what it works for before it makes sure that this is still
  // the current call: whoever is not seen here will not begin.
  for (const Place &place : places)
    for (unsigned spins = 0; place.call.load() == &call; ++spins) {
      constexpr unsigned many = 1 << 12;
      if (spins < many)
        relax();
      else // its core was taken away from it
        std::this_thread::yield();
    }
  return true;
}

bool Crew::hire(unsigned helpers) {
  constexpr unsigned fewInVain = 3, seldom = 32;
  if (inVain.load() >= fewInVain && asked.fetch_add(1) % seldom != 0)
    return false;
  helpers = std::min<unsigned>(helpers, static_cast<unsigned>(places.size()));
  unsigned now = hired.load();
  while (now < helpers)
    if (hired.compare_exchange_weak(now, now + 1))
      return true;
  return false;
}

/// Takes part in the current call, if there is one that has work left.
bool Crew::help(Place &place) {
  Call *const seen = current.load();
  if (!seen)
    return false;
  place.call = seen;
  bool hasHelped = false;
  // Whoever is late looks again and again; that must not slow the others.
  if (current.load() == seen && seen->joined.load() < seen->helpers &&
      seen->joined.fetch_add(1) < seen->helpers)
    hasHelped = seen->takePart(1 + (&place - places.data()));
  place.call = nullptr;
  return hasHelped;
}

Crew::Place *Crew::findPlace() {
  for (Place &place : places)
    if (!place.isTaken.exchange(true))
      return &place;
  return nullptr; // more are never hired
}

void Crew::serve(std::chrono::microseconds patience) {
  Place *const place = findPlace();
  ++waiting;
  auto until = Clock::now() + patience;
  bool hasHelped = false;
  for (unsigned spins = 1; place; ++spins) {
    if (help(*place)) {
      until = Clock::now() + patience;
      hasHelped = true;
    }
    relax();
    // Asking for the time takes as long as many looks.
    if (spins % 64 == 0 && Clock::now() >= until)
      break;
  }
  --waiting;
  if (hasHelped)
    inVain = 0;
  else
    ++inVain;
  if (place)
    place->isTaken = false;
  --hired;
}
