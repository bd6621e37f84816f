//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/PerfMap.h"

#include "Support/Fork.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>

using namespace kexpr;
using namespace kexpr::code;

static double secondsOf(const timespec &time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

static double now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return secondsOf(time);
}

/// When this process started, in seconds as files have them, at most; 0 if that
/// is not known.
static double startOfProcess() {
  const std::string text = systemText("/proc/self/stat");
  // The program's name, which may hold anything, ends with the last bracket.
  std::size_t place = text.rfind(')');
  constexpr int field = 22, first = 2;
  for (int i = first; i < field && place != text.npos; ++i)
    place = text.find(' ', place + 1);
  if (place == text.npos)
    return 0;
  std::string_view rest = std::string_view(text).substr(place);
  const std::uint64_t ticks = takeNumber(rest);
  const double age =
      now(CLOCK_BOOTTIME) -
      static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  constexpr double slack = 0.1; // of the clocks
  return now(CLOCK_REALTIME) - age - slack;
}

/// Why an open file cannot be used; empty if it can. Anybody may have put
/// something under its name, even a hard link to a file of this user.
static std::string_view fileFaultOf(const struct stat &status) {
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
    return "is not a file of its own";
  if (status.st_uid != geteuid())
    return "belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "may be written to by other users";
  return {};
}

// Code may come, and go, after statics are gone.
static constinit Once<const std::shared_ptr<PerfMap>> theMap;

const std::shared_ptr<PerfMap> &PerfMap::ofProcess() {
  return theMap.get([] { return std::make_shared<PerfMap>("/tmp"); });
}

PerfMap::PerfMap(std::string directory) : directory(std::move(directory)) {
  open();
}

void PerfMap::open() {
  process = getpid();
  const std::string path = concat(directory, "/perf-", process, ".map");
  file = Descriptor(::open(path.c_str(),
                           O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
                               O_NONBLOCK | O_CLOEXEC,
                           0600));
  struct stat status = {};
  if (!file || fstat(file, &status) != 0) {
    note({ErrorCode::Io,
          concat("'", path, "' cannot be opened: ", errorText(errno))});
    return;
  }
  if (const auto fault = fileFaultOf(status); !fault.empty()) {
    file.close();
    note({ErrorCode::Io, concat("'", path, "' ", fault)});
    return;
  }
  // An earlier process of this number may have left it.
  if (secondsOf(status.st_mtim) < startOfProcess() && ftruncate(file, 0) != 0)
    note({ErrorCode::Io,
          concat("'", path, "' cannot be emptied: ", errorText(errno))});
}

std::unique_ptr<Announcement> PerfMap::announce(const NamedCode &code) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%" PRIxPTR " %zx ",
                reinterpret_cast<std::uintptr_t>(code.bytes.data()),
                code.bytes.size());
  const std::string line = concat(numbers, code.name(), '\n');
  std::lock_guard lock(mutex);
  if (process != getpid())
    open();
  // A line is one write, so that those of others stay whole.
  if (file && !file.write(line))
    note({ErrorCode::Io,
          concat("the map for perf cannot be written: ", errorText(errno))});
  return nullptr;
}
