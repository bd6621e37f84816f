//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Log.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::runtime;

Log::Log(std::string_view words, Sink sink) : sink(std::move(sink)) {
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
  const std::size_t size = std::strftime(text, sizeof text, "%T", &parts);
  return concat(std::string_view(text, size), '.', std::setfill('0'),
                std::setw(6), now.tv_nsec / 1000);
}

void Log::write(std::string_view text) const {
  std::string line = concat("kexpr ", getpid(), ' ', timeOfDay(), ' ', text);
  if (sink) {
    sink(line);
    return;
  }
  line += '\n';
  // Nobody is there to be told of a failure.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
}
