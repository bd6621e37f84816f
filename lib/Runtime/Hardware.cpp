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

static constinit Once<const unsigned> threads, cores;

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
