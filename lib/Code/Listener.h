//===- Code/Listener.h - Listeners of loaded code -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_LISTENER_H
#define KEXPR_CODE_LISTENER_H

#include "Code/Image.h"
#include "Support/Fork.h"
#include "kexpr/Error.h"

#include <mutex>
#include <optional>
#include <string_view>

namespace kexpr::code {

/// A function in memory that can be called from now on.
struct NamedCode {
  /// Its bytes, where they run.
  std::string_view bytes;
  const Symbols &symbols;

  /// Its name without what would end a line or a string.
  std::string name() const;
  /// Its lines that are within the function and in ascending order: an image
  /// may come from a file that says anything.
  std::vector<CodeLocation> lines() const;
};

/// Code that a listener knows of. It is retracted when this goes, which must be
/// before the memory is used for anything else.
class Announcement {
public:
  Announcement() = default;
  Announcement(const Announcement &) = delete;
  Announcement &operator=(const Announcement &) = delete;
  virtual ~Announcement() = default;
};

/// A profiler or debugger that gets names of code. Its first error is kept for
/// `status`; loading code goes on. All members may be called from any
/// thread, in a forked child too.
class Listener {
public:
  Listener() = default;
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;
  virtual ~Listener() = default;

  /// Null where there is nothing to retract.
  virtual std::unique_ptr<Announcement> announce(const NamedCode &code) = 0;
  /// The first error, if any.
  Status status() const;

protected:
  void note(Error error);

private:
  mutable Mutex mutex;
  std::optional<Error> fault;
};

using Announcements = std::vector<std::unique_ptr<Announcement>>;

/// The listeners of an engine.
class Listeners {
public:
  void add(std::shared_ptr<Listener> listener) {
    all.push_back(std::move(listener));
  }
  bool empty() const { return all.empty(); }

  /// Announces code to all; announcements that no memory is left for are
  /// dropped.
  Announcements announce(const NamedCode &code) const;
  /// Status of the first listener that failed; listeners are asked in order.
  Status status() const;

private:
  std::vector<std::shared_ptr<Listener>> all;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_LISTENER_H
