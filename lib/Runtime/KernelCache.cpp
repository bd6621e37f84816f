//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/KernelCache.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

KernelPtr KernelCache::waitFor(Entry &entry) {
  entry.lastUse = ++clock;
  return entry.kernel.get();
}

KernelPtr KernelCache::find(Mode mode, std::string_view text) {
  std::shared_ptr<Entry> entry;
  {
    std::shared_lock lock(mutex);
    const Map &map = spellings[static_cast<int>(mode)];
    auto found = map.find(text);
    if (found == map.end())
      return nullptr;
    entry = found->second;
  }
  KernelPtr kernel = waitFor(*entry);
  if (kernel)
    ++hits;
  return kernel;
}

Expected<KernelPtr>
KernelCache::findOrMake(Mode mode, std::string_view canonical,
                        std::string_view text,
                        const std::function<Expected<KernelPtr>()> &make) {
  std::string key(1, static_cast<char>(mode));
  key += canonical;
  std::shared_ptr<Entry> entry;
  bool mine = false;
  {
    std::unique_lock lock(mutex);
    auto [place, isNew] = kernels.try_emplace(key);
    if (isNew) {
      place->second = std::make_shared<Entry>();
      place->second->key = std::move(key);
      place->second->lastUse = ++clock;
      ++misses;
    }
    entry = place->second;
    mine = isNew;
    addSpelling(entry, mode, text);
  }
  if (!mine) {
    if (KernelPtr kernel = waitFor(*entry)) {
      ++hits;
      return kernel;
    }
    // Whoever made it failed. Its error speaks of its own spelling.
    return make();
  }
  auto made = make();
  entry->promise.set_value(made ? *made : nullptr);
  std::unique_lock lock(mutex);
  if (!made)
    remove(*entry);
  else if (kernels.size() > capacity)
    evict();
  return made;
}

void KernelCache::addSpelling(const std::shared_ptr<Entry> &entry, Mode mode,
                              std::string_view text) {
  if (entry->spellings.size() >= MaxSpellings)
    return;
  auto [place, isNew] =
      spellings[static_cast<int>(mode)].try_emplace(std::string(text), entry);
  if (isNew)
    entry->spellings.emplace_back(text);
}

void KernelCache::remove(const Entry &entry) {
  Map &texts = spellings[static_cast<int>(entry.key[0])];
  for (const std::string &text : entry.spellings)
    texts.erase(text);
  // Last: this may be what keeps the entry alive.
  kernels.erase(entry.key);
}

void KernelCache::evict() {
  const Entry *oldest = nullptr;
  for (const auto &[key, entry] : kernels) {
    const bool ready = entry->kernel.wait_for(std::chrono::seconds(0)) ==
                       std::future_status::ready;
    if (ready && (!oldest || entry->lastUse < oldest->lastUse))
      oldest = entry.get();
  }
  if (!oldest)
    return;
  remove(*oldest);
  ++evictions;
}

EngineStats KernelCache::stats() const {
  std::shared_lock lock(mutex);
  EngineStats stats;
  stats.hits = hits;
  stats.misses = misses;
  stats.evictions = evictions;
  stats.kernels = kernels.size();
  return stats;
}
