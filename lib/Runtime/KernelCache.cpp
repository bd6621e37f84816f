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

/// The numbers that living threads have. Threads may end after statics.
static constinit Mutex numbersMutex;
static constinit Once<std::vector<bool>> allNumbers;

namespace {
/// The least number that no other living thread has, so that few threads have
/// shards of their own.
class ThreadNumber {
public:
  ThreadNumber() {
    std::lock_guard lock(numbersMutex);
    auto &numbers = allNumbers.get([] { return std::vector<bool>(); });
    const auto free = std::find(numbers.begin(), numbers.end(), false);
    number = static_cast<std::size_t>(free - numbers.begin());
    if (free == numbers.end())
      numbers.push_back(true);
    else
      *free = true;
  }
  ~ThreadNumber() {
    std::lock_guard lock(numbersMutex);
    (*allNumbers.find())[number] = false;
  }
  ThreadNumber(const ThreadNumber &) = delete;

  std::size_t number;
};
} // namespace

KernelCache::Shard &KernelCache::shardOfThread() {
  thread_local const ThreadNumber own;
  return shards[own.number % shards.size()];
}

/// Writes only if there is a change: a write would slow down other threads that
/// use the same kernel.
void KernelCache::touch(Entry &entry) const {
  const std::uint64_t now = misses.load(std::memory_order_relaxed);
  if (entry.lastUse.load(std::memory_order_relaxed) != now)
    entry.lastUse.store(now, std::memory_order_relaxed);
}

KernelPtr KernelCache::find(std::string_view spelling) {
  Shard &shard = shardOfThread();
  {
    std::lock_guard lock(shard.mutex);
    const auto found = shard.bySpelling.find(spelling);
    if (found != shard.bySpelling.end()) {
      touch(*found->second.entry);
      ++shard.hits;
      return found->second.kernel;
    }
  }
  std::lock_guard lock(mutex);
  const auto found = bySpelling.find(spelling);
  if (found == bySpelling.end())
    return nullptr;
  touch(*found->second);
  addToShard(spelling, found->second);
  std::lock_guard shardLock(shard.mutex);
  ++shard.hits;
  return found->second->kernel;
}

namespace {
/// A kernel whose count of references has a cache line of its own.
struct alignas(64) KernelHolder {
  KernelPtr kernel;
};
} // namespace

/// Puts a kernel into the thread's shard, with a count of references that only
/// threads of this shard write to.
void KernelCache::addToShard(std::string_view spelling, const EntryPtr &entry) {
  auto holder =
      std::make_shared<const KernelHolder>(KernelHolder{entry->kernel});
  Shard &shard = shardOfThread();
  std::lock_guard lock(shard.mutex);
  shard.bySpelling.insert_or_assign(
      std::string(spelling),
      ShardEntry{KernelPtr(std::move(holder), entry->kernel.get()), entry});
}

/// Null if there is none.
KernelPtr KernelCache::findKey(std::string_view key,
                               std::string_view spelling) {
  std::lock_guard lock(mutex);
  const auto found = byKey.find(key);
  if (found == byKey.end())
    return nullptr;
  addSpelling(found->second, spelling);
  touch(*found->second);
  Shard &shard = shardOfThread();
  std::lock_guard shardLock(shard.mutex);
  ++shard.hits;
  return found->second->kernel;
}

Expected<KernelPtr>
KernelCache::findOrMake(std::string_view key, std::string_view spelling,
                        const std::function<Expected<KernelPtr>()> &make) {
  // The first use by a thread may take the loader's lock, so no mutex is held.
  (void)shardOfThread();
  // Evicted kernels are destroyed when nobody waits, without a lock: memory is
  // unmapped, and code of hosts is called.
  std::vector<EntryPtr> evicted;
  bool isCounted = false;
  auto kernel = flights.findOrMake(
      key,
      [&] {
        KernelPtr found = findKey(key, spelling);
        isCounted = found != nullptr;
        return found;
      },
      [&]() -> Expected<KernelPtr> {
        isCounted = true;
        const std::uint64_t now = misses++;
        auto made = make();
        if (!made)
          return made;
        return insert(std::make_shared<Entry>(std::move(*made), key, now),
                      spelling, evicted);
      });
  if (!isCounted) { // Made by another thread, and evicted already.
    Shard &shard = shardOfThread();
    std::lock_guard lock(shard.mutex);
    ++shard.hits;
  }
  for (std::size_t i = 0; log && i < evicted.size(); ++i)
    log->evicted(*evicted[i]->kernel);
  return kernel;
}

/// The kernel that there is stays if the key has one, as it has where a thread
/// made it while it was making it.
KernelPtr KernelCache::insert(const EntryPtr &entry, std::string_view spelling,
                              std::vector<EntryPtr> &evicted) {
  std::lock_guard lock(mutex);
  const auto [at, isNew] = byKey.try_emplace(entry->key, entry);
  if (!isNew)
    return at->second->kernel;
  bytes += entry->size();
  addSpelling(entry, spelling);
  addToShard(spelling, entry);
  if (byKey.size() > limits.kernels || bytes > limits.bytes ||
      misses >= sumAgainAt)
    evicted = shrink();
  return entry->kernel;
}

std::size_t KernelCache::Entry::size() const {
  // Maps have texts, too.
  std::size_t result = sizeof(Entry) + 2 * key.size() + kernel->size();
  for (const std::string &spelling : spellings)
    result += 2 * (sizeof(std::string) + spelling.size());
  return result;
}

void KernelCache::addSpelling(const EntryPtr &entry,
                              std::string_view spelling) {
  if (entry->spellings.size() >= MaxSpellings || bySpelling.contains(spelling))
    return;
  // First, so that no spelling leads to an entry that does not know of it.
  entry->spellings.emplace_back(spelling);
  bySpelling.try_emplace(std::string(spelling), entry);
}

/// Returns what keeps it alive, for the caller to destroy without the lock.
KernelCache::EntryPtr KernelCache::remove(const Entry &entry) {
  EntryPtr removed = std::move(byKey.extract(entry.key).mapped());
  for (const std::string &spelling : removed->spellings)
    bySpelling.erase(spelling);
  for (Shard &shard : shards) {
    std::lock_guard lock(shard.mutex);
    for (const std::string &spelling : removed->spellings)
      shard.bySpelling.erase(spelling);
  }
  return removed;
}

/// Evicts more than it must, since it visits all kernels. Returns what it
/// evicted.
std::vector<KernelCache::EntryPtr> KernelCache::shrink() {
  struct Candidate {
    std::uint64_t lastUse;
    std::size_t bytes;
    const Entry *entry;
  };
  std::vector<Candidate> candidates;
  bytes = 0;
  for (const auto &[key, entry] : byKey) {
    candidates.push_back({entry->lastUse, entry->size(), entry.get()});
    bytes += candidates.back().bytes;
  }
  sumAgainAt = misses + byKey.size() / 16 + 1;
  const bool isLong = byKey.size() > limits.kernels;
  const bool isBig = bytes > limits.bytes;
  if (!isLong && !isBig)
    return {};
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.lastUse < b.lastUse;
            });
  const std::size_t most = limits.kernels - limits.kernels / 16;
  const std::size_t mostBytes = limits.bytes - limits.bytes / 16;
  std::vector<EntryPtr> evicted;
  evicted.reserve(candidates.size());
  for (const Candidate &oldest : candidates) {
    if (!(isLong && byKey.size() > most) && !(isBig && bytes > mostBytes))
      break;
    bytes -= oldest.bytes;
    evicted.push_back(remove(*oldest.entry));
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
  stats.kernels = byKey.size();
  for (const auto &[key, entry] : byKey) {
    stats.codeBytes += entry->kernel->codeSize();
    stats.bytes += entry->size();
  }
  return stats;
}
