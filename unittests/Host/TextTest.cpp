//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

using namespace kexpr;
using namespace kexpr::test;

// Whatever a text is, it is answered before the watch over the process ends it.

namespace {
class LegalText : public testing::TestWithParam<Mode> {};

/// A balanced sum of parts; `part(i)` is the text of one.
template <class F> std::string sumOf(int count, F part, int first = 0) {
  if (count == 1)
    return part(first);
  const int half = count / 2;
  return "add(" + sumOf(half, part, first) + "," +
         sumOf(count - half, part, first + half) + ")";
}

/// Calls one inside another.
std::string nested(const std::string &name, int depth) {
  std::string text = "@0";
  for (int i = 0; i < depth; ++i)
    text = name + "(" + text + ")";
  return text;
}

/// What a text gives where all operands are 1, for a few elements.
Expected<std::vector<float>> valueOf(const Engine &engine,
                                     const std::string &text, Mode mode) {
  const auto kernel = engine.compile(text, in(mode));
  if (!kernel)
    return kernel.error();
  const std::vector<float> ones(100, 1);
  std::vector<float> out(100);
  const std::vector<TensorView> inputs(kernel->expression().operandCount(),
                                       TensorView(ones.data(), {100}));
  if (const Status status = kernel->run(inputs, TensorView(out.data(), {100}));
      !status)
    return status.error();
  engine.settle();
  if (const Status status = kernel->run(inputs, TensorView(out.data(), {100}));
      !status)
    return status.error();
  return out;
}

/// Whether all elements are `expected`.
testing::AssertionResult gives(const std::string &text, Mode mode,
                               float expected) {
  const Engine engine;
  const auto found = valueOf(engine, text, mode);
  if (!found)
    return testing::AssertionFailure() << found.error().message();
  for (const float value : *found)
    if (value != expected)
      return testing::AssertionFailure() << value;
  return testing::AssertionSuccess();
}
} // namespace

TEST_P(LegalText, OfFourThousandPowers) {
  const auto power = [](int i) {
    return "pow(@0," + std::to_string(i) + ".25)";
  };
  EXPECT_TRUE(endsWell(
      [&] { EXPECT_TRUE(gives(sumOf(4096, power), GetParam(), 4096)); }));
}

TEST_P(LegalText, AsManyNodesAsThereMayBe) {
  const auto most = [](int i) {
    return "maximum(@0,-" + std::to_string(i) + ".5)";
  };
  EXPECT_TRUE(endsWell(
      [&] { EXPECT_TRUE(gives(sumOf(16000, most), GetParam(), 16000)); }));
}

TEST_P(LegalText, AsManyOperandsAsThereMayBe) {
  const int count = 1 << 15;
  const auto operand = [](int i) { return "@" + std::to_string(i); };
  EXPECT_TRUE(endsWell(
      [&] { EXPECT_TRUE(gives(sumOf(count, operand), GetParam(), count)); }));
}

TEST_P(LegalText, AsDeepAsItMayBe) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto expected = valueOf(engine, nested("sin", 4000), Mode::Interpret);
    const auto found = valueOf(engine, nested("sin", 4000), GetParam());
    ASSERT_TRUE(expected) << expected.error().message();
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(*found, *expected);
  }));
}

INSTANTIATE_TEST_SUITE_P(Modes, LegalText, testing::ValuesIn(AllModes),
                         [](const auto &info) {
                           return nameOfMode(info.param);
                         });

TEST(Texts, LimitsHoldForWhatIsInTheCache) {
  const Engine engine;
  ASSERT_TRUE(works(engine, 2, Mode::Optimized));
  CompileOptions options;
  options.limits.maxNodes = 3;
  const auto kernel = engine.compile(numbered(2), options);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code(), ErrorCode::LimitExceeded);
  options = {};
  options.limits.maxLength = 5;
  EXPECT_FALSE(engine.compile(numbered(2), options));
  options = {};
  options.limits.maxOperands = 1;
  EXPECT_FALSE(engine.compile(numbered(2), options));
  EXPECT_TRUE(works(engine, 2, Mode::Optimized));
}

TEST(Texts, WholeNumbersAreExact) {
  for (const auto &[text, expected] :
       {std::pair("sub(9007199254740993,9007199254740992)", "1"),
        std::pair("9007199254740993", "9007199254740993"),
        std::pair("add(9223372036854775806,1)", "9223372036854775807"),
        std::pair("floor_divide(9223372036854775807,2)",
                  "4611686018427387903")}) {
    const auto expression = Expression::parse(text);
    ASSERT_TRUE(expression) << text;
    const auto value = evaluate(*expression);
    ASSERT_TRUE(value) << text << ": " << value.error().message();
    EXPECT_EQ(value->str(), expected) << text;
  }
}

TEST(Texts, WithOutputsOfManyShapesCountInTheCache) {
  EXPECT_TRUE(endsWell([] {
    constexpr std::size_t outputs = 8;
    const Engine engine;
    // No two of its parts share code.
    const auto kernel = engine.compile(
        "[neg(@0),abs(@1),add(@2,1),mul(@3,2),sqrt(@4),square(@5),floor(@6),"
        "sub(3,@7)]",
        in(Mode::Baseline));
    ASSERT_TRUE(kernel) << kernel.error().render();
    const float x[2] = {4, 4};
    const float expected[outputs] = {-4, 4, 5, 8, 2, 16, 4, -1};
    float out[outputs][2];
    const EngineStats before = engine.stats();
    std::uint64_t halfway = 0;
    // Each call divides the outputs into other groups of one shape.
    for (unsigned groups = 1; groups < 1u << (outputs - 1); ++groups) {
      std::vector<TensorView> inputs, results;
      for (std::size_t i = 0; i < outputs; ++i) {
        const Shape shape = {(groups >> i & 1) + 1};
        inputs.emplace_back(x, shape);
        results.emplace_back(out[i], shape);
      }
      ASSERT_TRUE(kernel->run(inputs, results));
      for (std::size_t i = 0; i < outputs; ++i)
        ASSERT_EQ(out[i][groups >> i & 1], expected[i]) << groups << ", " << i;
      if (groups == 64)
        halfway = engine.stats().compiled;
    }
    // Two kernels a call, each of at least a hundred bytes.
    EXPECT_GT(engine.stats().bytes, before.bytes + 2 * 30 * 100);
    EXPECT_GT(halfway, before.compiled + 30);
    EXPECT_EQ(engine.stats().compiled, halfway)
        << "kernels that are not kept were compiled";
  }));
}

TEST(Texts, ThatAreLongCountInTheCache) {
  if (IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  EXPECT_TRUE(endsWell([] {
    EngineOptions options;
    options.maxCodeBytes = 4 << 20;
    const Engine engine(options);
    const auto compile = [&](int i) {
      const std::string blanks(500000 + static_cast<std::size_t>(i), ' ');
      EXPECT_TRUE(engine.compile("add(@0," + blanks + std::to_string(i) + ")",
                                 in(Mode::Interpret)));
    };
    for (int i = 0; i < 20; ++i)
      compile(i);
    const std::size_t before = residentBytes();
    for (int i = 20; i < 120; ++i)
      compile(i);
    EXPECT_LT(residentBytes(), before + (20 << 20));
  }));
}
