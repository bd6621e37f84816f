//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/EventLog.h"

#include "Support/QuietWrites.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::runtime;

namespace {
/// The queued lines of a thread.
struct Outbox {
  struct Line {
    std::shared_ptr<const EventLog::Sink> sink;
    std::string text;
  };
  std::vector<Line> lines;
  unsigned deferrals = 0;
  bool isDelivering = false;

  static Outbox &ofThread() {
    thread_local Outbox box;
    return box;
  }
  void deliver();
};
} // namespace

void Outbox::deliver() {
  isDelivering = true;
  for (const Line &line : std::exchange(lines, {}))
    try {
      (*line.sink)(line.text);
    } catch (...) {
      // Sinks must not throw; the work that the line is about was done.
    }
  isDelivering = false;
}

EventLog::Deferral::Deferral() { ++Outbox::ofThread().deferrals; }

EventLog::Deferral::~Deferral() {
  Outbox &box = Outbox::ofThread();
  if (--box.deferrals == 0 && !box.isDelivering && !box.lines.empty())
    box.deliver();
}

EventLog::EventLog(std::string_view words, Sink given)
    : sink(given ? std::make_shared<const Sink>(std::move(given)) : nullptr) {
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    const std::string_view word = words.substr(0, comma);
    words.remove_prefix(std::min(comma + 1, words.size()));
    if (word == "compile")
      hasCompile = true;
    else if (word == "cache")
      hasCache = true;
    else if (word != "none" && !word.empty())
      fault = Error(ErrorCode::InvalidArgument,
                    concat("no lines are about ", quote(word),
                           "; the words are compile, cache, none"));
  }
  static std::atomic<bool> isSaid = false;
  if (!fault && !isSaid.exchange(true))
    write("log: " + fault.error().message());
}

/// "20:59:05.123456".
static std::string timeOfDay() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm parts = {};
  gmtime_r(&now.tv_sec, &parts);
  char text[32] = {};
  const std::size_t size = std::strftime(text, sizeof text, "%T.", &parts);
  std::snprintf(text + size, sizeof text - size, "%06ld", now.tv_nsec / 1000);
  return text;
}

void EventLog::write(std::string_view text) const {
  std::string line = concat("kexpr ", getpid(), ' ', timeOfDay(), ' ', text);
  if (sink) {
    const Deferral untilWritten;
    Outbox &box = Outbox::ofThread();
    if (!box.isDelivering)
      box.lines.push_back({sink, std::move(line)});
    return;
  }
  line += '\n';
  const QuietWrites quiet;
  // A failure has nowhere to be reported.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
}
