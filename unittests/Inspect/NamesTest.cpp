//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Names.h"
#include "Inspect/Subjects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace kexpr;
using namespace kexpr::inspect;
using namespace kexpr::test;
using codegen::OptLevel;
using semantics::AccessPattern;

static codegen::Target machine(const std::string &cpu = "znver3") {
  return {.triple = "x86_64-pc-linux-gnu", .cpu = cpu, .features = "+avx2"};
}

static std::string nameOf(const semantics::Plan &plan) {
  return folderNameOf(plan, machine(), OptLevel::Optimized);
}

TEST(Names, AreReadable) {
  const std::string name = nameOf(planOf("mul(@0, sigmoid(@0))"));
  EXPECT_EQ(name.rfind("mul-0-sigmoid-0.f32n.optimized.", 0), 0u) << name;
  EXPECT_EQ(name.size(),
            std::string("mul-0-sigmoid-0.f32n.optimized.").size() + 8);
}

TEST(Names, DifferWhereTheCodeDoes) {
  const auto plan = planOf("add(@0,@1)");
  std::vector<semantics::Plan> plans(8, plan);
  plans[1].inputs[1].pattern = AccessPattern::Constant;
  plans[2].inputs[0].pattern = AccessPattern::Strided;
  plans[3].outputs[0].pattern = AccessPattern::Strided;
  plans[4].streams = true;
  plans[5].precision = Precision::Accurate;
  for (auto *accesses : {&plans[6].inputs, &plans[6].outputs})
    (*accesses)[0].pattern = AccessPattern::Rows;
  plans[6].inputs[1].pattern = AccessPattern::Row;
  plans[7] = plans[6];
  for (auto *accesses : {&plans[7].inputs, &plans[7].outputs})
    (*accesses)[0].pattern = AccessPattern::Columns;
  std::set<std::string> names;
  for (const auto &each : plans)
    names.insert(nameOf(each));
  names.insert(folderNameOf(plan, machine("znver4"), OptLevel::Optimized));
  names.insert(folderNameOf(plan, machine(), OptLevel::Baseline));
  names.insert(nameOf(planOf("sub(@0,@1)")));
  names.insert(nameOf(planOf("add(@0,@1)", {DType::F64, DType::F64})));
  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(signatureOf(plans[1]), "f32n-f32");
  EXPECT_EQ(signatureOf(plans[2]), "f32s-f32n");
  EXPECT_EQ(signatureOf(plans[3]), "f32n-to-f32s");
  EXPECT_EQ(signatureOf(plans[4]), "f32n.streamed");
  EXPECT_EQ(signatureOf(plans[5]), "f32n.accurate");
  EXPECT_EQ(signatureOf(plans[6]), "f32r-f32a-to-f32r");
  EXPECT_EQ(signatureOf(plans[7]), "f32c-f32a-to-f32c");
  EXPECT_EQ(nameOf(plan), nameOf(planOf("add( @0,@1 )")));
}

TEST(Names, OfLongExpressionsAreShort) {
  std::string text = "@0";
  std::vector<DType> types;
  for (int i = 1; i < 300; ++i) {
    text = "add(" + text + ",@" + std::to_string(i) + ")";
    types.push_back(i % 2 ? DType::F16 : DType::F32);
  }
  const std::string name = nameOf(planOf(text, types));
  EXPECT_LE(name.size(), 200u);
  EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
           c == '_' || c == '.';
  })) << name;
  EXPECT_NE(name, nameOf(planOf("neg(" + text + ")", types)));
  EXPECT_EQ(shortened(text).size(), 60u);
  EXPECT_EQ(shortened("neg(@0)"), "neg(@0)");
}

static std::string command(const semantics::Plan &plan,
                           const codegen::TargetOptions &options = {}) {
  return commandFor(plan, options, OptLevel::Optimized);
}

TEST(Names, CommandsSayAllThatMatters) {
  EXPECT_EQ(command(planOf("neg( @0 )")), "kexpr-dump --emit=all 'neg(@0)'");
  EXPECT_EQ(commandFor(planOf("neg(@0)"),
                       {.triple = {},
                        .cpu = "znver3",
                        .features = "-avx2",
                        .vectorBits = 128},
                       OptLevel::Baseline),
            "kexpr-dump --emit=all --baseline --mcpu='znver3' --mattr='-avx2' "
            "--vector-bits=128 'neg(@0)'");
  auto plan = planOf("add(@0,@2)", {DType::F16, DType::I8, DType::I64}, {2});
  plan.inputs[1].pattern = AccessPattern::Constant;
  plan.outputs[0].pattern = AccessPattern::Strided;
  plan.precision = Precision::Accurate;
  EXPECT_EQ(command(plan),
            "kexpr-dump --emit=all --types='f16[n],i8[n],i64' --zero-dims=2 "
            "--outputs='[n:s]' --precision=accurate 'add(@0,@2)'");
  auto streamed = planOf("neg(@0)");
  streamed.streams = true;
  EXPECT_EQ(command(streamed), "kexpr-dump --emit=all --streamed 'neg(@0)'");
}

TEST(Names, CommandsOfLongExpressionsReadAFile) {
  std::string text = "@0";
  for (int i = 0; i < 2000; ++i)
    text = "neg(add(" + text + ",@1))";
  EXPECT_EQ(command(planOf(text)), "kexpr-dump --emit=all - <expression.txt");
}
