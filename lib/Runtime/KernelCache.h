//===- Runtime/KernelCache.h - Kernels by expression ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_KERNELCACHE_H
#define KEXPR_RUNTIME_KERNELCACHE_H

#include "Runtime/KernelImpl.h"

#include <functional>
#include <future>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace kexpr::runtime {

using KernelPtr = std::shared_ptr<const KernelImpl>;

/// Kernels under their canonical keys, and the spellings that lead to them.
/// Holds at most `capacity` kernels; the least recently used goes first. All
/// members may be called from any thread.
class KernelCache {
public:
  explicit KernelCache(std::size_t capacity) : capacity(capacity) {}

  /// The kernel that this very text led to before; null if none did.
  KernelPtr find(std::string_view spelling);

  /// The kernel of a canonical text, made by `make` if it is not there. Of
  /// threads that ask for one key at once, one makes it and the others wait.
  /// Errors are not kept. `text` is remembered as a spelling of it. `make`
  /// must not throw.
  Expected<KernelPtr>
  findOrMake(std::string_view key, std::string_view spelling,
             const std::function<Expected<KernelPtr>()> &make);

  /// `compiled` is left for the caller.
  EngineStats stats() const;

private:
  struct Entry {
    std::promise<KernelPtr> promise;
    std::shared_future<KernelPtr> kernel = promise.get_future().share();
    std::atomic<std::uint64_t> lastUse = 0;
    std::string key;
    std::vector<std::string> spellings;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Map = std::unordered_map<std::string, std::shared_ptr<Entry>, TextHash,
                                 std::equal_to<>>;

  /// Other spellings of a kernel are parsed each time.
  static constexpr std::size_t MaxSpellings = 8;

  KernelPtr waitFor(Entry &entry);
  void addSpelling(const std::shared_ptr<Entry> &entry,
                   std::string_view spelling);
  // Both are called with the mutex held.
  void remove(const Entry &entry);
  void evict();

  const std::size_t capacity;
  mutable std::shared_mutex mutex;
  Map kernels;
  Map spellings;
  std::atomic<std::uint64_t> clock = 0;
  std::atomic<std::uint64_t> hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_KERNELCACHE_H
