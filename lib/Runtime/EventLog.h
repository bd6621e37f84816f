//===- Runtime/EventLog.h - Lines about what an engine does
//--------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EVENTLOG_H
#define KEXPR_RUNTIME_EVENTLOG_H

#include "kexpr/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace kexpr::runtime {

/// Where lines go, and about what. All members may be called from any thread.
class EventLog {
public:
  using Sink = std::function<void(std::string_view line)>;

  /// While one exists, lines of its thread that go to a host's function wait.
  /// When the last one ends the thread holds nothing that others wait for, so
  /// that the function may do anything: compile, settle, free the engine. What
  /// it does itself is not logged.
  class Deferral {
  public:
    Deferral();
    ~Deferral();
    Deferral(const Deferral &) = delete;
    Deferral &operator=(const Deferral &) = delete;
  };

  /// `words` as in `EngineOptions::log`; lines go to standard error if `sink`
  /// is empty. A word that is none is said, once a process.
  EventLog(std::string_view words, Sink sink);

  bool isOfCompile() const { return hasCompile; }
  bool isOfCache() const { return hasCache; }
  bool isOn() const { return hasCompile || hasCache; }
  /// InvalidArgument if a word was none; the others count.
  const Status &status() const { return fault; }

  /// One line, in one piece whatever other threads and processes write: the
  /// process, the time of day in UTC, and `text`.
  void write(std::string_view text) const;

private:
  const std::shared_ptr<const Sink> sink; ///< Null for standard error.
  bool hasCompile = false, hasCache = false;
  Status fault;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EVENTLOG_H
