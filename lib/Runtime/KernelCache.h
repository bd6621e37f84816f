//===- Runtime/KernelCache.h - Kernels by expression ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELCACHE_H
#define KEXPR_RUNTIME_KERNELCACHE_H

#include "Runtime/KernelImpl.h"
#include "Support/Hash.h"

#include <array>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kexpr::runtime {

using KernelPtr = std::shared_ptr<const KernelImpl>;

/// What a cache holds at most.
struct CacheLimits {
  std::size_t kernels = 4096;
  /// Of machine code. Kernels grow while they are kept: all are counted again
  /// after a sixteenth as many new ones.
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
  /// Errors are not kept. `text` is remembered as a spelling of it. Throws
  /// std::bad_alloc, as `make` may.
  Expected<KernelPtr>
  findOrMake(std::string_view key, std::string_view spelling,
             const std::function<Expected<KernelPtr>()> &make);

  /// Hits, misses, evictions, kernels and bytes; the rest is left for the
  /// caller.
  EngineStats stats() const;

private:
  struct Entry {
    std::promise<KernelPtr> promise;
    std::shared_future<KernelPtr> kernel = promise.get_future().share();
    /// The time of `clock`.
    std::atomic<std::uint64_t> lastUse = 0;
    std::string key;
    std::vector<std::string> spellings;

    bool isReady() const {
      return kernel.wait_for(std::chrono::seconds(0)) ==
             std::future_status::ready;
    }
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return hashOf(text); }
  };
  template <class T>
  using Map = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

  struct Known {
    KernelPtr kernel; ///< Counts the references of its shard alone.
    std::shared_ptr<Entry> entry;
  };
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Map<Known> known;
    std::uint64_t hits = 0;
  };

  /// Other spellings of a kernel are parsed each time.
  static constexpr std::size_t MaxSpellings = 8;

  Shard &shardOfThread();
  void touch(Entry &entry);
  KernelPtr waitFor(Entry &entry);
  Expected<KernelPtr> makeFor(Entry &entry,
                              const std::function<Expected<KernelPtr>()> &make);
  // These are called with the mutex held.
  std::shared_ptr<Entry> addEntry(std::string_view key,
                                  std::string_view spelling);
  void addSpelling(const std::shared_ptr<Entry> &entry,
                   std::string_view spelling);
  void learn(std::string_view spelling, const std::shared_ptr<Entry> &entry);
  void remove(const Entry &entry);
  std::vector<KernelPtr> keep(const std::shared_ptr<Entry> &entry,
                              std::string_view spelling);
  std::vector<KernelPtr> shrink();

  const CacheLimits limits;
  const Watcher *const watcher;
  /// Taken before that of a shard.
  mutable std::mutex mutex;
  Map<std::shared_ptr<Entry>> kernels;
  Map<std::shared_ptr<Entry>> spellings;
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
