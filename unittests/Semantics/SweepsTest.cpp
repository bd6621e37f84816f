//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/Sweeps.h"

#include "Semantics/Check.h"
#include "Support/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kexpr::test::sweeps {
namespace {
using namespace semantics;

Plan planOf(std::string_view text, const std::vector<DType> &types = {}) {
  Plan plan{.graph = *check(*Expression::parse(text), {types, {}}),
            .inputs = {},
            .outputs = {}};
  plan.setContiguous();
  return plan;
}

/// A sweep in a line: "@0 amax#1 -> sum#4 kept#3 out0".
std::string textOf(const Plan &plan, const Sweep &sweep) {
  std::string text;
  for (std::uint32_t input : sweep.plan.graph.inputs)
    text += input < Graph::FirstValue
                ? concat('@', input, ' ')
                : concat('%', input - Graph::FirstValue, ' ');
  text += "->";
  for (const SweepTarget &target : sweep.targets)
    switch (target.kind) {
    case SweepTarget::Kind::Reduced:
      text += concat(' ', plan.graph.nameOf(plan.graph.values[target.index]),
                     " %", target.index);
      break;
    case SweepTarget::Kind::Kept:
    case SweepTarget::Kind::Scanned:
      text += concat(" kept %", target.index);
      break;
    case SweepTarget::Kind::Stored:
      text += concat(" output ", target.index);
      break;
    }
  return text + '\n';
}

std::string listed(std::string_view text, bool keepsElements = true,
                   const std::vector<DType> &types = {}) {
  const Plan plan = planOf(text, types);
  std::string all;
  for (const Sweep &sweep : semantics::sweepsOf(plan, keepsElements))
    all += textOf(plan, sweep);
  return all;
}

TEST(Sweeps, AReductionIsOneAndItsStoreAnother) {
  EXPECT_EQ(listed("sum(mul(@0,@1),-1)"), "@0 @1 -> sum %4\n"
                                          "%4 -> output 0\n");
}

TEST(Sweeps, ElementsAreKeptBeforeTheyAreRead) {
  EXPECT_EQ(listed("add(@0,div(exp(sin(@1)),add(sum(exp(sin(@1)),-1,True),"
                   "sum(mul(exp(sin(@1)),@0),-1,True))))"),
            "@1 -> sum %5 kept %3\n"
            "@0 %3 -> sum %9\n"
            "%5 %9 -> kept %11\n"
            "@0 %3 %11 -> output 0\n");
}

TEST(Sweeps, RowsAreKeptBeforeTheyAreRead) {
  // One sweep makes %6 of %4; %11 has another leaf, so %9 is made before.
  EXPECT_EQ(listed("mul(mul(@0,exp(mean(@0,-1,True))),neg(exp("
                   "mean(@0,-1,True))))"),
            "@0 -> mean %2\n"
            "%2 -> kept %4 kept %6\n"
            "@0 %4 %6 -> output 0\n");
  EXPECT_EQ(listed("[mul(@0,sum(mul(@0,@0),-1,True)),add(mul(@0,"
                   "exp(mean(@0,-1,True))),mul(@0,sub(sum(mul(@0,@0),-1,True),"
                   "exp(mean(@0,-1,True)))))]"),
            "@0 -> sum %3 mean %7\n"
            "%3 -> kept %4\n"
            "%7 -> kept %9\n"
            "%4 %9 -> kept %11\n"
            "@0 %4 -> output 0\n"
            "@0 %9 %11 -> output 1\n");
}

TEST(Sweeps, NothingIsReadBeforeItIsMade) {
  constexpr const char *functions[] = {
      "sum(X,A)",         "mean(X,A)",       "argmax(X,A)",
      "logsumexp(X,A)",   "var(X,A)",        "norm(X,2,A)",
      "softmax(X,A)",     "cumsum(X,A)",     "sub(X,mean(X,A,True))",
      "normalize(X,2,A)", "log_softmax(X,A)"};
  constexpr const char *elements[] = {"sin(@0)", "exp(sin(@0))",
                                      "mul(exp(sin(@0)),sin(@1))"};
  const auto with = [](std::string text, char axis, const char *x = "sin(@0)") {
    for (std::size_t at; (at = text.find('X')) != std::string::npos;)
      text.replace(at, 1, x);
    std::replace(text.begin(), text.end(), 'A', axis);
    return text;
  };
  for (const char *one : functions)
    for (const char *other : functions)
      for (int way = 0; way < 6; ++way) {
        const char axis = way % 2 ? '1' : '0';
        const Plan plan =
            planOf(concat('[', with(one, '0'), ',',
                          with(other, axis, elements[way / 2]), ']'));
        std::set<std::uint32_t> made;
        for (const Sweep &sweep : semantics::sweepsOf(plan, true)) {
          for (std::uint32_t input : sweep.plan.graph.inputs)
            EXPECT_TRUE(input < Graph::FirstValue ||
                        made.contains(input - Graph::FirstValue))
                << one << ' ' << other << ' ' << way;
          for (const SweepTarget &target : sweep.targets)
            if (target.kind != SweepTarget::Kind::Stored)
              made.insert(target.index);
        }
      }
}

TEST(Sweeps, OnesOverTheSameElementsAndAxesAreOne) {
  EXPECT_EQ(listed("[sum(@0,0),amax(@0,0),amin(@0,0)]"),
            "@0 -> sum %2 amax %4 amin %5\n"
            "%2 -> output 0\n%4 -> output 1\n%5 -> output 2\n");
  // Other axes are another sweep.
  EXPECT_EQ(listed("[amax(@0,0),amax(@0,1)]"), "@0 -> amax %1\n"
                                               "@0 -> amax %2\n"
                                               "%1 -> output 0\n"
                                               "%2 -> output 1\n");
}

TEST(Sweeps, OnesWhoseAxesStayOrGoAreOne) {
  // Although one of both keeps the sines.
  EXPECT_EQ(
      listed("[add(amin(sin(@0),0),1),div(sin(@0),amax(sin(@0),0,True))]"),
      "@0 -> amin %2 amax %5 kept %1\n"
      "%1 %5 -> output 1\n"
      "%2 -> output 0\n");
}

TEST(Sweeps, ElementsAreKeptBeforeTheyAreWidened) {
  // Differences from the mean, in f64, are few operations of what is kept.
  const Plan plan = planOf("layer_norm(gelu(@0),-1)");
  std::vector<DType> kept;
  for (const auto &sweep : semantics::sweepsOf(plan, true))
    for (const SweepTarget &target : sweep.targets)
      if (target.kind == SweepTarget::Kind::Kept && sweep.axisSet)
        kept.push_back(plan.graph.values[target.index].type);
  EXPECT_EQ(kept, std::vector{DType::F32});
}

TEST(Sweeps, OfThousandsOfReductionsAreFound) {
  // What took a pass for each pair of them would not end here.
  std::string text = "[sum(sin(mul(@0,0.5)),0)";
  for (int i = 1; i < 2000; ++i)
    text += concat(",sum(sin(mul(@0,", i, ".5)),0)");
  EXPECT_EQ(semantics::sweepsOf(planOf(text + ']'), true).size(), 2001u);
}

TEST(Sweeps, SoftmaxKeepsItsPowers) {
  // %2 is the power.
  const std::vector<DType> types = {DType::F64};
  EXPECT_EQ(listed("softmax(@0,-1)", true, types), "@0 -> largest %1\n"
                                                   "@0 %1 -> sum %3 kept %2\n"
                                                   "%2 %3 -> output 0\n");
  EXPECT_EQ(listed("softmax(@0,-1)", false, types), "@0 -> largest %1\n"
                                                    "@0 %1 -> sum %3\n"
                                                    "@0 %1 %3 -> output 0\n");
  // Those of f32 are kept in f32.
  EXPECT_NE(listed("softmax(@0,-1)").find("@0 %1 -> sum %4 kept %2\n"),
            std::string::npos);
}

TEST(Sweeps, ElementsThatTakeLittleAreComputedAgain) {
  const std::string norm = listed("rms_norm(@0,-1)");
  EXPECT_EQ(norm, listed("rms_norm(@0,-1)", false));
  EXPECT_EQ(std::count(norm.begin(), norm.end(), '\n'), 3);
}

TEST(Sweeps, WhatARowNeedsOnceIsComputedOnceARow) {
  // The logarithm of the sum is one value a row.
  const std::string text = listed("log_softmax(@0,-1)");
  EXPECT_NE(text.find(" -> kept "), std::string::npos) << text;
  // One whose axes go is the operand of something else, not of the same rows.
  EXPECT_EQ(listed("add(@0,exp(sum(@0,-1)))").find("kept"), std::string::npos);
  EXPECT_NE(listed("add(@0,exp(sum(@0,-1,True)))").find("kept"),
            std::string::npos);
}

TEST(Sweeps, ReductionsOfReductionsComeLater) {
  EXPECT_EQ(listed("amax(sum(@0,1),0)", true, {DType::F64}),
            "@0 -> sum %1\n"
            "%1 -> amax %2\n"
            "%2 -> output 0\n");
  EXPECT_EQ(listed("[amax(amax(@0,1),0),amax(@1,0)]"), "@0 -> amax %1\n"
                                                       "@1 -> amax %4\n"
                                                       "%1 -> amax %2\n"
                                                       "%4 -> output 1\n"
                                                       "%2 -> output 0\n");
}

TEST(Sweeps, OutputsWithoutReductionsAreStored) {
  EXPECT_EQ(listed("[exp(@0),amax(exp(@0),1)]"), "@0 -> amax %2\n"
                                                 "@0 -> output 0\n"
                                                 "%2 -> output 1\n");
}

TEST(Sweeps, ScansAreReadAsElements) {
  const Plan plan = planOf("sub(cumsum(@0,1),amax(cumsum(@0,1),1,True))");
  const auto sweeps = semantics::sweepsOf(plan, true);
  ASSERT_EQ(sweeps.size(), 3u);
  EXPECT_EQ(sweeps[0].targets[0].kind, SweepTarget::Kind::Scanned);
  EXPECT_TRUE(sweeps[0].axisSet.has_value());
  EXPECT_FALSE(sweeps[0].plan.outputs[0].reducing.has_value());
  EXPECT_EQ(sweeps[1].targets[0].kind, SweepTarget::Kind::Reduced);
  EXPECT_EQ(sweeps[2].targets[0].kind, SweepTarget::Kind::Stored);
}

TEST(Sweeps, PlansSayWhatIsReduced) {
  const Plan plan = planOf("mean(@0,-1,True)");
  const auto sweeps = semantics::sweepsOf(plan, true);
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_TRUE(sweeps[0].axisSet.has_value());
  ASSERT_TRUE(sweeps[0].plan.outputs[0].reducing.has_value());
  EXPECT_EQ(sweeps[0].plan.outputs[0].reducing->reduction,
            *ops::findReduction("mean"));
  EXPECT_EQ(sweeps[0].plan.outputs[0].reducing->form, DType::F32);
  EXPECT_FALSE(sweeps[1].axisSet.has_value());
  EXPECT_FALSE(sweeps[1].plan.outputs[0].reducing.has_value());
  for (const Sweep &sweep : sweeps)
    EXPECT_FALSE(sweep.plan.graph.hasReductions());
}

} // namespace
} // namespace kexpr::test::sweeps
