//===- Code/CodeMemory.h - Memory that code runs in -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_CODEMEMORY_H
#define KEXPR_CODE_CODEMEMORY_H

#include "Code/Image.h"
#include "Code/Listener.h"
#include "Support/Fork.h"
#include "kexpr/Error.h"

#include <memory>
#include <mutex>
#include <optional>

namespace kexpr::code {

class CodeMemory;

/// An image in memory, ready to be called. The memory is returned when the
/// object goes, so whoever may still run the code must hold it.
class LoadedCode {
public:
  LoadedCode(std::shared_ptr<CodeMemory> memory, char *start,
             const Image &image);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  /// Where the function starts.
  void *address() const { return start + entry; }
  /// Bytes of the image.
  std::size_t size() const { return bytes; }

private:
  friend class CodeMemory;

  std::shared_ptr<CodeMemory> memory;
  char *start;
  std::size_t bytes, entry;
  Announcements announcements;
};

/// Executable memory in slabs: a slab is one mapping, whatever the number of
/// images in it, so that the system's limit of mappings is far away. No address
/// is ever writable and executable at once. An image takes grains of a slab:
/// pages of 4 KiB, which are its own, so that nothing that may be running is on
/// a page that is written. Larger pages are shared by images: a page that one
/// joins is replaced, in one step, by a copy that has it. Pages without images
/// return to the system at once, slabs when they are empty but for one. All
/// members may be called from any thread.
class CodeMemory : public std::enable_shared_from_this<CodeMemory> {
public:
  /// The one that this process shares.
  static const std::shared_ptr<CodeMemory> &ofProcess();

  /// `grain` is a power of two that divides a page; 0 lets the page decide.
  explicit CodeMemory(std::size_t grain = 0);
  ~CodeMemory();
  CodeMemory(const CodeMemory &) = delete;
  CodeMemory &operator=(const CodeMemory &) = delete;

  /// Copies an image to where it can run, and announces it to listeners if it
  /// has symbols. CompileFailed where the system grants no executable memory or
  /// the image is none, OutOfMemory.
  Expected<std::shared_ptr<const LoadedCode>>
  load(const Image &image, const Listeners *listeners = nullptr);

  /// Success, or why the system lets no code of ours run: a policy that forbids
  /// memory to become executable. It is tried once, and found out by `load`.
  Status status();

  /// Bytes that an image of that size takes.
  std::size_t footprint(std::size_t bytes) const;
  std::size_t slabCount() const;
  /// Bytes of the pages that images lie in.
  std::size_t bytesInUse() const;

private:
  friend class LoadedCode;
  class Slab;

  Expected<char *> reserve(std::size_t bytes);
  Status write(const Image &image, char *start);
  void giveBack(char *start, std::size_t bytes);
  void dropEmptySlabs();

  void note(const Error &fault);

  const std::size_t pageSize, grain;
  mutable Mutex mutex;
  Mutex joining;                 ///< Held while pages are replaced.
  std::optional<Status> granted; ///< Of `status`; none before it is known.
  std::vector<std::unique_ptr<Slab>> slabs;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_CODEMEMORY_H
