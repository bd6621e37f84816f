//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine that is asked for ever new expressions does not grow. MemoryTest
// does the same for very many.
//
//===----------------------------------------------------------------------===//
#include "Api/NumberedExpressions.h"
#include "TestUtil/Process.h"

using namespace kexpr;
using namespace kexpr::test;

/// Asks for so many expressions and expects memory to stay what it was after
/// two fifths of them.
template <class F> static void expectFlat(Mode mode, unsigned count, F textOf) {
  EngineOptions options;
  options.maxKernels = 128;
  const Engine engine(options);
  const Engine interpreter(options);
  std::size_t before = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::string text = textOf(i);
    const auto kernel = engine.compile(text, {.mode = mode});
    ASSERT_TRUE(kernel) << text;
    if (i % 10 == 0) {
      ASSERT_TRUE(isRight(*kernel, interpreter, text)) << text;
    }
    if (i == 2 * count / 5) {
      engine.settle();
      before = residentBytes();
    }
  }
  engine.settle();
  const std::size_t after = residentBytes();
  EXPECT_LE(engine.stats().kernels, 128u);
  EXPECT_EQ(engine.stats().misses, count);
  // Freed memory waits for its next use where a sanitizer is in charge.
  if (!IsSanitized) {
    EXPECT_LE(after, before + (4 << 20)) << before;
  }
}

static std::string literal(unsigned i) {
  return "add(mul(@0," + std::to_string(i) + ".25),@1)";
}

TEST(BoundedMemory, ThousandsOfInterpretedExpressions) {
  expectFlat(Mode::Interpret, 8000, numbered);
}

TEST(BoundedMemory, ThousandsOfCompiledExpressions) {
  expectFlat(Mode::Baseline, IsSanitized ? 300 : 1000, numbered);
}

TEST(BoundedMemory, ThousandsOfLiterals) {
  expectFlat(Mode::Baseline, 8000, literal);
}

TEST(BoundedMemory, ThousandsOfTieredExpressions) {
  expectFlat(Mode::Tiered, 3000, numbered);
}
