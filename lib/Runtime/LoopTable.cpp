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

/// The loop, or null for the caller to make it.
LoopTable::LoopPtr LoopTable::claim(const std::string &key) {
  std::unique_lock lock(mutex);
  for (;;) {
    Slot &slot = loops[key];
    if (LoopPtr loop = slot.loop.lock())
      return loop;
    if (!slot.isBeingMade) {
      slot.isBeingMade = true;
      return nullptr;
    }
    made.wait(lock);
  }
}

void LoopTable::finish(const std::string &key, const LoopPtr &loop) {
  {
    std::lock_guard lock(mutex);
    Slot &slot = loops[key];
    slot.loop = loop;
    slot.isBeingMade = false;
    if (loops.size() >= sweepAt) {
      std::erase_if(loops, [](const auto &entry) {
        return entry.second.loop.expired() && !entry.second.isBeingMade;
      });
      sweepAt = 2 * loops.size() + 64;
    }
  }
  made.notify_all();
}

Expected<LoopTable::LoopPtr> LoopTable::findOrMake(
    const std::string &key,
    const std::function<Expected<std::shared_ptr<Loop>>()> &make, bool &isNew) {
  LoopPtr loop = claim(key);
  isNew = !loop;
  if (loop)
    return loop;
  // Threads that wait must be told, whatever happens.
  struct Finish {
    LoopTable &table;
    const std::string &key;
    LoopPtr loop;
    ~Finish() { table.finish(key, loop); }
  } finish{*this, key, nullptr};
  auto result = make();
  if (!result)
    return result.error();
  finish.loop = std::move(*result);
  return finish.loop;
}
