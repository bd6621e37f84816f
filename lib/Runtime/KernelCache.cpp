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

namespace {
/// The least number that no other living thread has: few threads at a time
/// have numbers that differ in a shard.
class ThreadNumber {
public:
  ThreadNumber() {
    std::lock_guard lock(mutex());
    auto &all = taken();
    const auto free = std::find(all.begin(), all.end(), false);
    number = static_cast<std::size_t>(free - all.begin());
    if (free == all.end())
      all.push_back(true);
    else
      *free = true;
  }
  ~ThreadNumber() {
    std::lock_guard lock(mutex());
    taken()[number] = false;
  }
  ThreadNumber(const ThreadNumber &) = delete;
  ThreadNumber &operator=(const ThreadNumber &) = delete;

  std::size_t number;

private:
  // Never destroyed: threads may end after statics.
  static std::mutex &mutex() {
    static auto *const all = new std::mutex;
    return *all;
  }
  static std::vector<bool> &taken() {
    static auto *const all = new std::vector<bool>;
    return *all;
  }
};
} // namespace

KernelCache::Shard &KernelCache::shardOfThread() {
  thread_local const ThreadNumber own;
  return shards[own.number % shards.size()];
}

/// Nothing is written if nothing has changed: that would cost other threads
/// that use the same kernel.
void KernelCache::touch(Entry &entry) {
  const std::uint64_t now = clock.load(std::memory_order_relaxed);
  if (entry.lastUse.load(std::memory_order_relaxed) != now)
    entry.lastUse.store(now, std::memory_order_relaxed);
}

KernelPtr KernelCache::waitFor(Entry &entry) {
  touch(entry);
  KernelPtr kernel = entry.kernel.get();
  if (kernel) {
    Shard &shard = shardOfThread();
    std::lock_guard lock(shard.mutex);
    ++shard.hits;
  }
  return kernel;
}

KernelPtr KernelCache::find(std::string_view spelling) {
  Shard &shard = shardOfThread();
  {
    std::lock_guard lock(shard.mutex);
    auto found = shard.known.find(spelling);
    if (found != shard.known.end()) {
      touch(*found->second.entry);
      ++shard.hits;
      return found->second.kernel;
    }
  }
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex);
    auto found = spellings.find(spelling);
    if (found == spellings.end())
      return nullptr;
    entry = found->second;
    if (entry->isReady())
      learn(spelling, entry);
  }
  return waitFor(*entry);
}

namespace {
/// Its count of references has a cache line of its own.
struct alignas(64) Holder {
  explicit Holder(KernelPtr kernel) : kernel(std::move(kernel)) {}
  KernelPtr kernel;
};
} // namespace

/// Puts a kernel into the thread's shard, with a count of references that only
/// threads of this shard write to.
void KernelCache::learn(std::string_view spelling,
                        const std::shared_ptr<Entry> &entry) {
  const KernelPtr &kernel = entry->kernel.get();
  if (!kernel)
    return;
  auto holder = std::make_shared<const Holder>(kernel);
  const KernelImpl *target = kernel.get();
  Shard &shard = shardOfThread();
  std::lock_guard lock(shard.mutex);
  shard.known.insert_or_assign(
      std::string(spelling),
      Known{KernelPtr(std::move(holder), target), entry});
}

Expected<KernelPtr>
KernelCache::findOrMake(std::string_view key, std::string_view spelling,
                        const std::function<Expected<KernelPtr>()> &make) {
  std::shared_ptr<Entry> entry;
  bool mine = false;
  {
    std::lock_guard lock(mutex);
    const auto place = kernels.find(key);
    mine = place == kernels.end();
    entry = mine ? addEntry(key, spelling) : place->second;
    if (!mine)
      addSpelling(entry, spelling);
  }
  if (!mine) {
    if (KernelPtr kernel = waitFor(*entry))
      return kernel;
    // Whoever made it failed. Its error speaks of its own spelling.
    return make();
  }
  auto made = makeFor(*entry, make);
  entry->promise.set_value(made ? *made : nullptr);
  if (!made) {
    std::lock_guard lock(mutex);
    remove(*entry);
    return made;
  }
  // Told without the lock: the watcher may be code of the host's.
  for (const KernelPtr &kernel : keep(entry, spelling))
    watcher->evicted(*kernel);
  return made;
}

/// Puts a kernel that is ready to where it is found. The kernels that made room
/// for it, if there is somebody to tell.
std::vector<KernelPtr> KernelCache::keep(const std::shared_ptr<Entry> &entry,
                                         std::string_view spelling) {
  std::lock_guard lock(mutex);
  // Since it was ready another thread may have made room by removing it.
  const auto place = kernels.find(entry->key);
  if (place == kernels.end() || place->second != entry)
    return {};
  learn(spelling, entry);
  bytes += entry->kernel.get()->codeSize();
  if (kernels.size() > limits.kernels || bytes > limits.bytes ||
      misses >= countAgain)
    return shrink();
  return {};
}

/// Threads that wait for the entry are told, whatever happens.
Expected<KernelPtr>
KernelCache::makeFor(Entry &entry,
                     const std::function<Expected<KernelPtr>()> &make) {
  try {
    return make();
  } catch (const std::bad_alloc &) {
    entry.promise.set_value(nullptr);
    std::lock_guard lock(mutex);
    remove(entry);
    throw;
  }
}

/// Where memory runs out, nothing stays behind: others would wait for it.
std::shared_ptr<KernelCache::Entry>
KernelCache::addEntry(std::string_view key, std::string_view spelling) {
  auto entry = std::make_shared<Entry>();
  entry->key = key;
  entry->lastUse = clock++;
  kernels.try_emplace(entry->key, entry);
  try {
    addSpelling(entry, spelling);
  } catch (const std::bad_alloc &) {
    remove(*entry);
    throw;
  }
  ++misses;
  return entry;
}

void KernelCache::addSpelling(const std::shared_ptr<Entry> &entry,
                              std::string_view spelling) {
  if (entry->spellings.size() >= MaxSpellings || spellings.contains(spelling))
    return;
  // First, so that no spelling leads to an entry that does not know of it.
  entry->spellings.emplace_back(spelling);
  spellings.try_emplace(std::string(spelling), entry);
}

void KernelCache::remove(const Entry &entry) {
  for (Shard &shard : shards) {
    std::lock_guard lock(shard.mutex);
    for (const std::string &spelling : entry.spellings)
      shard.known.erase(spelling);
  }
  for (const std::string &spelling : entry.spellings)
    spellings.erase(spelling);
  // Last: this may be what keeps the entry alive.
  kernels.erase(entry.key);
}

/// Looks at all kernels, so it makes room for some more at once.
std::vector<KernelPtr> KernelCache::shrink() {
  struct Candidate {
    std::uint64_t lastUse;
    std::size_t bytes;
    std::shared_ptr<Entry> entry;
  };
  std::vector<Candidate> candidates;
  bytes = 0;
  for (const auto &[key, entry] : kernels)
    if (entry->isReady() && entry->kernel.get()) {
      candidates.push_back(
          {entry->lastUse, entry->kernel.get()->codeSize(), entry});
      bytes += candidates.back().bytes;
    }
  countAgain = misses + kernels.size() / 16 + 1;
  const bool isLong = kernels.size() > limits.kernels;
  const bool isBig = bytes > limits.bytes;
  std::vector<KernelPtr> evicted;
  if (!isLong && !isBig)
    return evicted;
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.lastUse < b.lastUse;
            });
  const std::size_t most = limits.kernels - limits.kernels / 16;
  const std::size_t mostBytes = limits.bytes - limits.bytes / 16;
  for (const Candidate &oldest : candidates) {
    if (!(isLong && kernels.size() > most) && !(isBig && bytes > mostBytes))
      break;
    bytes -= oldest.bytes;
    if (watcher)
      evicted.push_back(oldest.entry->kernel.get());
    remove(*oldest.entry);
    ++evictions;
  }
  return evicted;
}

EngineStats KernelCache::stats() const {
  std::lock_guard lock(mutex);
  EngineStats stats;
  for (const Shard &shard : shards) {
    std::lock_guard shardLock(shard.mutex);
    stats.hits += shard.hits;
  }
  stats.misses = misses;
  stats.evictions = evictions;
  stats.kernels = kernels.size();
  for (const auto &[key, entry] : kernels)
    if (entry->isReady() && entry->kernel.get())
      stats.codeBytes += entry->kernel.get()->codeSize();
  return stats;
}
