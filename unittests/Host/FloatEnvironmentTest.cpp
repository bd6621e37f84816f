//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Jobs.h"
#include "Host/Ways.h"

#include <cfenv>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace kexpr;
using namespace kexpr::test;

// Results have the bits of the default floating-point environment whatever the
// host has set, and what it has set is there after every call.

namespace {
/// The control bits and sticky flags of a thread.
std::uint64_t readFloats() {
#if defined(__x86_64__)
  return _mm_getcsr();
#else
  std::uint64_t control, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags));
  return control << 32 | flags;
#endif
}
void writeFloats(std::uint64_t bits) {
#if defined(__x86_64__)
  _mm_setcsr(static_cast<unsigned>(bits));
#else
  const std::uint64_t control = bits >> 32, flags = bits & 0xFFFFFFFF;
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(control), "r"(flags));
#endif
}

struct Environment {
  const char *name;
  std::uint64_t set, clear; ///< Bits of the default that are set and cleared.
};
#if defined(__x86_64__)
constexpr Environment Environments[] = {
    {"Downward", 0x2000, 0},         {"Upward", 0x4000, 0},
    {"TowardZero", 0x6000, 0},       {"FlushToZero", 0x8000, 0},
    {"DenormalsAreZero", 0x8040, 0}, {"Traps", 0, 0x1F80},
    {"FlagsSet", 0x3F, 0},           {"AllAtOnce", 0xE040, 0x1F80},
};
#else
constexpr Environment Environments[] = {
    {"Downward", std::uint64_t{2} << 54, 0},
    {"Upward", std::uint64_t{1} << 54, 0},
    {"TowardZero", std::uint64_t{3} << 54, 0},
    {"FlushToZero", std::uint64_t{1} << 56, 0},
    {"FlagsSet", 0x1F, 0},
};
#endif

void PrintTo(const Environment &environment, std::ostream *out) {
  *out << environment.name;
}

/// While one exists, its thread is in an environment; it must be found as it
/// was left.
class InEnvironment {
public:
  explicit InEnvironment(const Environment &environment)
      : before(readFloats()) {
    expected = (before & ~std::uint64_t{FlagBits} & ~environment.clear) |
               environment.set;
    writeFloats(expected);
  }
  /// Says whether nothing has changed; whoever asks is in the default.
  ~InEnvironment() {
    const std::uint64_t found = readFloats();
    writeFloats(before);
    EXPECT_EQ(found, expected) << std::hex << found << ' ' << expected;
  }

private:
  static constexpr std::uint64_t FlagBits = 0x3F;
  std::uint64_t before, expected = 0;
};

constexpr std::int64_t Count = 400003;
constexpr const char *Text =
    "add(mul(@0,@1),div(exp(mul(@0,0.1)),sub(@1,sqrt(abs(@0)))))";

/// Subnormal numbers, infinities, zeros, and numbers that round.
std::vector<float> numbers(int seed) {
  std::vector<float> all(Count);
  for (std::int64_t i = 0; i < Count; ++i) {
    const auto step = static_cast<float>((i * 7 + seed) % 1013 - 500);
    const float scales[] = {1e-41f, 1e-20f, 0.37f, 1e37f, 0, 1};
    all[static_cast<std::size_t>(i)] = step * scales[(i / 3 + seed) % 6];
  }
  return all;
}

class FloatEnvironment : public testing::TestWithParam<Environment> {
protected:
  const std::vector<float> a = numbers(1), b = numbers(2);
  std::vector<TensorView> inputs() const {
    return {TensorView(a.data(), {Count}), TensorView(b.data(), {Count})};
  }
  static testing::AssertionResult same(const std::vector<float> &x,
                                       const std::vector<float> &y) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      wrong += std::memcmp(&x[i], &y[i], sizeof x[i]) != 0;
    return wrong ? testing::AssertionFailure() << wrong << " elements differ"
                 : testing::AssertionSuccess();
  }
  std::vector<float> reference(std::string_view text = Text) const {
    const auto kernel = Engine().compile(text, in(Mode::Interpret));
    std::vector<float> out(Count);
    EXPECT_TRUE(kernel);
    EXPECT_TRUE(
        kernel->run(inputs(), TensorView(out.data(), {Count}), onThreads(1)));
    return out;
  }
};
} // namespace

TEST_P(FloatEnvironment, RunsHaveTheBitsOfTheDefault) {
  EXPECT_TRUE(endsWell([&] {
    const auto expected = reference();
    for (const Mode mode : AllModes)
      for (const unsigned threads : {1, 0}) {
        const auto kernel = Engine().compile(Text, in(mode));
        ASSERT_TRUE(kernel);
        std::vector<float> out(Count, 7);
        const auto views = inputs();
        const TensorView view(out.data(), {Count});
        {
          const InEnvironment host(GetParam());
          if (!kernel->run(views, view, onThreads(threads)))
            std::abort();
        }
        EXPECT_TRUE(same(out, expected))
            << nameOfMode(mode) << " on " << threads << " threads";
      }
  }));
}

TEST_P(FloatEnvironment, BoundCallsAndBatchesToo) {
  EXPECT_TRUE(endsWell([&] {
    const auto expected = reference();
    for (const Mode mode : AllModes)
      for (const unsigned threads : {1, 0}) {
        const auto kernel = Engine().compile(Text, in(mode));
        ASSERT_TRUE(kernel);
        std::vector<float> bound(Count, 7), batch(Count, 7);
        const auto views = inputs();
        {
          const InEnvironment host(GetParam());
          const auto made = kernel->bind(
              views, TensorView(bound.data(), {Count}), onThreads(threads));
          if (!made || !runs(*made))
            std::abort();
          if (!kernel->runBatch(views, TensorView(batch.data(), {Count}),
                                onThreads(threads)))
            std::abort();
        }
        EXPECT_TRUE(same(bound, expected))
            << nameOfMode(mode) << ' ' << threads;
        EXPECT_TRUE(same(batch, expected))
            << nameOfMode(mode) << ' ' << threads;
      }
  }));
}

TEST_P(FloatEnvironment, CompilationFoldsAsInTheDefault) {
  // What is folded: subnormal, inexact and overflowing constants.
  const char *text = "add(add(mul(@0,div(1,3)),mul(1e-30,1e-9)),"
                     "add(mul(@1,exp(0.1)),mul(1e30,exp(20.5))))";
  EXPECT_TRUE(endsWell([&] {
    const auto expected = reference(text);
    for (const Mode mode : AllModes) {
      std::vector<float> out(Count, 7);
      const Engine engine;
      {
        const InEnvironment host(GetParam());
        const auto kernel = engine.compile(text, in(mode));
        engine.settle();
        if (!kernel || !kernel->run(inputs(), TensorView(out.data(), {Count})))
          std::abort();
      }
      EXPECT_TRUE(same(out, expected)) << nameOfMode(mode);
    }
  }));
}

TEST_P(FloatEnvironment, ReadingAndEvaluationToo) {
  EXPECT_TRUE(endsWell([&] {
    const auto valueOf = [](const char *text) {
      const auto expression = Expression::parse(text);
      const auto value = expression ? evaluate(*expression)
                                    : Expected<Scalar>(expression.error());
      return value ? value->str() : value.error().message();
    };
    for (const char *text :
         {"div(1,3)", "0.1", "2.2250738585072011e-308", "4.9e-324",
          "add(0.1,0.2)", "mul(1e-200,1e-120)", "mul(1e200,1e200)",
          "floor_divide(7,-2)", "pow(2,0.5)", "size(@0,0)"}) {
      const std::string expected = valueOf(text);
      std::string found;
      {
        const InEnvironment host(GetParam());
        found = valueOf(text);
      }
      EXPECT_EQ(found, expected) << text;
    }
  }));
}

TEST_P(FloatEnvironment, OfTheHostIsThatOfItsExecutor) {
  static std::uint64_t seen;
  Host executor({"", [](std::int64_t count, Executor::Tasks tasks, void *call) {
                   seen = readFloats();
                   tasks(0, count, call);
                 }});
  EXPECT_TRUE(endsWell([&] {
    RunOptions options = inTasks();
    options.executor = executor;
    for (const Job &job : JobMaker(Engine(), Mode::Baseline).make()) {
      std::uint64_t expected;
      job.spoil();
      {
        const InEnvironment host(GetParam());
        expected = readFloats();
        if (!job.run(options))
          std::abort();
      }
      EXPECT_TRUE(job.isRight()) << job.name;
      EXPECT_EQ(seen, expected) << job.name << std::hex << ' ' << seen;
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Environments, FloatEnvironment,
                         testing::ValuesIn(Environments), [](const auto &info) {
                           return std::string(info.param.name);
                         });
