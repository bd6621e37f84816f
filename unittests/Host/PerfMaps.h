//===- Host/PerfMaps.h - Files of perf that tests leave -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_PERFMAPS_H
#define KEXPR_UNITTESTS_HOST_PERFMAPS_H

#include "TestUtil/Files.h"

#include <algorithm>
#include <cctype>

namespace kexpr::test {

/// Removes, at its end, the /tmp/perf-PID.map that came while it was there and
/// whose processes have ended. Numbers may be in the form of any locale.
class PerfMaps {
public:
  PerfMaps() = default;
  ~PerfMaps() {
    std::error_code ignored;
    for (const std::string &name : all())
      if (const std::string id = processOf(name);
          before.count(name) == 0 && !id.empty() &&
          !std::filesystem::exists("/proc/" + id, ignored))
        std::filesystem::remove("/tmp/" + name, ignored);
  }
  PerfMaps(const PerfMaps &) = delete;
  PerfMaps &operator=(const PerfMaps &) = delete;

private:
  static std::set<std::string> all() { return namesIn("/tmp", "perf-"); }
  /// Empty for the name of another file.
  static std::string processOf(std::string name) {
    if (!name.ends_with(".map"))
      return {};
    name = name.substr(5, name.size() - 9);
    std::erase_if(name, [](char c) { return c == '.' || c == ','; });
    const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
    return std::all_of(name.begin(), name.end(), isDigit) ? name : "";
  }

  const std::set<std::string> before = all();
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_PERFMAPS_H
