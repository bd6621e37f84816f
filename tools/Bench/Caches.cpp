//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Caches.h"

#include <algorithm>
#include <fstream>

using namespace kexpr;
using namespace kexpr::tools;

static std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// `48K` or `32M` in bytes; 0 for anything else.
static std::int64_t bytesOf(const std::string &text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == text.npos || text.size() > 9)
    return 0;
  const std::int64_t count = std::stoll(text.substr(0, unit));
  return text[unit] == 'K' ? count << 10 : text[unit] == 'M' ? count << 20 : 0;
}

static std::vector<Cache> askSystem() {
  std::vector<Cache> caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                               std::to_string(index) + "/";
    const std::string type = firstLine(folder + "type");
    const std::int64_t bytes = bytesOf(firstLine(folder + "size"));
    if ((type != "Data" && type != "Unified") || bytes == 0)
      continue;
    // A core's own threads share its caches as well, but count as one.
    const bool isShared = firstLine(folder + "shared_cpu_list") !=
                          firstLine("/sys/devices/system/cpu/cpu0/topology/"
                                    "thread_siblings_list");
    caches.push_back({"L" + firstLine(folder + "level"), bytes, isShared});
  }
  std::sort(caches.begin(), caches.end(),
            [](const Cache &a, const Cache &b) { return a.name < b.name; });
  return caches;
}

const std::vector<Cache> &tools::dataCaches() {
  static const std::vector<Cache> caches = [] {
    auto found = askSystem();
    if (found.empty())
      found = {{"L1", 32 << 10, false},
               {"L2", 1 << 20, false},
               {"L3", 32 << 20, true}};
    return found;
  }();
  return caches;
}

std::size_t tools::levelOf(std::int64_t bytes, unsigned threads) {
  const auto &caches = dataCaches();
  std::size_t level = 0;
  while (level < caches.size() && bytes > caches[level].room(threads))
    ++level;
  return level;
}

std::string tools::levelName(std::size_t level) {
  const auto &caches = dataCaches();
  return level < caches.size() ? caches[level].name : "DRAM";
}
