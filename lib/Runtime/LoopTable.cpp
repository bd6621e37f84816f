//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/LoopTable.h"

using namespace kexpr;
using namespace kexpr::runtime;

LoopTable::LoopPtr LoopTable::find(const std::string &key) const {
  std::lock_guard lock(mutex);
  const auto place = loops.find(key);
  return place == loops.end() ? nullptr : place->second.loop.lock();
}

/// The loop, or null for the caller to make it, as `own` says to others.
LoopTable::LoopPtr LoopTable::claim(const std::string &key,
                                    const std::shared_ptr<Flight> &own) {
  for (;;) {
    std::shared_ptr<Flight> other;
    {
      std::lock_guard lock(mutex);
      Slot &slot = loops[key];
      if (LoopPtr loop = slot.loop.lock())
        return loop;
      if (!slot.flight || !slot.flight->isAwaitable()) {
        slot.flight = own;
        return nullptr;
      }
      other = slot.flight;
    }
    other->wait();
  }
}

void LoopTable::finish(const std::string &key, const LoopPtr &loop,
                       Flight &flight) {
  {
    std::lock_guard lock(mutex);
    const auto place = loops.find(key);
    if (place != loops.end() && place->second.flight.get() == &flight)
      place->second = {loop, nullptr};
    if (loops.size() >= sweepAt) {
      std::erase_if(loops, [](const auto &entry) {
        return entry.second.loop.expired() && !entry.second.flight;
      });
      sweepAt = 2 * loops.size() + 64;
    }
  }
  flight.land();
}

Expected<LoopTable::LoopPtr> LoopTable::findOrMake(
    const std::string &key,
    const std::function<Expected<std::shared_ptr<Loop>>()> &make, bool &isNew) {
  const auto flight = std::make_shared<Flight>();
  LoopPtr loop = claim(key, flight);
  isNew = !loop;
  if (loop)
    return loop;
  // Threads that wait must be told, whatever happens.
  struct Finish {
    LoopTable &table;
    const std::string &key;
    Flight &flight;
    LoopPtr loop;
    ~Finish() { table.finish(key, loop, flight); }
  } finish{*this, key, *flight, nullptr};
  auto result = make();
  if (!result)
    return result.error();
  finish.loop = std::move(*result);
  return finish.loop;
}
