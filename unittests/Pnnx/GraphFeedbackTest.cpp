//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one run computed is given to the next: nothing is overwritten while it
// is read, and memory does not grow.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

#include <set>

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// What no kernel can do in place.
const std::vector<std::string> oneOutput = {
    "pnnx.Input in 0 1 x", "test.Rotate r 1 1 x y", "pnnx.Output out 1 0 y"};
const std::vector<std::string> twoOutputs = {
    "pnnx.Input p 0 1 x",
    "pnnx.Input q 0 1 z",
    "test.Rotate r 1 1 x a",
    "pnnx.Expression e 2 1 a z y expr=sub(mul(@0,0.5),@1)",
    "test.Rotate s 1 1 y b",
    "pnnx.Expression f 2 1 b x w expr=sub(@0,mul(@1,0.25))",
    "pnnx.Output u 1 0 y",
    "pnnx.Output v 1 0 w"};

struct Variant {
  bool fuse, reuse;
};
constexpr Variant variants[] = {
    {true, true}, {true, false}, {false, true}, {false, false}};

class GraphFeedback : public GraphTest {
protected:
  PnnxGraph makeOf(const std::vector<std::string> &lines, Variant variant) {
    return make(modelOf(lines),
                {.fuse = variant.fuse, .reuseMemory = variant.reuse});
  }
  static TensorView valueOf(const PnnxGraph &graph, std::string_view name) {
    const auto view = graph.output(name);
    EXPECT_TRUE(view);
    return view ? *view : TensorView();
  }
};
} // namespace

TEST_F(GraphFeedback, OneOutputManyTimes) {
  for (const Variant variant : variants) {
    auto graph = makeOf(oneOutput, variant), other = makeOf(oneOutput, {});
    std::set<const void *> places;
    for (const Shape &shape : {Shape{3, 5}, Shape{40000}, Shape{2}}) {
      Floats start = someFloats(shape), reference = start;
      TensorView state = start.view();
      for (int run = 0; run < 20; ++run) {
        ASSERT_TRUE(graph.run({{"in", state}}));
        state = valueOf(graph, "out");
        places.insert(state.data());
        ASSERT_TRUE(other.run({{"in", reference.view()}}));
        reference.data = elementsOf(other, "out");
        ASSERT_EQ(elementsOf(graph, "out"), reference.data) << run;
      }
    }
    EXPECT_LE(places.size(), 4u) << "two pieces, which grew once";
  }
}

TEST_F(GraphFeedback, TwoOutputsCrossed) {
  for (const Variant variant : variants)
    for (const bool isCrossed : {false, true}) {
      auto graph = makeOf(twoOutputs, variant), other = makeOf(twoOutputs, {});
      Floats p = someFloats({2, 9}, 1), q = someFloats({2, 9}, 2);
      Floats startP = p, startQ = q;
      TensorView first = startP.view(), second = startQ.view();
      for (int run = 0; run < 20; ++run) {
        ASSERT_TRUE(graph.run({{"p", first}, {"q", second}}));
        first = valueOf(graph, isCrossed ? "v" : "u");
        second = valueOf(graph, isCrossed ? "u" : "v");
        ASSERT_TRUE(other.run({{"p", p.view()}, {"q", q.view()}}));
        p.data = elementsOf(other, isCrossed ? "v" : "u");
        q.data = elementsOf(other, isCrossed ? "u" : "v");
        ASSERT_EQ(elementsOf(graph, isCrossed ? "v" : "u"), p.data) << run;
        ASSERT_EQ(elementsOf(graph, isCrossed ? "u" : "v"), q.data) << run;
      }
    }
}

TEST_F(GraphFeedback, TheLastTwoRunsAtOnce) {
  auto graph = makeOf(twoOutputs, {true, true});
  auto other = makeOf(twoOutputs, {false, false});
  Floats p = someFloats({7}, 1), q = someFloats({7}, 2);
  Floats now = p, before = q;
  TensorView first = p.view(), second = q.view();
  std::set<const void *> places;
  for (int run = 0; run < 20; ++run) {
    ASSERT_TRUE(graph.run({{"p", first}, {"q", second}}));
    second = first;
    first = valueOf(graph, "u");
    places.insert(first.data());
    ASSERT_TRUE(other.run({{"p", now.view()}, {"q", before.view()}}));
    before.data = now.data;
    now.data = elementsOf(other, "u");
    ASSERT_EQ(elementsOf(graph, "u"), now.data) << run;
  }
  EXPECT_EQ(places.size(), 3u);
}

TEST_F(GraphFeedback, OutputsIntoWhatAnEarlierRunMade) {
  auto graph = makeOf(twoOutputs, {true, true});
  auto other = makeOf(twoOutputs, {false, false});
  Floats p = someFloats({4, 3}, 1), q = someFloats({4, 3}, 2);
  ASSERT_TRUE(graph.run({{"p", p.view()}, {"q", q.view()}}));
  ASSERT_TRUE(other.run({{"p", p.view()}, {"q", q.view()}}));
  const TensorView u = valueOf(graph, "u"), v = valueOf(graph, "v");
  EXPECT_FALSE(graph.run({{"p", u}, {"q", q.view()}}, {{"v", u}}))
      << "an output that is an input";
  Floats before{{4, 3}, elementsOf(other, "u")};
  ASSERT_TRUE(other.run({{"p", before.view()}, {"q", q.view()}}));
  ASSERT_TRUE(graph.run({{"p", u}, {"q", q.view()}}, {{"u", v}}));
  EXPECT_EQ(valueOf(graph, "u").data(), v.data());
  for (const char *name : {"u", "v"})
    EXPECT_EQ(elementsOf(graph, name), elementsOf(other, name)) << name;
}

TEST_F(GraphFeedback, PartsOfAnOutput) {
  auto graph = makeOf(oneOutput, {true, true});
  auto other = makeOf(oneOutput, {});
  Floats x = someFloats({6});
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  Floats whole{{6}, elementsOf(graph, "out")};
  const auto *data = static_cast<const float *>(valueOf(graph, "out").data());
  Floats part{{3}, {whole.data[1], whole.data[2], whole.data[3]}};
  ASSERT_TRUE(graph.run({{"in", TensorView(data + 1, {3})}}));
  ASSERT_TRUE(other.run({{"in", part.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), elementsOf(other, "out"));
  EXPECT_TRUE(std::equal(whole.data.begin(), whole.data.end(), data))
      << "what was given is as it was";
}

TEST_F(GraphFeedback, NoSecondMemoryForHostsThatGiveNothingBack) {
  auto graph = makeOf(oneOutput, {true, true});
  Floats x = someFloats({100});
  std::set<const void *> places;
  for (int run = 0; run < 5; ++run) {
    ASSERT_TRUE(graph.run({{"in", x.view()}}));
    places.insert(valueOf(graph, "out").data());
  }
  EXPECT_EQ(places.size(), 1u);
}

/// Python values are a plan's own, and a graph keeps only some plans.
TEST_F(GraphFeedback, NumbersOutliveTheirPlan) {
  auto graph =
      make(modelOf({"pnnx.Input in 0 1 x", "pnnx.Input sizes 0 1 s",
                    "pnnx.Expression e 1 1 x n expr=[size(@0,0),7]",
                    "pnnx.Expression f 1 1 s t expr=add(@0,1)",
                    "pnnx.Output out 1 0 n", "pnnx.Output next 1 0 t"}));
  std::int64_t first[2] = {0, 0};
  TensorView sizes(static_cast<const void *>(first), DType::I64, {2});
  for (std::int64_t extent = 1; extent < 12; ++extent) {
    Floats x = someFloats({extent});
    ASSERT_TRUE(graph.run({{"in", x.view()}, {"sizes", sizes}}));
    sizes = valueOf(graph, "out");
    const auto *numbers = static_cast<const std::int64_t *>(sizes.data());
    EXPECT_EQ(numbers[0], extent);
    EXPECT_EQ(numbers[1], 7);
    const auto *next =
        static_cast<const std::int64_t *>(valueOf(graph, "next").data());
    EXPECT_EQ(next[0], extent == 1 ? 1 : extent);
  }
}
