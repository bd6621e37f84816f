//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fuzzers of every build: bytes from a seeded generator. KEXPR_FUZZ_SEED
// chooses another sequence, KEXPR_FUZZ_SECONDS another length. Input number i
// of seed s is input number 0 of seed s + i.
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Properties.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace kexpr;
using namespace kexpr::fuzz;

static unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
              : otherwise;
}

static std::vector<std::uint8_t> randomBytes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(1024);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Runs `check` on inputs until the time is over; gives the valid share.
template <class F> static double fuzzFor(unsigned seconds, F check) {
  const unsigned seed = fromEnvironment("KEXPR_FUZZ_SEED", 1);
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::seconds(fromEnvironment("KEXPR_FUZZ_SECONDS", seconds));
  unsigned inputs = 0, valid = 0;
  do {
    const auto bytes = randomBytes(seed + inputs);
    Choices choices(bytes);
    const Verdict verdict = check(choices);
    valid += verdict.valid;
    if (!verdict.problem.empty()) {
      ADD_FAILURE() << "seed " << seed + inputs << ": " << verdict.problem;
      break;
    }
    ++inputs;
  } while (std::chrono::steady_clock::now() < end);
  std::cout << valid << " of " << inputs << " inputs were valid\n";
  return inputs == 0 ? 1 : static_cast<double>(valid) / inputs;
}

/// Kernels are not kept: every one is met once.
static Engine makeEngine() {
  EngineOptions options;
  options.maxKernels = 16;
  return Engine(options);
}

TEST(Fuzz, TextIsReadOrRefused) {
  const Engine engine = makeEngine();
  const double valid = fuzzFor(2, [&engine](Choices &choices) {
    return checkText(engine, makeText(choices));
  });
  EXPECT_GT(valid, 0);
  EXPECT_LT(valid, 1);
}

TEST(Fuzz, MachineCodeEqualsInterpreter) {
  const Engine engine = makeEngine();
  const double valid = fuzzFor(8, [&engine](Choices &choices) {
    return checkProgram(engine, makeProgram(choices));
  });
  EXPECT_GE(valid, 0.5) << "the generator makes too few valid programs";
}
