//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/CacheSize.h"

#include <algorithm>
#include <fstream>
#include <string>

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
