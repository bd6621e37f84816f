//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"
#include "Inspect/Subjects.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::test;

static std::string dotOf(const std::string &text,
                         const std::vector<DType> &types = {}) {
  const auto plan = planOf(text, types);
  return inspect::dotOf(plan.graph, plan.source->expression.canonical());
}

TEST(Dot, TellsOperandsNumbersOperatorsAndOutputsApart) {
  EXPECT_EQ(dotOf("add(mul(@0,@1),2.5)", {DType::F32, DType::F16}),
            "digraph \"add(mul(@0,@1),2.5)\" {\n"
            "  label=\"add(mul(@0,@1),2.5)\";\n"
            "  node [ordering=in];\n"
            "  v0 [shape=box, label=\"@0\"];\n"
            "  v1 [shape=box, label=\"@1\"];\n"
            "  v2 [shape=diamond, label=\"f32\"];\n"
            "  v1 -> v2 [label=\"f16\"];\n"
            "  v3 [shape=ellipse, label=\"mul\"];\n"
            "  v0 -> v3 [label=\"f32\"];\n"
            "  v2 -> v3 [label=\"f32\"];\n"
            "  v4 [shape=note, label=\"2.5\"];\n"
            "  v5 [shape=ellipse, label=\"add\"];\n"
            "  v3 -> v5 [label=\"f32\"];\n"
            "  v4 -> v5 [label=\"f32\"];\n"
            "  out0 [shape=house, label=\"out0\"];\n"
            "  v5 -> out0 [label=\"f32\"];\n"
            "}\n");
}

TEST(Dot, HasEveryOutput) {
  const std::string text = dotOf("[neg(@0),gt(@0,@1)]");
  EXPECT_NE(text.find("-> out0 [label=\"f32\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("-> out1 [label=\"bool\"]"), std::string::npos) << text;
}

TEST(Dot, TitlesAreQuoted) {
  const auto plan = planOf("neg(@0)");
  const std::string text =
      inspect::dotOf(plan.graph, "a\"];\nevil [label=\\N\"\\");
  EXPECT_NE(text.find("digraph \"a\\\"]; evil [label=\\\\N\\\"\\\\\" {\n"),
            std::string::npos)
      << text;
}

TEST(Dot, NumbersThatDependOnShapesAreSpelled) {
  const std::string text = dotOf("mul(@0,size(@0,2))");
  EXPECT_NE(text.find("[shape=note, label=\"size(@0,2)\"]"), std::string::npos)
      << text;
}
