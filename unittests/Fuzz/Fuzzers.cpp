//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Fuzzers.h"

#include "Fuzz/Calls.h"
#include "Fuzz/Entries.h"
#include "Fuzz/Infix.h"
#include "Fuzz/Networks.h"
#include "Fuzz/Properties.h"

#include <algorithm>
#include <string>

using namespace kexpr;
using namespace kexpr::fuzz;

/// Kernels are not kept: most are met once.
static const Engine &engine() {
  static const Engine shared([] {
    EngineOptions options;
    options.maxKernels = 64;
    return options;
  }());
  return shared;
}

Verdict fuzz::checkTextBytes(std::string_view bytes) {
  return checkText(engine(), std::string(bytes));
}

/// A text, and after a NUL decisions about its operands.
Verdict fuzz::checkInfixBytes(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  Choices choices(bytes.substr(std::min(end + 1, bytes.size())));
  return checkInfix(engine(), std::string(bytes.substr(0, end)), choices);
}

Verdict fuzz::checkProgramBytes(std::string_view bytes) {
  Choices choices(bytes);
  return checkProgram(engine(), makeProgram(choices));
}

Verdict fuzz::checkModelBytes(std::string_view bytes) {
  return checkModel(std::string(bytes));
}

Verdict fuzz::checkGraphBytes(std::string_view bytes) {
  if (bytes.starts_with("7767517"))
    return checkNetwork(engine(), std::string(bytes), Mode::Interpret);
  Choices choices(bytes);
  const Mode mode =
      choices.below(256) == 255 ? Mode::Baseline : Mode::Interpret;
  return checkNetwork(engine(), makeNetwork(choices, {}), mode);
}

Verdict fuzz::checkCallsBytes(std::string_view bytes) {
  Choices choices(bytes);
  return makeCalls(choices);
}

Verdict fuzz::checkEntryBytes(std::string_view bytes) {
  Choices choices(bytes);
  return choices.below(16) == 15 ? checkSpoiltEntry(choices)
                                 : checkEntry(choices);
}
