//===- Runtime/KernelCache.h - Kernels by expression ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELCACHE_H
#define KEXPR_RUNTIME_KERNELCACHE_H

#include "Runtime/Flight.h"
#include "Runtime/KernelImpl.h"
#include "Support/Hash.h"

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kexpr::runtime {

using KernelPtr = std::shared_ptr<const KernelImpl>;

/// What a cache holds at most.
struct CacheLimits {
  std::size_t kernels = 4096;
  /// Of all that they keep. Kernels grow while they are kept: all are counted
  /// again after a sixteenth as many new ones.
  std::size_t bytes = std::size_t{256} << 20;
};

/// Kernels under their canonical keys, and the spellings that lead to them. The
/// least recently used go first; those that a host holds live on. All members
/// may be called from any thread.
///
/// A hit writes to nothing that a hit of another thread looks at: each of a few
/// shards, one a thread as long as they last, has its own index, its own lock
/// and its own count of the references it gave away.
class KernelCache {
public:
  /// `watcher`, who is told of evictions, may be null.
  explicit KernelCache(const CacheLimits &limits,
                       const Watcher *watcher = nullptr)
      : limits(limits), watcher(watcher) {}

  /// The kernel that this very text led to before; null if none did.
  KernelPtr find(std::string_view spelling);

  /// The kernel of a canonical text, made by `make` if it is not there. Of
  /// threads that ask for one key at once, one makes it and the others wait.
  /// Errors are not kept. `spelling` is remembered as one of it. Throws what
  /// `make` does, and std::bad_alloc.
  Expected<KernelPtr>
  findOrMake(std::string_view key, std::string_view spelling,
             const std::function<Expected<KernelPtr>()> &make);

  /// Hits, misses, evictions, kernels and bytes; the rest is left for the
  /// caller.
  EngineStats stats() const;

private:
  struct Entry {
    Flight flight;
    /// Set before the flight lands; null if making it failed.
    KernelPtr kernel;
    /// The time of `clock`.
    std::atomic<std::uint64_t> lastUse = 0;
    std::string key;
    std::vector<std::string> spellings;

    bool isReady() const { return flight.hasLanded() && kernel; }
    /// Bytes that it keeps alive.
    std::size_t size() const;
  };
  using EntryPtr = std::shared_ptr<Entry>;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return hashOf(text); }
  };
  template <class T>
  using Map = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

  struct Known {
    KernelPtr kernel; ///< Counts the references of its shard alone.
    EntryPtr entry;
  };
  struct alignas(64) Shard {
    mutable Mutex mutex;
    Map<Known> known;
    std::uint64_t hits = 0;
  };

  /// Other spellings of a kernel are parsed each time.
  static constexpr std::size_t MaxSpellings = 8;

  Shard &shardOfThread();
  void touch(Entry &entry);
  KernelPtr waitFor(Entry &entry);
  EntryPtr findOrAdd(std::string_view key, std::string_view spelling,
                     bool &isNew);
  Expected<KernelPtr> makeFor(const EntryPtr &entry, std::string_view spelling,
                              const std::function<Expected<KernelPtr>()> &make);
  void keep(const EntryPtr &entry, std::string_view spelling);
  // These are called with the mutex held.
  EntryPtr addEntry(std::string_view key, std::string_view spelling);
  void addSpelling(const EntryPtr &entry, std::string_view spelling);
  void learn(std::string_view spelling, const EntryPtr &entry);
  EntryPtr remove(const Entry &entry);
  std::vector<EntryPtr> shrink();

  const CacheLimits limits;
  const Watcher *const watcher;
  /// Taken before that of a shard.
  mutable Mutex mutex;
  Map<EntryPtr> kernels;
  Map<EntryPtr> spellings;
  std::array<Shard, 16> shards;
  /// Counts the kernels asked for that were not there.
  std::atomic<std::uint64_t> clock = 0;
  std::size_t bytes = 0; ///< At least those of the kernels when they came.
  std::uint64_t misses = 0;
  /// The number of misses at which kernels are counted again: they grow, by
  /// other walks and by tiers that come later.
  std::uint64_t countAgain = 1;
  std::uint64_t evictions = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELCACHE_H
