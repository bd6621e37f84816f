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

KernelPtr KernelCache::find(std::string_view spelling) {
  std::shared_ptr<Entry> entry;
  {
    std::shared_lock lock(mutex);
    auto found = spellings.find(spelling);
    if (found == spellings.end())
      return nullptr;
    entry = found->second;
  }
  KernelPtr kernel = waitFor(*entry);
  if (kernel)
    ++hits;
  return kernel;
}

Expected<KernelPtr>
KernelCache::findOrMake(std::string_view key, std::string_view spelling,
                        const std::function<Expected<KernelPtr>()> &make) {
  std::shared_ptr<Entry> entry;
  bool mine = false;
  {
    std::unique_lock lock(mutex);
    auto [place, isNew] = kernels.try_emplace(std::string(key));
    if (isNew) {
      place->second = std::make_shared<Entry>();
      place->second->key = key;
      place->second->lastUse = ++clock;
      ++misses;
    }
    entry = place->second;
    mine = isNew;
    addSpelling(entry, spelling);
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

void KernelCache::addSpelling(const std::shared_ptr<Entry> &entry,
                              std::string_view spelling) {
  if (entry->spellings.size() >= MaxSpellings)
    return;
  auto [place, isNew] = spellings.try_emplace(std::string(spelling), entry);
  if (isNew)
    entry->spellings.emplace_back(spelling);
}

void KernelCache::remove(const Entry &entry) {
  for (const std::string &spelling : entry.spellings)
    spellings.erase(spelling);
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
