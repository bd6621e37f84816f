//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Hardware.h"

#include "Support/Fork.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

using namespace kexpr;

/// What Linux says of one cache, in bytes; 0 if there is no such cache. (What
/// the C library says is the sum over the caches of all cores.)
static std::int64_t sizeOfCache(int index) {
  const std::string text = systemText(
      concat("/sys/devices/system/cpu/cpu0/cache/index", index, "/size"));
  std::string_view rest = text;
  const std::uint64_t count = takeNumber(rest);
  if (count >= (1 << 30) || rest.empty())
    return 0;
  const auto size = static_cast<std::int64_t>(count);
  return rest[0] == 'K' ? size << 10 : rest[0] == 'M' ? size << 20 : 0;
}

static constinit Once<const std::int64_t> lastCache;

std::int64_t runtime::lastCacheBytes() {
  return lastCache.get([] {
    constexpr std::int64_t common = 32 << 20;
    std::int64_t most = 0;
    for (int index = 0; index < 8; ++index)
      most = std::max(most, sizeOfCache(index));
    return most > 0 ? most : common;
  });
}

/// Whether a hardware thread is the first of its core. What Linux says of one
/// is a list such as `3,67`.
static bool isFirstOfCore(unsigned thread) {
  const std::string text = systemText(concat(
      "/sys/devices/system/cpu/cpu", thread, "/topology/thread_siblings_list"));
  std::string_view rest = text;
  return !text.empty() && takeNumber(rest) == thread;
}

/// The whole number above 0 that a variable begins with; 0 if there is none.
static unsigned threadsIn(const char *variable) {
  std::string_view text = variable ? variable : "";
  const std::uint64_t count = takeNumber(text);
  return count > 65535 ? 0 : static_cast<unsigned>(count);
}

/// The threads that a quota has time for; a large number for none.
static unsigned threadsFor(std::string_view quota) {
  const std::uint64_t time = takeNumber(quota), period = takeNumber(quota);
  constexpr unsigned none = std::numeric_limits<unsigned>::max();
  return time > 0 && period > 0 && time / period < 65535
             ? static_cast<unsigned>((time + period - 1) / period)
             : none;
}

unsigned runtime::threadLimit(const char *own, const char *openMp,
                              std::string_view quota) {
  for (const char *variable : {own, openMp})
    if (const unsigned count = threadsIn(variable))
      return count;
  return threadsFor(quota);
}

std::string runtime::tightestQuota(std::string group,
                                   std::string (*quotaOf)(std::string_view)) {
  std::string tightest;
  for (;;) {
    std::string quota = quotaOf(group);
    if (tightest.empty() || threadsFor(quota) < threadsFor(tightest))
      tightest = std::move(quota);
    if (group.empty())
      return tightest;
    group.resize(std::min(group.rfind('/'), group.size() - 1));
  }
}

/// The path of this process's group among lines such as "4:cpu,cpuacct:/a/b",
/// where the controllers are `controllers`; that of the root without.
static std::string groupIn(const std::string &lines,
                           std::string_view controllers) {
  const auto line = lines.find(concat(':', controllers, ":/"));
  if (line == std::string::npos)
    return "";
  const auto begin = line + controllers.size() + 2;
  const std::string path = lines.substr(begin, lines.find('\n', begin) - begin);
  return path == "/" ? "" : path;
}

/// The tightest quota of this process's control group and of those that it is
/// in. In a container, its own group is the root that it sees.
static std::string quotaOfGroups() {
  const std::string groups = systemText("/proc/self/cgroup");
  std::string quota =
      runtime::tightestQuota(groupIn(groups, ""), [](std::string_view group) {
        return systemText(concat("/sys/fs/cgroup", group, "/cpu.max"));
      });
  if (!quota.empty())
    return quota;
  const auto old = [](std::string_view of) {
    const std::string group = concat("/sys/fs/cgroup/cpu", of, "/cpu.cfs_");
    std::string text = systemText(group + "quota_us");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text + systemText(group + "period_us");
  };
  return runtime::tightestQuota(groupIn(groups, "cpu,cpuacct"), old);
}

static constinit Once<const unsigned> threads, cores, limit;

unsigned runtime::threadLimit() {
  return limit.get([] {
    return threadLimit(std::getenv("KEXPR_NUM_THREADS"),
                       std::getenv("OMP_NUM_THREADS"), quotaOfGroups());
  });
}

unsigned runtime::threadCount() {
  return threads.get(
      [] { return std::max(1u, std::thread::hardware_concurrency()); });
}

unsigned runtime::coreCount() {
  return cores.get([] {
    const unsigned all = threadCount();
    unsigned first = 0;
    for (unsigned thread = 0; thread < all; ++thread)
      first += isFirstOfCore(thread);
    return first > 0 ? first : all;
  });
}
