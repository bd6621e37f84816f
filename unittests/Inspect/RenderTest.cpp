//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"
#include "Inspect/Subjects.h"

#include <gtest/gtest.h>

#include <set>

using namespace kexpr;
using namespace kexpr::inspect;
using namespace kexpr::test;
using codegen::OptLevel;

namespace {
class Render : public testing::TestWithParam<std::string> {
protected:
  Subject subject(OptLevel level = OptLevel::Optimized) const {
    return {plan.source->expression, plan, level,
            [cpu = GetParam()]() -> Expected<codegen::Target> {
              auto backend = backend::load();
              if (!backend)
                return backend.error();
              return (*backend)->makeTarget(
                  {.triple = {}, .cpu = cpu, .features = {}});
            }};
  }
  const semantics::Plan plan = planOf("where(gt(@0,@1),exp(@0),div(@1,3))");
};
} // namespace

TEST_P(Render, IsTheSameFromRunToRun) {
  for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline})
    for (Stage stage : AllStages) {
      const auto first = render(stage, subject(level));
      ASSERT_TRUE(first) << nameOf(stage) << ": " << first.error().message();
      EXPECT_FALSE(first->empty()) << nameOf(stage);
      EXPECT_EQ(*first, *render(stage, subject(level))) << nameOf(stage);
    }
}

TEST_P(Render, ShowsLlvmsStages) {
  const std::string ir = *render(Stage::Llvm, subject());
  const std::string selected = *render(Stage::LlvmOpt, subject());
  const std::string mir = *render(Stage::Mir, subject());
  for (const std::string &text : {ir, selected, mir})
    EXPECT_NE(text.find("define void @"), std::string::npos) << text;
  EXPECT_NE(mir.find("\nmachineFunctionInfo:"), std::string::npos) << mir;
  EXPECT_NE(mir.find("\nbody: "), std::string::npos) << mir;
  EXPECT_NE(selected, ir);
}

TEST_P(Render, ObjectsAreElf) {
  const std::string object = *render(Stage::Obj, subject());
  ASSERT_GT(object.size(), 64u);
  EXPECT_EQ(object.substr(1, 3), "ELF");
  EXPECT_EQ(object[0], '\x7f');
  EXPECT_EQ(object[4], 2) << "64 bits";
  EXPECT_EQ(object[16], 1) << "relocatable";
}

TEST_P(Render, PrintsAfterPasses) {
  for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline}) {
    const auto all = renderAfter("all", subject(level));
    ASSERT_TRUE(all) << all.error().message();
    const std::string banner =
        "*** After Prologue/Epilogue Insertion & Frame Finalization "
        "(prologepilog) ***";
    EXPECT_NE(all->find(banner), std::string::npos);
    const auto one = renderAfter("prologepilog", subject(level));
    ASSERT_TRUE(one) << one.error().message();
    EXPECT_EQ(one->find(banner), one->find("*** After "));
    EXPECT_EQ(*one, *renderAfter("Prologue/Epilogue Insertion & Frame "
                                 "Finalization",
                                 subject(level)));
    EXPECT_NE(all->find(*one), std::string::npos);
  }
}

TEST_P(Render, ListsThePassesForANameThatIsNone) {
  const auto none = renderAfter("nonsense", subject());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(none.error().message().find("no pass 'nonsense'; there are all, "),
            std::string::npos);
  EXPECT_NE(none.error().message().find(", greedy, "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Cpus, Render,
                         testing::Values("apple-m1", "neoverse-n1",
                                         "sapphirerapids", "znver3"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(RenderStages, HaveNamesAndFiles) {
  std::set<std::string_view> files;
  for (Stage stage : AllStages) {
    EXPECT_EQ(*parseStage(nameOf(stage)), stage);
    files.insert(fileNameOf(stage));
  }
  EXPECT_EQ(files.size(), StageCount);
  EXPECT_EQ(fileNameOf(Stage::LlvmOpt), "kernel.opt.ll");
  EXPECT_EQ(fileNameOf(Stage::Dot), "graph.dot");
  const auto none = parseStage("nonsense");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("tokens, ast, "), std::string::npos);
  EXPECT_EQ(nameOf(static_cast<Stage>(99)), "?");
}

TEST(RenderStages, LoadLlvmForCodeAlone) {
  const auto plan = planOf("neg(@0)");
  const Subject subject{plan.source->expression, plan, OptLevel::Optimized,
                        []() -> Expected<codegen::Target> {
                          return Error(ErrorCode::CompileFailed, "no machine");
                        }};
  for (Stage stage : AllStages) {
    const auto text = render(stage, subject);
    EXPECT_EQ(bool(text), !isOfCode(stage)) << nameOf(stage);
    if (!text) {
      EXPECT_EQ(text.error().message(), "no machine");
    }
  }
}
