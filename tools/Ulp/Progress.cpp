//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Progress.h"

#include "Support/Text.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr const char *eraseLine = "\r\x1b[K";

Progress::Progress(std::string label)
    : label(std::move(label)), isTerminal(isatty(STDERR_FILENO)),
      start(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (isTerminal)
    std::cerr << eraseLine << std::flush;
}

/// "1 h 2 min", "3 min 20 s", "7 s".
static std::string timeText(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole >= 3600)
    return concat(whole / 3600, " h ", whole % 3600 / 60, " min");
  if (whole >= 60)
    return concat(whole / 60, " min ", whole % 60, " s");
  return concat(whole, " s");
}

void Progress::show(double part) const {
  if (!isTerminal)
    return;
  constexpr std::size_t full = 24;
  const auto done = static_cast<std::size_t>(std::clamp(part, 0., 1.) * full);
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  std::cerr << eraseLine << label << " [" << std::string(done, '#')
            << std::string(full - done, ' ') << "] "
            << static_cast<int>(part * 100) << " %";
  if (part > 0)
    std::cerr << ", " << timeText(spent.count() * (1 - part) / part) << " left";
  std::cerr << std::flush;
}
