//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Look-ups in tables, as permutations and as loads: by what functions whose
/// huge arguments need them give for every entry.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"

#include "TestUtil/Floats.h"
#include "TestUtil/Skips.h"

#include <bit>
#include <cstdint>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

namespace {

struct Function {
  const char *name;
  ops::Arithmetic arithmetic;
  DType type;
  Precision precision;
};

constexpr Function Functions[] = {
    {"sin", ops::Arithmetic::F32, DType::F32, Precision::Default},
    {"cos", ops::Arithmetic::F32Accurate, DType::F32, Precision::Accurate},
    {"tan", ops::Arithmetic::F32Fast, DType::F32, Precision::Fast},
    {"tan", ops::Arithmetic::F64, DType::F64, Precision::Default}};

semantics::Plan planOf(const Function &function) {
  semantics::GraphBuilder builder;
  const semantics::ValueId x = builder.input(0, function.type);
  const semantics::ValueId result =
      builder.call(*ops::find(function.name), {&x, 1});
  semantics::Plan plan{.graph = builder.finish({&result, 1}),
                       .inputs = {},
                       .outputs = {},
                       .precision = function.precision};
  plan.setContiguous();
  return plan;
}

/// Numbers of every exponent, next to each other those of a few, so that the
/// lanes of a vector differ.
template <class T> std::vector<T> everyExponent() {
  using Bits = std::make_unsigned_t<ops::IntOf<T>>;
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr Bits odd = static_cast<Bits>(0x9e3779b97f4a7c15);
  std::vector<T> numbers;
  Bits bits = 1;
  for (Bits exponent = 0; exponent < Bits{1} << (sizeof(T) * 8 - digits);
       ++exponent)
    for (int i = 0; i < 7; ++i, bits *= odd)
      numbers.push_back(std::bit_cast<T>(((exponent * 37) << digits) |
                                         (bits >> (sizeof(T) * 8 - digits))));
  return numbers;
}

template <class T>
void expectInterpretersBits(const Function &function, const Target &target) {
  const std::vector<T> in = everyExponent<T>();
  std::vector<T> expected(in.size()), got(in.size());
  const void *args[] = {in.data()};
  ops::blocks(function.arithmetic)[*ops::find(function.name)](in.size(), args,
                                                              expected.data());
  for (OptLevel level : {OptLevel::Baseline, OptLevel::Optimized}) {
    const CompiledLoop loop(planOf(function), target, level);
    ASSERT_TRUE(loop);
    loop.run(static_cast<std::int64_t>(in.size()), {got.data(), in.data()});
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_TRUE(sameFloat(got[i], expected[i])) << function.name << in[i];
  }
}

std::string irOf(const Function &function, const TargetOptions &options) {
  const auto target = makeTarget(options);
  if (!target)
    return target.error().message();
  const auto text =
      dump(planOf(function), *target, OptLevel::Optimized, Stage::Llvm);
  return text ? *text : text.error().message();
}

} // namespace

TEST(LookUp, GivesTheInterpretersBitsByPermutationsAndLoads) {
  unsigned ran = 0;
  for (const char *features : {"", "-avx512f", "-avx512f,-avx2"})
    for (unsigned bits : {128, 256, 512}) {
      const auto target = makeTarget(
          {.triple = {}, .cpu = {}, .features = features, .vectorBits = bits});
      if (!target || !target->hasFma)
        continue;
      SCOPED_TRACE(std::string(features) + ' ' + std::to_string(bits));
      ++ran;
      for (const Function &function : Functions)
        if (function.type == DType::F64)
          expectInterpretersBits<double>(function, *target);
        else
          expectInterpretersBits<float>(function, *target);
    }
  if (ran == 0)
    GTEST_SKIP() << kexpr::test::skips::NoSuchMachine;
}

TEST(LookUp, IsWhatTheMachineIsGoodAt) {
  struct Machine {
    const char *triple, *cpu;
    unsigned bits;
    const char *ofWords, *ofEight, *ofMany;
  };
  constexpr const char *x86 = "x86_64-pc-linux-gnu";
  constexpr const char *loads = "getelementptr inbounds double, ptr @table";
  constexpr Machine machines[] = {
      {x86, "znver4", 512, "@llvm.x86.avx512.permvar.si.512",
       "@llvm.x86.avx512.permvar.df.512", "@llvm.x86.avx512.vpermi2var.pd.512"},
      {x86, "znver4", 256, "@llvm.x86.avx512.vpermi2var.d.256",
       "@llvm.x86.avx512.vpermi2var.pd.256", loads},
      {x86, "haswell", 256, "@llvm.x86.avx2.permd", "@llvm.x86.avx2.permd",
       loads},
      {x86, "haswell", 128, "@llvm.x86.avx2.permd", "@llvm.x86.avx2.permd",
       loads},
      {"aarch64-linux-gnu", "neoverse-n1", 128,
       "getelementptr inbounds i32, ptr @table", loads, loads}};
  for (const Machine &machine : machines) {
    SCOPED_TRACE(machine.cpu);
    const TargetOptions options{.triple = machine.triple,
                                .cpu = machine.cpu,
                                .features = {},
                                .vectorBits = machine.bits};
    EXPECT_NE(irOf(Functions[0], options).find(machine.ofWords),
              std::string::npos);
    EXPECT_NE(irOf(Functions[1], options).find(machine.ofEight),
              std::string::npos);
    EXPECT_NE(irOf(Functions[3], options).find(machine.ofMany),
              std::string::npos);
  }
}

TEST(LookUp, KeepsATableOnceInAModule) {
  const std::string ir = irOf(Functions[3], {.triple = "aarch64-linux-gnu",
                                             .cpu = "neoverse-n1",
                                             .features = {},
                                             .vectorBits = 128});
  std::size_t tables = 0;
  for (std::size_t at = 0; (at = ir.find("\n@table", at)) != std::string::npos;
       ++at)
    ++tables;
  EXPECT_EQ(tables, 4u);
}
