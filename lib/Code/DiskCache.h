//===- Code/DiskCache.h - Images kept in files ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DISKCACHE_H
#define KEXPR_CODE_DISKCACHE_H

#include "Code/Directory.h"
#include "Code/Identity.h"
#include "Code/Image.h"

#include <atomic>

namespace kexpr::code {

/// Images in a directory, each under a key that names everything its bytes
/// depend on. An entry that is corrupt, truncated or of another key, or whose
/// maker has changed since, is as good as none, and replaced by the next one
/// stored. No failure is more than a missing entry. All members may be called
/// from any thread; any number of processes may share the directory.
class DiskCache {
public:
  /// LLVM's pruning looks for files with this prefix.
  static constexpr std::string_view PrunedPrefix = "llvmcache-";

  /// How many look-ups found an entry and did not, entries written, and entries
  /// that could not be written.
  struct Counts {
    std::uint64_t hits = 0, misses = 0, stored = 0, failed = 0;
  };

  /// Files are called `prefix` and a digest. Those of a prefix other than the
  /// default are not pruned.
  explicit DiskCache(std::shared_ptr<const Directory> directory,
                     std::string_view prefix = PrunedPrefix)
      : directory(std::move(directory)), prefix(prefix) {}

  std::optional<Image> find(std::string_view key) const;
  /// Bytes written. `maker` is the file of the code generator: the entry is
  /// stale once that file has changed. Errors: Io, LimitExceeded.
  Expected<std::size_t> store(std::string_view key, const Image &image,
                              const FileStamp &maker) const;

  Counts counts() const;
  /// The directory, for pruning.
  std::string path() const { return directory->path(); }

  /// The name of the file that an entry is in.
  static std::string fileName(std::string_view key,
                              std::string_view prefix = PrunedPrefix);
  /// An entry as it lies in the file, and back; for tests as well.
  static std::string encode(std::string_view key, const Image &image,
                            const FileStamp &maker);
  static std::optional<Image> decode(std::string_view key,
                                     std::string_view contents);

private:
  std::shared_ptr<const Directory> directory;
  const std::string_view prefix;
  mutable std::atomic<std::uint64_t> hits = 0, misses = 0, stored = 0,
                                     failed = 0;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_DISKCACHE_H
