//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Crew.h"

#include "Support/Fork.h"
#include "Support/Thread.h"

#include <algorithm>
#include <new>

#include <pthread.h>

using namespace kexpr;
using namespace kexpr::runtime;

// Helpers may still wait while the process ends.
static constinit Once<Crew> ofAll;

Crew &Crew::ofProcess() {
  stayLoaded();
  return ofAll.get([] {
    // A child of fork has none of the threads.
    pthread_atfork(nullptr, nullptr, [] {
      if (Crew *const crew = ofAll.find()) {
        crew->~Crew();
        new (crew) Crew;
      }
    });
    return Crew();
  });
}

bool Crew::run(Team &team, unsigned helpers) {
  helpers = std::min<unsigned>(helpers, MostHelpers);
  if (helpers == 0 || waiting.load() < helpers)
    return false;
  Team *none = nullptr;
  if (!current.compare_exchange_strong(none, &team))
    return false;
  wanted = helpers;
  team.takePart(0);
  current = nullptr;
  // A helper says what it works for before it makes sure that this is still
  // the current call: whoever is not seen here will not begin.
  for (const Place &place : places)
    for (unsigned spins = 0; place.call.load() == &team; ++spins)
      relax(spins);
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
  Team *const seen = current.load();
  if (!seen)
    return false;
  place.call = seen;
  bool hasHelped = false;
  // Whoever is late looks again and again; that must not slow the others.
  if (current.load() == seen && seen->join(wanted.load()))
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
  // A host may say "for ever" by the greatest number there is.
  patience =
      std::min<std::chrono::microseconds>(patience, std::chrono::hours(1));
  Place *const place = findPlace();
  ++waiting;
  auto until = Clock::now() + patience;
  bool hasHelped = false;
  for (unsigned spins = 1; place; ++spins) {
    if (help(*place)) {
      until = Clock::now() + patience;
      hasHelped = true;
    }
    relax(0);
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
