//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One generator makes code for many kernels, and for many threads in turn.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"

#include <thread>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

namespace {

/// A target that no other test of this program generates code for.
Target x86Target(const char *cpu) {
  return *makeTarget({.triple = "x86_64-pc-linux-gnu",
                      .cpu = cpu,
                      .features = {},
                      .vectorBits = 0});
}

using Objects = std::vector<std::vector<char>>;

/// Kernels with little in common, at both levels.
Objects compileSome(const Target &target) {
  Objects objects;
  for (const char *text :
       {"add(@0,@1)", "sin(@0)", "floor_divide(@0,@1)", "mul(@0,sigmoid(@0))",
        "add(mul(@0,@1),2)", "neg(@0)"})
    for (auto level : {OptLevel::Optimized, OptLevel::Baseline}) {
      auto object = compile(planFor(text), target, level);
      EXPECT_TRUE(object) << text;
      objects.push_back(object ? std::move(object->bytes)
                               : std::vector<char>());
    }
  return objects;
}

} // namespace

TEST(Pipeline, MakesTheSameCodeAgain) {
  const Target target = x86Target("haswell");
  const Objects first = compileSome(target);
  EXPECT_EQ(compileSome(target), first);
}

TEST(Pipeline, AnotherThreadTakesTheGeneratorThatIsFree) {
  const Target target = x86Target("skylake");
  const std::size_t before = generatorCount();
  Objects first, second;
  std::thread([&] { first = compileSome(target); }).join();
  EXPECT_EQ(generatorCount(), before + 2) << "one for each level";
  std::thread([&] { second = compileSome(target); }).join();
  EXPECT_EQ(generatorCount(), before + 2);
  EXPECT_EQ(first, second);
}

TEST(Pipeline, ThreadsAtOnceMakeTheSameCode) {
  constexpr std::size_t threadCount = 4;
  const Target target = x86Target("broadwell");
  const std::size_t before = generatorCount();
  std::vector<Objects> results(threadCount);
  std::vector<std::thread> threads;
  for (Objects &result : results)
    threads.emplace_back([&] { result = compileSome(target); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Objects &result : results)
    EXPECT_EQ(result, results[0]);
  EXPECT_LE(generatorCount(), before + 2 * threadCount);
}

TEST(Pipeline, MakesNoGeneratorForWhatItCannotMake) {
  Target target = x86Target("haswell");
  target.triple = "no-such-machine";
  const std::size_t before = generatorCount();
  const auto object = compile(planFor("neg(@0)"), target, OptLevel::Optimized);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(generatorCount(), before);
}

// A name that LLVM changes would leave out nothing, and slow compilation down.
TEST(Pipeline, PassesThatAreLeftOutAreLlvms) {
  const Target arm = *makeTarget({.triple = "aarch64-linux-gnu",
                                  .cpu = "neoverse-n1",
                                  .features = {},
                                  .vectorBits = 0});
  EXPECT_EQ(*unknownPasses({x86Target("znver4"), arm}),
            std::vector<std::string>());
  EXPECT_GT(unknownPasses({arm})->size(), 0u) << "those of x86 alone";
}
