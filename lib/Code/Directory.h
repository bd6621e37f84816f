//===- Code/Directory.h - A directory that only this user writes to -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DIRECTORY_H
#define KEXPR_CODE_DIRECTORY_H

#include "Code/Descriptor.h"
#include "kexpr/Error.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::code {

struct NamedFile {
  std::string name;
  std::string contents;
};

/// Files of one directory that belong to this user and that nobody else may
/// write to. The directory is checked once and held open: what its path leads
/// to later makes no difference. All members may be called from any thread and
/// by any number of processes.
class Directory {
public:
  /// Makes the directory where it is missing, its parents too, for this user
  /// alone. Io for one that cannot be opened, belongs to another user, or may
  /// be written to by others.
  static Expected<std::shared_ptr<const Directory>>
  open(const std::string &path);
  ~Directory();
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;

  /// A path to the very directory, good as long as this is held.
  std::string path() const;
  /// The path without links, as others see it; empty if nobody can.
  std::string realPath() const;

  /// The contents of a file of at most `limit` bytes, which is then the one
  /// used last; none where there is no such file, or it is not a regular one
  /// that this user alone may write to.
  std::optional<std::string> read(const std::string &name,
                                  std::size_t limit) const;
  /// Makes or replaces a file; whoever reads it meanwhile sees the old contents
  /// or the new. On failure nothing has changed.
  Status replace(const std::string &name, std::string_view contents) const;
  /// A new file to append to, which replaces any other of the name.
  Expected<Descriptor> create(const std::string &name) const;
  /// Held by one at a time, of any process, until it is closed. Io where the
  /// file system has no locks, or another holds it for more than ten seconds.
  Expected<Descriptor> lock() const;
  /// Whether there is anything of that name.
  bool has(const std::string &name) const;
  /// Makes a directory of files in this one, for this user alone and all at
  /// once: nobody sees a part of it, also if this process is killed. Where
  /// another process was first, its directory stays, and that is success. On
  /// failure nothing has changed.
  Status addFolder(const std::string &name,
                   const std::vector<NamedFile> &files) const;
  /// Removes what processes that were killed in `addFolder` have left, if it is
  /// older than `age`.
  void removeDrafts(std::chrono::seconds age) const;

private:
  explicit Directory(int descriptor) : descriptor(descriptor) {}

  const int descriptor;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_DIRECTORY_H
