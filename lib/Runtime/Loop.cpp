//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Loop.h"

using namespace kexpr;
using namespace kexpr::runtime;

LoopPtr LoopTable::find(const std::string &key) const {
  std::lock_guard lock(mutex);
  const auto found = loops.find(key);
  return found == loops.end() ? nullptr : found->second.lock();
}

Expected<LoopPtr> LoopTable::findOrMake(
    const std::string &key,
    const std::function<Expected<std::shared_ptr<Loop>>()> &make, bool &isNew) {
  isNew = false;
  return flights.findOrMake(
      key, [&] { return find(key); },
      [&]() -> Expected<LoopPtr> {
        isNew = true;
        auto made = make();
        if (!made)
          return made.error();
        std::lock_guard lock(mutex);
        auto &entry = loops[key];
        // Made by this thread while it was making it, for a sink of the host.
        if (LoopPtr known = entry.lock())
          return known;
        entry = *made;
        if (loops.size() >= sweepAt) {
          std::erase_if(loops,
                        [](const auto &each) { return each.second.expired(); });
          sweepAt = 2 * loops.size() + 64;
        }
        return LoopPtr(std::move(*made));
      });
}
