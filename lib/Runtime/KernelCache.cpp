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

/// Which numbers living threads have. Threads may end after statics.
static constinit Mutex numbersMutex;
static constinit Once<std::vector<bool>> allNumbers;

namespace {
/// The least number that no other living thread has: few threads at a time
/// have numbers that differ in a shard.
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

/// Nothing is written if nothing has changed: that would cost other threads
/// that use the same kernel.
void KernelCache::touch(Entry &entry) {
  const std::uint64_t now = clock.load(std::memory_order_relaxed);
  if (entry.lastUse.load(std::memory_order_relaxed) != now)
    entry.lastUse.store(now, std::memory_order_relaxed);
}

/// Null where it was not made, or never will be: the thread that makes it is
/// the calling one, or was left behind by a fork.
KernelPtr KernelCache::waitFor(Entry &entry) {
  touch(entry);
  if (!entry.flight.isAwaitable())
    return nullptr;
  entry.flight.wait();
  if (entry.kernel) {
    Shard &shard = shardOfThread();
    std::lock_guard lock(shard.mutex);
    ++shard.hits;
  }
  return entry.kernel;
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
  EntryPtr entry;
  {
    std::lock_guard lock(mutex);
    const auto found = spellings.find(spelling);
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
void KernelCache::learn(std::string_view spelling, const EntryPtr &entry) {
  const KernelPtr &kernel = entry->kernel;
  auto holder = std::make_shared<const Holder>(kernel);
  const KernelImpl *target = kernel.get();
  Shard &shard = shardOfThread();
  std::lock_guard lock(shard.mutex);
  shard.known.insert_or_assign(
      std::string(spelling),
      Known{KernelPtr(std::move(holder), target), entry});
}

/// The entry of a key, which is new if the caller is to make its kernel.
KernelCache::EntryPtr KernelCache::findOrAdd(std::string_view key,
                                             std::string_view spelling,
                                             bool &isNew) {
  EntryPtr left; // goes without the lock
  std::lock_guard lock(mutex);
  const auto place = kernels.find(key);
  isNew = place == kernels.end();
  // What a parent's thread was making when it forked is made anew.
  if (!isNew && !place->second->flight.isAwaitable() &&
      !place->second->flight.isOfCaller()) {
    left = remove(*place->second);
    isNew = true;
  }
  if (isNew)
    return addEntry(key, spelling);
  addSpelling(place->second, spelling);
  return place->second;
}

Expected<KernelPtr>
KernelCache::findOrMake(std::string_view key, std::string_view spelling,
                        const std::function<Expected<KernelPtr>()> &make) {
  bool isNew = false;
  const EntryPtr entry = findOrAdd(key, spelling, isNew);
  if (isNew)
    return makeFor(entry, spelling, make);
  if (KernelPtr kernel = waitFor(*entry))
    return kernel;
  // Whoever made it failed. Its error speaks of its own spelling.
  return make();
}

/// Threads that wait for the entry are told, whatever happens.
Expected<KernelPtr>
KernelCache::makeFor(const EntryPtr &entry, std::string_view spelling,
                     const std::function<Expected<KernelPtr>()> &make) {
  struct Landing {
    KernelCache &cache;
    const EntryPtr &entry;
    ~Landing() {
      entry->flight.land();
      if (entry->kernel)
        return;
      std::lock_guard lock(cache.mutex);
      cache.remove(*entry);
    }
  };
  {
    const Landing landing{*this, entry};
    auto made = make();
    if (!made)
      return made;
    entry->kernel = std::move(*made);
  }
  keep(entry, spelling);
  return entry->kernel;
}

/// Puts a kernel that is ready to where it is found. What made room for it goes
/// without the lock: memory is unmapped, and hosts are told.
void KernelCache::keep(const EntryPtr &entry, std::string_view spelling) {
  std::vector<EntryPtr> evicted;
  {
    std::lock_guard lock(mutex);
    // Since it was ready another thread may have made room by removing it.
    const auto place = kernels.find(entry->key);
    if (place == kernels.end() || place->second != entry)
      return;
    learn(spelling, entry);
    bytes += entry->size();
    if (kernels.size() > limits.kernels || bytes > limits.bytes ||
        misses >= countAgain)
      evicted = shrink();
  }
  for (std::size_t i = 0; watcher && i < evicted.size(); ++i)
    watcher->evicted(*evicted[i]->kernel);
}

std::size_t KernelCache::Entry::size() const {
  // Maps have texts, too.
  std::size_t result = sizeof(Entry) + 2 * key.size() + kernel->size();
  for (const std::string &spelling : spellings)
    result += 2 * (sizeof spelling + spelling.size());
  return result;
}

/// Where memory runs out, nothing stays behind: others would wait for it.
KernelCache::EntryPtr KernelCache::addEntry(std::string_view key,
                                            std::string_view spelling) {
  auto entry = std::make_shared<Entry>();
  entry->key = key;
  entry->lastUse = clock++;
  kernels.try_emplace(entry->key, entry);
  try {
    addSpelling(entry, spelling);
  } catch (...) {
    remove(*entry);
    throw;
  }
  ++misses;
  return entry;
}

void KernelCache::addSpelling(const EntryPtr &entry,
                              std::string_view spelling) {
  if (entry->spellings.size() >= MaxSpellings || spellings.contains(spelling))
    return;
  // First, so that no spelling leads to an entry that does not know of it.
  entry->spellings.emplace_back(spelling);
  spellings.try_emplace(std::string(spelling), entry);
}

/// Gives what keeps it alive to the caller, to go without the lock.
KernelCache::EntryPtr KernelCache::remove(const Entry &entry) {
  const auto place = kernels.find(entry.key);
  if (place == kernels.end() || place->second.get() != &entry)
    return nullptr;
  EntryPtr removed = std::move(place->second);
  kernels.erase(place);
  for (const std::string &spelling : removed->spellings)
    spellings.erase(spelling);
  for (Shard &shard : shards) {
    std::lock_guard lock(shard.mutex);
    for (const std::string &spelling : removed->spellings)
      shard.known.erase(spelling);
  }
  return removed;
}

/// Looks at all kernels, so it makes room for some more at once. What is
/// evicted goes to the caller.
std::vector<KernelCache::EntryPtr> KernelCache::shrink() {
  struct Candidate {
    std::uint64_t lastUse;
    std::size_t bytes;
    const Entry *entry;
  };
  std::vector<Candidate> candidates;
  bytes = 0;
  for (const auto &[key, entry] : kernels)
    if (entry->isReady()) {
      candidates.push_back({entry->lastUse, entry->size(), entry.get()});
      bytes += candidates.back().bytes;
    }
  countAgain = misses + kernels.size() / 16 + 1;
  const bool isLong = kernels.size() > limits.kernels;
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
    if (!(isLong && kernels.size() > most) && !(isBig && bytes > mostBytes))
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
  stats.kernels = kernels.size();
  for (const auto &[key, entry] : kernels)
    if (entry->isReady()) {
      stats.codeBytes += entry->kernel->codeSize();
      stats.bytes += entry->size();
    }
  return stats;
}
