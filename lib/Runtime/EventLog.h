//===- Runtime/EventLog.h - Lines about the work of an engine -------------===//
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

/// The lines that an engine writes about its work. All members may be called
/// from any thread.
class EventLog {
public:
  using Sink = std::function<void(std::string_view line)>;

  /// While one exists, lines of its thread that go to a host's function are
  /// queued. When the outermost one ends the thread holds nothing that others
  /// wait for, so the function may do anything: compile, settle, free the
  /// engine. Its own calls are not logged.
  class Deferral {
  public:
    Deferral();
    ~Deferral();
    Deferral(const Deferral &) = delete;
    Deferral &operator=(const Deferral &) = delete;
  };

  /// `words` as in `EngineOptions::log`; lines go to standard error if `sink`
  /// is empty. An unknown word is reported once a process.
  EventLog(std::string_view words, Sink sink);

  bool isOfCompile() const { return hasCompile; }
  bool isOfCache() const { return hasCache; }
  bool isOn() const { return hasCompile || hasCache; }
  /// InvalidArgument if a word is unknown; the others count.
  const Status &status() const { return fault; }

  /// Writes one line by one system call: the process, the time of day in UTC,
  /// and `text`.
  void write(std::string_view text) const;

private:
  const std::shared_ptr<const Sink> sink; ///< Null for standard error.
  bool hasCompile = false, hasCache = false;
  Status fault;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EVENTLOG_H
