//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"

#include <regex>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;
using semantics::AccessPattern;

namespace {

/// A machine that every build can generate code for.
Target zen3() {
  return *makeTarget({.triple = "x86_64-pc-linux-gnu",
                      .cpu = "znver3",
                      .features = {},
                      .vectorBits = 0});
}

std::string irOf(const semantics::Plan &plan) {
  auto text = dump(plan, zen3(), OptLevel::Optimized, Stage::Llvm);
  EXPECT_TRUE(text) << text.error().message();
  return text ? *text : std::string();
}

std::size_t matchesIn(const std::string &text, const std::string &pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                       {});
}

/// The text from a block's label to the next block's.
std::string blockOf(const std::string &ir, const std::string &label) {
  const std::size_t begin = ir.find("\n" + label + ":");
  return begin == std::string::npos
             ? std::string()
             : ir.substr(begin, ir.find("\n\n", begin) - begin);
}

} // namespace

TEST(Emitter, NamesStepsAfterTheirOperator) {
  const std::string ir = irOf(planFor("add(exp(@0),neg(@1))"));
  const std::string loop = blockOf(ir, "vector.loop") + blockOf(ir, "common");
  EXPECT_NE(loop.find("%exp.poly = "), std::string::npos);
  EXPECT_NE(loop.find("%exp = "), std::string::npos);
  EXPECT_EQ(matchesIn(ir, "%\\d"), 0u) << "everything has a name";
  const std::string copies = blockOf(irOf(planFor("neg(@0)")), "vector.loop");
  EXPECT_NE(copies.find("%neg.1 = fneg <8 x float> %x0.1"), std::string::npos);
}

TEST(Emitter, MakesOneLoopOfVectorsAndOneTail) {
  const std::string ir = irOf(planFor("add(mul(@0,@1),@2)"));
  EXPECT_EQ(matchesIn(ir, "\ndefine "), 1u);
  EXPECT_EQ(matchesIn(ir, "\nvector.loop:"), 1u);
  EXPECT_EQ(matchesIn(ir, "\ntail:"), 1u);
  // The indices of both.
  EXPECT_EQ(matchesIn(ir, " phi "), 2u);
  EXPECT_EQ(matchesIn(ir, "alloca"), 0u);
  EXPECT_EQ(matchesIn(ir, " = call .*@(?!llvm\\.)"), 0u);
  EXPECT_EQ(matchesIn(ir, " (fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) "),
            0u);
}

TEST(Emitter, LoadsAndStoresOnceACopy) {
  const std::string ir = irOf(planFor("[mul(@0,@0),add(@1,mul(@0,@0))]"));
  const std::string loop = blockOf(ir, "vector.loop");
  const std::size_t copies = matchesIn(loop, "fmul <8 x float>");
  EXPECT_GE(copies, 1u);
  EXPECT_EQ(matchesIn(loop, "load <8 x float>"), 2 * copies);
  EXPECT_EQ(matchesIn(loop, "store <8 x float>"), 2 * copies);
  const std::string tail = blockOf(ir, "tail");
  EXPECT_EQ(matchesIn(tail, "@llvm.masked.load"), 2u);
  EXPECT_EQ(matchesIn(tail, "@llvm.masked.store"), 2u);
  EXPECT_EQ(matchesIn(tail, " load | store "), 0u);
}

TEST(Emitter, NamesValuesAfterOperandsAndOperators) {
  const std::string loop =
      blockOf(irOf(planFor("add(mul(@7,@2),1)")), "vector.loop");
  EXPECT_NE(loop.find("%x7 = load"), std::string::npos);
  EXPECT_NE(loop.find("%x2 = load"), std::string::npos);
  EXPECT_NE(loop.find("%mul = fmul <8 x float> %x7, %x2"), std::string::npos);
  EXPECT_NE(loop.find("%add = fadd <8 x float> %mul, %p0"), std::string::npos);
}

TEST(Emitter, LoadsConstantsBeforeTheLoop) {
  const std::string ir = irOf(planFor("mul(@0,@1)", {AccessPattern::Contiguous,
                                                     AccessPattern::Contiguous,
                                                     AccessPattern::Constant}));
  const std::string loop = blockOf(ir, "vector.loop");
  EXPECT_EQ(matchesIn(loop, "load "), matchesIn(loop, "store "));
  EXPECT_EQ(matchesIn(blockOf(ir, "tail"), "masked.load"), 1u);
  EXPECT_NE(ir.find("%x1.element = load float"), std::string::npos);
}

TEST(Emitter, WalksStridesLaneByLane) {
  const std::string loop =
      blockOf(irOf(planFor("neg(@0)", {AccessPattern::Contiguous,
                                       AccessPattern::Strided})),
              "vector.loop");
  EXPECT_EQ(matchesIn(loop, "load float"), 8 * matchesIn(loop, "store "));
  EXPECT_EQ(matchesIn(loop, "gather"), 0u);
}

TEST(Emitter, KeepsSlowWaysOutOfTheLoop) {
  const std::string ir = irOf(planFor("add(sin(@0),cos(@0))"));
  // One way out of the loop, however many operators have a slow way: to the
  // tail, which has them all, and then back.
  const std::string loop = blockOf(ir, "vector.loop");
  EXPECT_EQ(matchesIn(loop, "br i1 %rare, label %redo, label %common"), 1u);
  EXPECT_EQ(matchesIn(loop, "vector.reduce.or.v8i1\\(<8 x i1> %"), 1u);
  EXPECT_EQ(matchesIn(loop, "store"), 0u);
  EXPECT_EQ(matchesIn(blockOf(ir, "common"), "store <8 x float>"), 1u);
  EXPECT_EQ(matchesIn(blockOf(ir, "redo"), "label %tail.entry"), 1u);
  EXPECT_EQ(matchesIn(blockOf(ir, "resume"), "label %again"), 1u);
  EXPECT_EQ(matchesIn(blockOf(ir, "again"), "label %vector.loop"), 1u);
  // Two operators, each with two.
  EXPECT_EQ(matchesIn(ir, "\nrare\\d*:"), 4u);
  // A short slow way has a body of its own.
  const std::string other = irOf(planFor("log(@0)"));
  EXPECT_EQ(matchesIn(blockOf(other, "redo"), "label %second"), 1u);
  EXPECT_EQ(matchesIn(blockOf(other, "second"), "store <8 x float>"), 1u);
  EXPECT_EQ(matchesIn(other, "\nrare\\d*:"), 0u);
  // What is slow in a slow way is left to the tail.
  const std::string nested = irOf(planFor("sin(@0)"));
  EXPECT_EQ(matchesIn(nested, "\nrare\\d*:"), 1u + 2u);
  EXPECT_EQ(matchesIn(nested, "label %tail.entry, label %stored"), 1u);
  EXPECT_EQ(matchesIn(ir, " = call .*@(?!llvm\\.)"), 0u);
}

TEST(Emitter, RepeatsLongBodiesLess) {
  auto copies = [](const char *text, OptLevel level) {
    const std::string ir = *dump(planFor(text), zen3(), level, Stage::Llvm);
    return matchesIn(blockOf(ir, "vector.loop"), "store <8 x float>");
  };
  const auto most = copies("neg(@0)", OptLevel::Optimized);
  const auto some = copies("rsqrt(@0)", OptLevel::Optimized);
  EXPECT_GT(most, some);
  EXPECT_GT(some, copies("tanh(@0)", OptLevel::Optimized));
  EXPECT_GT(some, copies("rsqrt(@0)", OptLevel::Baseline));
}

TEST(Emitter, FillsVectorsWithDoublesWhereFormulasNeedTheirRegisters) {
  const auto plan = planFor("pow(@0,@1)");
  const std::string narrow =
      *dump(plan, zen3(), OptLevel::Optimized, Stage::Llvm);
  EXPECT_EQ(matchesIn(blockOf(narrow, "vector.loop"), "store <4 x float>"), 1u);
  EXPECT_EQ(matchesIn(narrow, "<8 x double>"), 0u);
}

TEST(Emitter, FillsVectorsWithDoublesInTailsThatNeedThem) {
  const std::string ir = irOf(planFor(
      "mul(@0,tan(@1))", {AccessPattern::Contiguous, AccessPattern::Constant}));
  EXPECT_GE(matchesIn(blockOf(ir, "common"), "store <8 x float>"), 1u);
  EXPECT_EQ(matchesIn(ir, "masked.store.v4f32"), 1u + 1u) << "and declared";
  // What does not need them has whole vectors.
  for (const char *text : {"neg(@0)", "add(sin(@0),cos(@0))"})
    EXPECT_EQ(matchesIn(irOf(planFor(text)), "masked.store.v8f32"), 1u + 1u)
        << text;
}

TEST(Emitter, DumpsTheSameTextEveryTime) {
  const auto plan = planFor("add(tanh(@0),sin(@1))");
  for (Stage stage : {Stage::Llvm, Stage::Asm}) {
    const auto first = dump(plan, zen3(), OptLevel::Optimized, stage);
    const auto second = dump(plan, zen3(), OptLevel::Optimized, stage);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first, *second);
  }
}

TEST(Emitter, StreamsWholeLinesAlone) {
  semantics::Plan plan = planFor("add(mul(@0,@1),@2)");
  const std::string cached = irOf(plan);
  EXPECT_EQ(matchesIn(cached, "nontemporal"), 0u);
  plan.streams = true;
  const std::string ir = irOf(plan);
  EXPECT_EQ(matchesIn(ir, "store <8 x float>.* align 32, !nontemporal"),
            matchesIn(cached, "store <8 x float>") + 1);
  // Whoever runs the loop fences: once a task, not once a batch item.
  EXPECT_EQ(matchesIn(ir, "sfence"), 0u);
  // Those of the tail as well. What is masked is no streaming store.
  EXPECT_EQ(matchesIn(blockOf(ir, "tail.whole"), "nontemporal"), 1u);
  EXPECT_EQ(matchesIn(blockOf(ir, "tail.part"), "nontemporal"), 0u);
}
