//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long expressions get the tier that CompileOptions::mode says, and the bits of
// every other.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "TestUtil/Skips.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace kexpr;
using namespace kexpr::test;

/// A text, and the tier that it gets in each mode at last.
struct Case {
  std::string text;
  std::vector<DType> types = {};
  Tier optimized, baseline;
};

/// The sum of operands from `first`, no deeper than it must be.
static std::string sumOf(int count, int first = 0) {
  if (count == 1)
    return '@' + std::to_string(first);
  const int half = count / 2;
  return "add(" + sumOf(half, first) + ',' + sumOf(count - half, first + half) +
         ')';
}

/// A text of so many operands and an output.
static std::string textOfSlots(int slots) { return sumOf(slots - 1); }

static unsigned operationsOf(const std::string &text) {
  static const Engine engine;
  const auto kernel = engine.compile(text, {Mode::Interpret, {}});
  EXPECT_TRUE(kernel) << kernel.error().render();
  return kernel->operationsPerElement();
}

/// A text of so many operations, most of them those of tanh.
static std::string textOfWork(unsigned operations) {
  const unsigned each = operationsOf("tanh(add(@0,@1))");
  std::string text = "@0";
  unsigned length = 0;
  for (; length + each <= operations; length += each)
    text = "tanh(add(" + text + ",@1))";
  for (; length < operations; ++length)
    text = "add(" + text + ",@1)";
  EXPECT_EQ(operationsOf(text), operations);
  return text;
}

/// A text of so many additions.
static std::string textOfSums(int additions) {
  std::string text = "@0";
  for (int i = 0; i < additions; ++i)
    text = "add(" + text + ",@1)";
  return text;
}

/// The bytes that a kernel computes.
static std::vector<char> resultOf(const Kernel &kernel) {
  constexpr std::int64_t count = 77;
  const std::size_t operands = kernel.expression().operandCount();
  std::vector<TensorView> inputs;
  std::vector<std::int32_t> data(count);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 0x3e000000 + static_cast<std::int32_t>(i << 18);
  for (std::size_t i = 0; i < operands; ++i)
    inputs.emplace_back(static_cast<const void *>(data.data()),
                        kernel.outputType(), Shape{count});
  std::vector<char> out(count * sizeof(float));
  const TensorView output(static_cast<void *>(out.data()), kernel.outputType(),
                          Shape{count});
  const Status status = kernel.run(inputs, output);
  EXPECT_TRUE(status) << status.error().render();
  return out;
}

static std::uint64_t limitedOfC(const char *text) {
  const CEngine engine = makeEngine();
  EXPECT_EQ(kexpr_engine_code_status(engine.get(), nullptr), KEXPR_OK);
  const CKernel kernel = compile(engine, text);
  EXPECT_EQ(kexpr_kernel_tier(kernel.get()), KEXPR_TIER_INTERPRETER);
  kexpr_stats stats = {};
  stats.size = sizeof stats;
  EXPECT_EQ(kexpr_engine_get_stats(engine.get(), &stats, nullptr), KEXPR_OK);
  return stats.limited;
}

static void check(const Case &given) {
  std::vector<char> expected;
  for (const Mode mode :
       {Mode::Interpret, Mode::Optimized, Mode::Baseline, Mode::Tiered}) {
    const Engine engine;
    if (engine.vectorBits() == 0)
      GTEST_SKIP() << kexpr::test::skips::NoCode;
    EXPECT_TRUE(engine.codeStatus());
    CompileOptions options{mode, {}};
    options.operandTypes = given.types;
    const auto kernel = engine.compile(given.text, options);
    ASSERT_TRUE(kernel) << kernel.error().render();
    if (mode == Mode::Interpret)
      expected = resultOf(*kernel);
    EXPECT_EQ(resultOf(*kernel), expected);
    engine.settle();
    EXPECT_EQ(resultOf(*kernel), expected);
    const Tier best = mode == Mode::Interpret  ? Tier::Interpreter
                      : mode == Mode::Baseline ? given.baseline
                                               : given.optimized;
    EXPECT_EQ(kernel->tier(), best) << static_cast<int>(mode);
    const Tier unlimited = mode == Mode::Interpret  ? Tier::Interpreter
                           : mode == Mode::Baseline ? Tier::Baseline
                                                    : Tier::Optimized;
    EXPECT_EQ(engine.stats().limited, best != unlimited)
        << static_cast<int>(mode);
  }
}

TEST(Tiers, OperationsAtTheBoundOfOptimizedCode) {
  check({textOfWork(6000), {}, Tier::Optimized, Tier::Baseline});
  check({textOfWork(6001), {}, Tier::Baseline, Tier::Baseline});
}

TEST(Tiers, OperationsAtTheBoundOfCode) {
  check({textOfWork(20000), {}, Tier::Baseline, Tier::Baseline});
  check({textOfWork(20001), {}, Tier::Interpreter, Tier::Interpreter});
}

TEST(Tiers, OperandsAtTheBoundOfOptimizedCode) {
  check({textOfSlots(512), {}, Tier::Optimized, Tier::Baseline});
  check({textOfSlots(513), {}, Tier::Baseline, Tier::Baseline});
}

TEST(Tiers, OperandsAtTheBoundOfCode) {
  check({textOfSlots(1024), {}, Tier::Baseline, Tier::Baseline});
  check({textOfSlots(1025), {}, Tier::Interpreter, Tier::Interpreter});
}

TEST(Tiers, OperationsOfIntegersCountFourTimes) {
  const std::vector<DType> types = {DType::I32, DType::I32};
  check({textOfSums(1500), types, Tier::Optimized, Tier::Baseline});
  check({textOfSums(1501), types, Tier::Baseline, Tier::Baseline});
}

TEST(Tiers, TheInterfaceOfCCountsWhatIsLimited) {
  if (Engine().vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  EXPECT_EQ(limitedOfC(textOfSlots(1025).c_str()), 1u);
}
