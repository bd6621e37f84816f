//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Hardware.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

using namespace kexpr;

/// What Linux says of one cache, in bytes; 0 if there is no such cache. (What
/// the C library says is the sum over the caches of all cores.)
static std::int64_t sizeOfCache(int index) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" +
                     std::to_string(index) + "/size");
  std::int64_t size = 0;
  char unit = 0;
  file >> size >> unit;
  const bool isGiven = file && size > 0 && size < (1 << 30);
  return !isGiven ? 0 : unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : 0;
}

std::int64_t runtime::lastCacheBytes() {
  static const std::int64_t bytes = [] {
    constexpr std::int64_t common = 32 << 20;
    std::int64_t most = 0;
    for (int index = 0; index < 8; ++index)
      most = std::max(most, sizeOfCache(index));
    return most > 0 ? most : common;
  }();
  return bytes;
}

/// Whether a hardware thread is the first of its core. What Linux says of one
/// is a list such as `3,67`.
static bool isFirstOfCore(unsigned thread) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(thread) +
                     "/topology/thread_siblings_list");
  unsigned first = 0;
  return file >> first && first == thread;
}

unsigned runtime::coreCount() {
  static const unsigned count = [] {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    unsigned cores = 0;
    for (unsigned thread = 0; thread < threads; ++thread)
      cores += isFirstOfCore(thread);
    return cores > 0 ? cores : threads;
  }();
  return count;
}
