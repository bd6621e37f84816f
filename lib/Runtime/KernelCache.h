//===- Runtime/KernelCache.h - Kernels by expression ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELCACHE_H
#define KEXPR_RUNTIME_KERNELCACHE_H

#include "Runtime/KernelImpl.h"

#include <array>
#include <functional>

namespace kexpr::runtime {

using KernelPtr = std::shared_ptr<const KernelImpl>;

/// What a cache holds at most.
struct CacheLimits {
  std::size_t kernels = 4096;
  /// Of all that kernels keep alive. They grow in the cache, so all are summed
  /// again after a sixteenth as many new ones.
  std::size_t bytes = std::size_t{256} << 20;
};

/// Kernels by canonical key, and by the spellings that lead to them. The least
/// recently used are evicted first; those that a host holds live on. All
/// members may be called from any thread.
///
/// A hit writes to nothing that a hit of another thread reads: threads have
/// shards, as far as these suffice, each with its own index, lock and count of
/// references to the kernel.
class KernelCache {
public:
  /// `log`, which evictions are reported to, may be null.
  explicit KernelCache(const CacheLimits &limits,
                       const Instrumentation *log = nullptr)
      : limits(limits), log(log) {}

  /// The kernel that this very text led to before; null if none did.
  KernelPtr find(std::string_view spelling);

  /// The kernel of a canonical text, made by `make` if it is not there, as by
  /// a `SingleFlight`. Errors are not kept. `spelling` is remembered as one of
  /// the kernel's. Throws what `make` does, and std::bad_alloc.
  Expected<KernelPtr>
  findOrMake(std::string_view key, std::string_view spelling,
             const std::function<Expected<KernelPtr>()> &make);

  /// Hits, misses, evictions, kernels and bytes; other members are 0.
  EngineStats stats() const;

private:
  struct Entry {
    Entry(KernelPtr kernel, std::string_view key, std::uint64_t now)
        : kernel(std::move(kernel)), key(key), lastUse(now) {}

    const KernelPtr kernel;
    const std::string key;
    /// The number of misses at the last use.
    std::atomic<std::uint64_t> lastUse;
    std::vector<std::string> spellings;

    /// Bytes that it keeps alive.
    std::size_t size() const;
  };
  using EntryPtr = std::shared_ptr<Entry>;

  struct ShardEntry {
    KernelPtr kernel; ///< Counts the references of its shard alone.
    EntryPtr entry;
  };
  struct alignas(64) Shard {
    mutable Mutex mutex;
    TextMap<ShardEntry> bySpelling;
    std::uint64_t hits = 0;
  };

  /// Other spellings of a kernel are parsed each time.
  static constexpr std::size_t MaxSpellings = 8;

  Shard &shardOfThread();
  void touch(Entry &entry) const;
  KernelPtr findKey(std::string_view key, std::string_view spelling);
  KernelPtr insert(const EntryPtr &entry, std::string_view spelling,
                   std::vector<EntryPtr> &evicted);
  // These are called with the mutex held.
  void addSpelling(const EntryPtr &entry, std::string_view spelling);
  void addToShard(std::string_view spelling, const EntryPtr &entry);
  EntryPtr remove(const Entry &entry);
  std::vector<EntryPtr> shrink();

  const CacheLimits limits;
  const Instrumentation *const log;
  SingleFlight<KernelPtr> flights;
  /// Taken after that of `flights`, and before that of a shard.
  mutable Mutex mutex;
  TextMap<EntryPtr> byKey, bySpelling;
  std::array<Shard, 16> shards;
  std::size_t bytes = 0; ///< At least those of the kernels when they came.
  /// Kernels asked for that were not there; the clock of `Entry::lastUse`.
  std::atomic<std::uint64_t> misses = 0;
  /// The number of misses at which bytes are summed again: kernels grow by
  /// other access patterns, and by tiers that come later.
  std::uint64_t sumAgainAt = 1;
  std::uint64_t evictions = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELCACHE_H
