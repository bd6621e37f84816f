//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of an engine that is asked for hundreds of thousands of expressions.
// Minutes long, so only where KEXPR_EXHAUSTIVE is set.
//
//===----------------------------------------------------------------------===//
#include "Api/NumberedExpressions.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <chrono>
#include <functional>
#include <iostream>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class Memory : public testing::Test {
protected:
  void SetUp() override {
    if (!std::getenv("KEXPR_EXHAUSTIVE"))
      GTEST_SKIP() << kexpr::test::skips::ByHand;
    if (IsSanitized)
      GTEST_SKIP() << kexpr::test::skips::Sanitized;
  }
};
} // namespace

static constexpr unsigned Count = 200000, Step = 500;

/// Asks for expressions until all are done or two minutes are over. Memory at
/// the end must be what it was after a fifth of them.
static void expectFlat(Mode mode,
                       const std::function<std::string(unsigned)> &textOf) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  // What checks must not grow either.
  EngineOptions few;
  few.maxKernels = 16;
  const Engine engine, interpreter(few);
  std::vector<std::size_t> resident;
  unsigned done = 0;
  while (done < Count && std::chrono::steady_clock::now() < end) {
    for (unsigned i = 0; i < Step; ++i, ++done) {
      const std::string text = textOf(done);
      const auto kernel = engine.compile(text, {.mode = mode});
      ASSERT_TRUE(kernel) << text;
      if (done % 100 == 0) {
        ASSERT_TRUE(isRight(*kernel, interpreter, text)) << text;
      }
    }
    resident.push_back(residentBytes());
  }
  const std::size_t before = resident[resident.size() / 5];
  std::cout << done << " expressions:";
  for (std::size_t tenth = 0; tenth <= 10; ++tenth)
    std::cout << ' ' << (resident[(resident.size() - 1) * tenth / 10] >> 20);
  std::cout << " MiB after each tenth; " << engine.stats().compiled
            << " compiled, " << engine.stats().evictions << " evicted\n";
  EXPECT_LE(resident.back(), before + (8 << 20)) << before;
}

TEST_F(Memory, OfInterpretedExpressions) {
  expectFlat(Mode::Interpret, numbered);
}

TEST_F(Memory, OfCompiledExpressions) { expectFlat(Mode::Baseline, numbered); }

TEST_F(Memory, OfTieredExpressions) { expectFlat(Mode::Tiered, numbered); }

TEST_F(Memory, OfLiterals) {
  expectFlat(Mode::Baseline, [](unsigned i) {
    return "add(mul(@0," + std::to_string(i) + ".25),@1)";
  });
}
