//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Features.h"
#include "CodeGen/CompiledLoop.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

static std::string messageOf(const TargetOptions &options) {
  auto target = makeTarget(options);
  if (target)
    return "no error";
  EXPECT_EQ(target.error().code(), ErrorCode::InvalidArgument);
  return target.error().message();
}

static TargetOptions onX86(const char *cpu, unsigned bits = 0,
                           const char *features = "") {
  return {.triple = "x86_64-pc-linux-gnu",
          .cpu = cpu,
          .features = features,
          .vectorBits = bits};
}

static TargetOptions onArm(const char *cpu, unsigned bits = 0,
                           const char *features = "") {
  TargetOptions options = onX86(cpu, bits, features);
  options.triple = "aarch64-unknown-linux-gnu";
  return options;
}

TEST(Target, HostHasAName) {
  const Target &host = hostTarget();
  EXPECT_FALSE(host.triple.empty());
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_EQ(&host, &hostTarget());
  EXPECT_TRUE(checkRunsHere(host));
}

TEST(Target, WidthFollowsTheCpu) {
  EXPECT_EQ(makeTarget(onX86("x86-64"))->vectorBits, 128u);
  EXPECT_EQ(makeTarget(onX86("znver3"))->vectorBits, 256u);
  EXPECT_EQ(makeTarget(onX86("znver4"))->vectorBits, 512u);
  // It slows down with 512 bits and says so.
  EXPECT_EQ(makeTarget(onX86("skylake-avx512"))->vectorBits, 256u);
  EXPECT_EQ(makeTarget(onX86("cascadelake"))->vectorBits, 256u);
  for (const char *cpu : {"icelake-server", "sapphirerapids", "znver5"})
    EXPECT_EQ(makeTarget(onX86(cpu))->vectorBits, 512u) << cpu;
  EXPECT_EQ(makeTarget(onX86("skylake-avx512", 512))->vectorBits, 512u);
  EXPECT_EQ(makeTarget(onX86("skylake-avx512", 256))->heavyVectorBits, 256u);
  EXPECT_EQ(makeTarget(onX86("znver4", 512))->convertingVectorBits, 512u);
  EXPECT_EQ(makeTarget({.triple = "aarch64-linux-gnu",
                        .cpu = "neoverse-n1",
                        .features = {},
                        .vectorBits = 0})
                ->vectorBits,
            128u);
}

TEST(Target, WidthFollowsTheKernelWhereTheClockDoes) {
  const Target skylake = *makeTarget(onX86("skylake-avx512"));
  const auto bitsOf = [](const char *text, const Target &target) {
    return vectorBitsOf(planFor(text), target);
  };
  const char *few = "add(@0,@1)", *many = "sin(tanh(@0))";
  EXPECT_EQ(bitsOf(few, skylake), 256u);
  EXPECT_EQ(bitsOf(many, skylake), 512u);
  const Target genoa = *makeTarget(onX86("znver4"));
  EXPECT_EQ(bitsOf(few, genoa), 512u);
  EXPECT_EQ(bitsOf(many, genoa), 512u);
  EXPECT_EQ(bitsOf(many, *makeTarget(onX86("skylake-avx512", 128))), 128u);
}

// Of names that LLVM does not know code would be made, and run anywhere.
TEST(Target, ExtensionsHaveLlvmsNames) {
  for (const code::Feature &feature : code::featuresOf(code::X86))
    EXPECT_TRUE(makeTarget(
        onX86("x86-64", 0, ("+" + std::string(feature.name)).c_str())))
        << feature.name;
  for (const code::Feature &feature : code::featuresOf(code::Arm))
    EXPECT_TRUE(makeTarget(
        onArm("generic", 0, ("+" + std::string(feature.name)).c_str())))
        << feature.name;
}

TEST(Target, NeedsTheExtensionsThatItsCodeUses) {
  const auto needs = [](const Target &target, std::string_view name) {
    return std::ranges::count(target.extensions, name) == 1;
  };
  EXPECT_TRUE(needs(*makeTarget(onX86("cascadelake")), "avx512vnni"));
  EXPECT_FALSE(needs(*makeTarget(onX86("skylake-avx512")), "avx512vnni"));
}

TEST(Target, Avx512WithoutShortVectorsCompiles) {
  for (const char *features :
       {"+avx512f", "+avx512f,+avx512bw", "+avx512f,+avx512dq",
        "+avx512f,+avx512bw,+avx512vl", "+avx512f,+avx512vl"}) {
    const auto target = makeTarget(onX86("haswell", 0, features));
    ASSERT_TRUE(target) << features;
    for (const char *text : {"add(@0,@1)", "eq(@0,@1)"})
      EXPECT_TRUE(compile(planFor(text), *target, OptLevel::Optimized));
  }
}

TEST(Target, VectorsOfAnyLengthHaveThatOfTheCpu) {
  EXPECT_EQ(makeTarget(onArm("neoverse-n1"))->vectorBits, 128u);
  EXPECT_EQ(makeTarget(onArm("neoverse-n1"))->maskedBytes, 0u);
  EXPECT_EQ(makeTarget(onArm("neoverse-v1"))->vectorBits, 256u);
  EXPECT_EQ(makeTarget(onArm("neoverse-v1"))->maskedBytes, 1u);
  EXPECT_EQ(makeTarget(onArm("neoverse-v2"))->vectorBits, 128u);
  EXPECT_EQ(makeTarget(onArm("a64fx"))->vectorBits, 512u);
  EXPECT_EQ(makeTarget(onArm("a64fx", 256))->scalableBits, 256u);
  EXPECT_EQ(messageOf(onArm("cortex-a72", 256)),
            "'cortex-a72' has vectors of 128 bits at most, not 256");
}

/// How often a text is part of another.
static std::size_t occurrencesOf(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Target, TailsOfScalableVectorsAreMaskedLoads) {
  for (const char *cpu : {"neoverse-v1", "a64fx"}) {
    const auto assembly = dump(planFor("add(@0,@1)"), *makeTarget(onArm(cpu)),
                               OptLevel::Optimized, Stage::Asm);
    ASSERT_TRUE(assembly);
    EXPECT_GE(occurrencesOf("ld1w", *assembly), 2u + 2u) << cpu;
    EXPECT_GE(occurrencesOf("st1w", *assembly), 2u) << cpu;
    // Neither a scalar tail, nor NEON's registers.
    EXPECT_EQ(occurrencesOf("\tldr\ts", *assembly), 0u) << cpu << *assembly;
    EXPECT_EQ(occurrencesOf("\tldr\tq", *assembly), 0u) << cpu;
  }
  // Vectors of 128 bits are NEON's, but for their tails.
  const auto assembly =
      dump(planFor("add(@0,@1)"), *makeTarget(onArm("neoverse-v2")),
           OptLevel::Optimized, Stage::Asm);
  ASSERT_TRUE(assembly);
  EXPECT_EQ(occurrencesOf("ld1w", *assembly), 2u) << *assembly;
  EXPECT_EQ(occurrencesOf("st1w", *assembly), 1u);
  EXPECT_EQ(occurrencesOf("\tldr\ts", *assembly), 0u);
}

// So that f16 is not rounded to bf16: see `complete`.
TEST(Target, CodeForArmHasNoInstructionsOfBf16) {
  const auto assembly =
      dump(planFor("torch.half(@0)"), *makeTarget(onArm("neoverse-v2")),
           OptLevel::Baseline, Stage::Asm);
  ASSERT_TRUE(assembly);
  EXPECT_EQ(occurrencesOf("bfcvt", *assembly), 0u) << *assembly;
}

TEST(Target, FmaFollowsCpuAndFeatures) {
  EXPECT_FALSE(makeTarget(onX86("x86-64"))->hasFma);
  EXPECT_TRUE(makeTarget(onX86("znver3"))->hasFma);
  EXPECT_FALSE(makeTarget(onX86("znver3", 0, "-fma"))->hasFma);
  EXPECT_TRUE(makeTarget({.triple = "arm64-apple-darwin",
                          .cpu = "apple-m1",
                          .features = {},
                          .vectorBits = 0})
                  ->hasFma);
}

TEST(Target, ZenIsKnown) {
  for (const char *cpu : {"znver3", "znver4", "znver5"}) {
    const auto zen = makeTarget(onX86(cpu));
    if (!zen)
      continue; // An LLVM that does not know it.
    EXPECT_EQ(zen->stopsAtPages, std::string_view(cpu) == "znver5");
    EXPECT_FALSE(zen->scalesSlowly) << cpu;
    EXPECT_EQ(zen->fewLoads, zen->vectorBits == 512) << cpu;
    EXPECT_TRUE(zen->convertsWhereItAdds) << cpu;
    EXPECT_EQ(zen->convertingVectorBits,
              std::string_view(cpu) == "znver4" ? 256u : zen->vectorBits);
  }
  for (const char *cpu : {"haswell", "skylake-avx512", "sapphirerapids"}) {
    EXPECT_TRUE(makeTarget(onX86(cpu))->stopsAtPages) << cpu;
    EXPECT_TRUE(makeTarget(onX86(cpu))->scalesSlowly) << cpu;
    EXPECT_FALSE(makeTarget(onX86(cpu))->fewLoads) << cpu;
    EXPECT_FALSE(makeTarget(onX86(cpu))->convertsWhereItAdds) << cpu;
  }
  // One instruction scales, and none looks for subnormal results.
  const auto scalings = [](const char *cpu) {
    const std::string code = *dump(planFor("exp(@0)"), *makeTarget(onX86(cpu)),
                                   OptLevel::Optimized, Stage::Llvm);
    return std::pair(code.find("scalef") != std::string::npos,
                     code.find("cvtps2dq") != std::string::npos);
  };
  EXPECT_EQ(scalings("znver4"), std::pair(true, false));
  EXPECT_EQ(scalings("sapphirerapids"), std::pair(true, true));
}

TEST(Target, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(messageOf(onX86("zen9")),
            "unknown CPU 'zen9' for 'x86_64-pc-linux-gnu'");
  EXPECT_EQ(messageOf(onX86("neoverse-n1")),
            "unknown CPU 'neoverse-n1' for 'x86_64-pc-linux-gnu'");
  EXPECT_EQ(messageOf(onX86("znver3", 0, "+avx3")),
            "unknown CPU feature '+avx3'; features are written +name or -name");
  EXPECT_EQ(messageOf(onX86("znver3", 0, "avx2")),
            "unknown CPU feature 'avx2'; features are written +name or -name");
  EXPECT_EQ(messageOf(onX86("znver3", 512)),
            "'znver3' has vectors of 256 bits at most, not 512");
  EXPECT_EQ(messageOf(onX86("znver4", 384)),
            "vectors have 128, 256 or 512 bits, not 384");
  EXPECT_EQ(messageOf({.triple = "z80-unknown-cpm",
                       .cpu = {},
                       .features = {},
                       .vectorBits = 0}),
            "no code generator for the target 'z80-unknown-cpm'");
}

TEST(Target, CodeForOthersDoesNotRunHere) {
  const bool isX86 = hostTarget().triple.starts_with("x86_64");
  auto other = isX86 ? makeTarget({.triple = "aarch64-linux-gnu",
                                   .cpu = "neoverse-n1",
                                   .features = {},
                                   .vectorBits = 0})
                     : makeTarget(onX86("znver3"));
  ASSERT_TRUE(other);
  EXPECT_FALSE(checkRunsHere(*other));
  if (!isX86)
    return;
  // No CPU has both AVX-512 and AMD's extinct four-operand extensions.
  auto extinct = makeTarget(onX86("bdver4"));
  auto recent = makeTarget(onX86("znver4"));
  EXPECT_FALSE(checkRunsHere(*extinct) && checkRunsHere(*recent));
  EXPECT_TRUE(checkRunsHere(*makeTarget(onX86("x86-64"))));
}
