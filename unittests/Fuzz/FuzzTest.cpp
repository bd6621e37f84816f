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
#include "Fuzz/Calls.h"
#include "Fuzz/Corpus.h"
#include "Fuzz/Entries.h"
#include "Fuzz/Fuzzers.h"
#include "Fuzz/Infix.h"
#include "Fuzz/Networks.h"
#include "Fuzz/Properties.h"
#include "TestUtil/Vandal.h"

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
  std::vector<std::uint8_t> bytes(4096);
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

TEST(Fuzz, InfixTextIsComputedOrRefused) {
  const Engine engine = makeEngine();
  const double valid = fuzzFor(2, [&engine](Choices &choices) {
    const std::string text = makeInfixText(choices);
    Verdict verdict = checkInfix(engine, text, choices);
    if (!verdict.problem.empty())
      verdict.problem += "\n" + text;
    return verdict;
  });
  EXPECT_GT(valid, 0.02);
  EXPECT_LT(valid, 1);
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

TEST(Fuzz, NetworksAreRefusedOrGiveTheSameBits) {
  const Engine engine = makeEngine();
  const auto seeds = seedsOf("graph");
  ASSERT_FALSE(seeds.empty());
  const double valid = fuzzFor(4, [&](Choices &choices) {
    return checkNetwork(engine, makeNetwork(choices, seeds), Mode::Interpret);
  });
  EXPECT_GE(valid, 0.1) << "the generator makes too few valid networks";
}

TEST(Fuzz, CallsOfCGiveAnErrorOrSucceed) {
  const double valid =
      fuzzFor(4, [](Choices &choices) { return makeCalls(choices); });
  EXPECT_GE(valid, 0.5);
}

TEST(Fuzz, DamagedEntriesAreNone) {
  const double readable =
      fuzzFor(1, [](Choices &choices) { return checkEntry(choices); });
  EXPECT_GE(readable, 0.05) << "too few entries get beyond their checksum";
  const double whole =
      fuzzFor(1, [](Choices &choices) { return checkSpoiltEntry(choices); });
  EXPECT_GT(whole, 0);
}

/// Damages seeds; gives the share of what is valid all the same.
static double fuzzSeeds(std::string_view name,
                        Verdict (*check)(std::string_view)) {
  const auto seeds = seedsOf(name);
  EXPECT_FALSE(seeds.empty());
  return fuzzFor(1, [&](Choices &choices) {
    std::string bytes = choices.oneOf(seeds);
    test::Vandal vandal([&choices] { return choices.word(); });
    for (std::uint32_t i = choices.below(4); i > 0; --i)
      vandal.damageBytes(bytes);
    return check(bytes);
  });
}

TEST(Fuzz, StatesOfSumsAreReadOrRefused) {
  EXPECT_GT(fuzzSeeds("sums", checkSumBytes), 0.1);
}

#ifdef KEXPR_FUZZ_NPY
TEST(Fuzz, ArraysAreReadOrRefused) {
  EXPECT_GT(fuzzSeeds("npy", checkNpyBytes), 0.1);
}
#endif
