//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeds of the fuzzers, among them what once was wrong.
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Corpus.h"
#include "Fuzz/Fuzzers.h"

#include <gtest/gtest.h>

using namespace kexpr::fuzz;

static constexpr Fuzzer Fuzzers[] = {
    {"text", checkTextBytes},       {"infix", checkInfixBytes},
    {"program", checkProgramBytes}, {"model", checkModelBytes},
    {"graph", checkGraphBytes},     {"calls", checkCallsBytes},
    {"entry", checkEntryBytes},     {"sums", checkSumBytes},
#ifdef KEXPR_FUZZ_NPY
    {"npy", checkNpyBytes},
#endif
};

TEST(Corpus, OfEveryFuzzerIsHandled) {
  for (const Fuzzer &fuzzer : Fuzzers) {
    const auto seeds = seedsOf(fuzzer.name);
    EXPECT_FALSE(seeds.empty()) << fuzzer.name;
    for (const std::string &seed : seeds)
      EXPECT_EQ(fuzzer.check(seed).problem, "") << fuzzer.name << ":\n" << seed;
  }
}
