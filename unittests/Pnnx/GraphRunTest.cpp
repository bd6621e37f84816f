//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

#include <cmath>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class GraphRun : public GraphTest {};
} // namespace

TEST_F(GraphRun, ValuesPassToThreeConsumersAndTwiceToOne) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x", "test.Rotate r0 1 1 x v",
       "test.Rotate r1 1 1 v a", "test.Rotate r2 1 1 v b",
       "pnnx.Expression e 4 1 v v a b y expr=add(mul(@0,@1),sub(@2,@3))",
       "pnnx.Output out 1 0 y"}));
  EXPECT_TRUE(graph.steps().empty()) << "shapes are not known yet";
  Floats x{{3}, {1, 2, 3}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{9, 1, 4}));
  for (const char *layer : {"r0", "r1", "r2"})
    EXPECT_EQ(counts.runs[layer], 1) << layer;
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(counts.runs["r0"], 2);
}

TEST_F(GraphRun, OtherInputsAndOtherShapes) {
  auto graph =
      make(modelOf({"pnnx.Input in1 0 1 x #x=(?,2)f32", "pnnx.Input in2 0 1 z",
                    "F.relu r 1 1 x a", "test.Rotate rot 1 1 a b",
                    "pnnx.Expression e 2 1 b z y expr=add(@0,@1)",
                    "pnnx.Output out 1 0 y #y=(?,2)f32"}));
  Floats z{{2}, {10, 20}};
  for (const std::int64_t rows : {1, 3, 2, 3, 5, 7, 1}) {
    Floats x = someFloats({rows, 2}, static_cast<int>(rows));
    ASSERT_TRUE(graph.run({{"in2", z.view()}, {"in1", x.view()}}));
    const auto y = elementsOf(graph, "out");
    ASSERT_EQ(y.size(), x.data.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(y[i], std::fmax(x.data[(i + y.size() - 1) % y.size()], 0.f) +
                          z.data[i % 2]);
  }
}

TEST_F(GraphRun, SeveralOutputsIntoTheHostsTensors) {
  auto graph = make(modelOf({"pnnx.Input in 0 1 x #x=(4)f32",
                             "F.relu r 1 1 x a", "test.Rotate rot 1 1 a b",
                             "pnnx.Output o1 1 0 a", "pnnx.Output o2 1 0 b",
                             "pnnx.Output o3 1 0 a", "pnnx.Output o4 1 0 x"}));
  Floats x{{4}, {-1, 2, 3, -4}}, o2{{4}, {0, 0, 0, 0}}, o3 = o2, o4 = o2;
  ASSERT_TRUE(
      graph.run({{"in", x.view()}},
                {{"o2", o2.view()}, {"o3", o3.view()}, {"o4", o4.view()}}));
  EXPECT_EQ(o2.data, (std::vector<float>{0, 0, 2, 3}));
  EXPECT_EQ(o3.data, (std::vector<float>{0, 2, 3, 0}));
  EXPECT_EQ(o4.data, x.data);
  EXPECT_EQ(elementsOf(graph, "o1"), o3.data);
  EXPECT_EQ(graph.output("o2")->data(), o2.data.data());
}

TEST_F(GraphRun, AnOutputWithStridesIsFilled) {
  auto graph =
      make(modelOf({"pnnx.Input in 0 1 x #x=(2,2)f32",
                    "test.Rotate rot 1 1 x y", "pnnx.Output out 1 0 y"}));
  Floats x{{2, 2}, {1, 2, 3, 4}};
  std::vector<float> memory(6, 9);
  ASSERT_TRUE(graph.run({{"in", x.view()}},
                        {{"out", TensorView(static_cast<void *>(memory.data()),
                                            DType::F32, {2, 2}, {1, 3})}}));
  EXPECT_EQ(memory, (std::vector<float>{4, 2, 9, 1, 3, 9}));
}

TEST_F(GraphRun, AnyOperandCanBeAnExtraOutput) {
  auto graph = make(modelOf({"pnnx.Input in 0 1 x #x=(4)f32",
                             "F.relu r 1 1 x a", "nn.Dropout d 1 1 a a2",
                             "pnnx.Expression e 1 1 a2 b expr=mul(@0,2)",
                             "pnnx.Expression f 1 1 b y expr=add(@0,1)",
                             "pnnx.Output out 1 0 y"}),
                    {.extraOutputs = {"b", "a2", "x"}});
  ASSERT_EQ(graph.outputs().size(), 4u);
  EXPECT_EQ(graph.outputs()[1].name, "b");
  Floats x{{4}, {-1, 2, 3, -4}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "b"), (std::vector<float>{0, 4, 6, 0}));
  EXPECT_EQ(elementsOf(graph, "a2"), (std::vector<float>{0, 2, 3, 0}));
  EXPECT_EQ(elementsOf(graph, "x"), x.data);
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{1, 5, 7, 1}));
}

TEST_F(GraphRun, TuplesAreSeveralOutputs) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x #x=(2)f32", "F.relu r 1 1 x a",
       "test.Rotate rot 1 1 a b", "prim::TupleConstruct t1 2 1 a b t",
       "prim::TupleConstruct t2 2 1 t x u", "pnnx.Output out 1 0 u",
       "pnnx.Expression e 2 1 x b l expr=[add(@0,1),mul(@0,@1),size(@0,0)]",
       "pnnx.Output list 1 0 l"}));
  const auto ports = graph.outputs();
  ASSERT_EQ(ports.size(), 6u);
  EXPECT_EQ(ports[2].name, "out.2");
  EXPECT_EQ(ports[2].shape, (Shape{2}));
  Floats x{{2}, {-5, 7}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "out.0"), (std::vector<float>{0, 7}));
  EXPECT_EQ(elementsOf(graph, "out.1"), (std::vector<float>{7, 0}));
  EXPECT_EQ(elementsOf(graph, "out.2"), x.data);
  EXPECT_EQ(elementsOf(graph, "list.0"), (std::vector<float>{-4, 8}));
  EXPECT_EQ(elementsOf(graph, "list.1"), (std::vector<float>{-35, 0}));
  EXPECT_EQ(graph.output("list.2")->type(), DType::I64);
}

TEST_F(GraphRun, ListsOfNumbersAreOneValue) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x", "pnnx.Expression n 1 1 x s expr=size(@0,0)",
       "pnnx.Expression l 1 1 s l expr=[@0,-1]", "pnnx.Output out 1 0 l"}));
  Floats x{{2}, {-5, 7}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(graph.output("out")->shape(), (Shape{2}));
}

TEST_F(GraphRun, SizesAndNumbersAreBoundToShapes) {
  auto graph = make(
      modelOf({"pnnx.Input in1 0 1 x", "pnnx.Input in2 0 1 z",
               "pnnx.Expression n 2 1 x z s expr=mul(size(@0,0),size(@1,1))",
               "pnnx.Expression list 1 1 x l expr=[size(@0,0),-1]",
               "pnnx.Expression e 2 1 x s a expr=div(@0,@1)",
               "pnnx.Expression f 2 1 a z y expr=add(@0,size(@1,0))",
               "pnnx.Output out 1 0 y", "pnnx.Output shape 1 0 l"}));
  Floats x{{2}, {30, 60}}, z{{7, 3}, std::vector<float>(21, 1)};
  ASSERT_TRUE(graph.run({{"in1", x.view()}, {"in2", z.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{12, 17}));
  const auto shape = graph.output("shape");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->type(), DType::I64);
  EXPECT_EQ(static_cast<const std::int64_t *>(shape->data())[0], 2);
  EXPECT_EQ(static_cast<const std::int64_t *>(shape->data())[1], -1);
}

TEST_F(GraphRun, TheHostsStridedInputsAreRead) {
  auto graph = make(modelOf(
      {"pnnx.Input in 0 1 x", "F.relu r 1 1 x y", "pnnx.Output out 1 0 y"}));
  const float memory[] = {1, 2, 3, -4, 5, 6};
  ASSERT_TRUE(graph.run({{"in", TensorView(static_cast<const void *>(memory),
                                           DType::F32, {3, 2}, {1, 3})}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{1, 0, 2, 5, 3, 6}));
}

TEST_F(GraphRun, AttributesAndEmptyTensors) {
  auto graph = make(
      modelOf({"pnnx.Input in 0 1 x", "pnnx.Attribute w 0 1 v @data=(2)f32",
               "pnnx.Expression e 2 1 x v y expr=mul(@0,@1)",
               "test.Rotate r 1 1 y z", "pnnx.Output out 1 0 z"},
              {constantOf("w.data", {3, 5})}));
  Floats x{{2, 2}, {1, 2, 3, 4}}, none{{0, 2}, {}};
  ASSERT_TRUE(graph.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(graph, "out"), (std::vector<float>{20, 3, 10, 9}));
  ASSERT_TRUE(graph.run({{"in", none.view()}}));
  EXPECT_TRUE(elementsOf(graph, "out").empty());
}

TEST_F(GraphRun, DeadValuesGiveTheirMemoryToLaterOnes) {
  std::vector<std::string> lines = {"pnnx.Input in 0 1 v0 #v0=(600,1000)f32"};
  for (int i = 0; i < 6; ++i) {
    const std::string from = " v" + std::to_string(2 * i);
    const std::string mid = " v" + std::to_string(2 * i + 1);
    const std::string to = " v" + std::to_string(2 * i + 2);
    lines.push_back("test.Rotate r" + std::to_string(i) + " 1 1" + from + mid);
    lines.push_back("pnnx.Expression e" + std::to_string(i) + " 1 1" + mid +
                    to + " expr=add(@0,1)");
  }
  lines.push_back("pnnx.Output out 1 0 v12");
  auto graph = make(modelOf(lines));
  // Eleven values: kernels write over their operands, layers take turns.
  const std::size_t bytes = 600 * 1000 * 4;
  EXPECT_EQ(graph.memory().values, 11 * bytes);
  EXPECT_EQ(graph.memory().arena, 2 * bytes);
  Floats x = someFloats({600, 1000});
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(graph.run({{"in", x.view()}}));
    const auto y = elementsOf(graph, "out");
    for (std::size_t i = 0; i < y.size(); i += 997)
      ASSERT_EQ(y[(i + 6) % y.size()], x.data[i] + 6);
  }
}

TEST_F(GraphRun, AGraphCanBeMoved) {
  auto first =
      make(modelOf({"pnnx.Input in 0 1 x #x=(2)f32", "test.Rotate r 1 1 x a",
                    "F.relu e 1 1 a y", "pnnx.Output out 1 0 y"}));
  Floats x{{2}, {-1, 2}};
  ASSERT_TRUE(first.run({{"in", x.view()}}));
  PnnxGraph second = std::move(first);
  EXPECT_EQ(elementsOf(second, "out"), (std::vector<float>{2, 0}));
  ASSERT_TRUE(second.run({{"in", x.view()}}));
  EXPECT_EQ(elementsOf(second, "out"), (std::vector<float>{2, 0}));
}

TEST_F(GraphRun, ProfileTimesEveryStep) {
  auto graph =
      make(modelOf({"pnnx.Input in 0 1 x", "F.relu r 1 1 x a",
                    "test.Rotate rot 1 1 a y", "pnnx.Output out 1 0 y"}));
  Floats x = someFloats({100});
  const auto times = graph.profile({{"in", x.view()}});
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 2u);
  EXPECT_EQ((*times)[0].expression, "relu(@0)");
  EXPECT_EQ((*times)[0].elements, 100);
  EXPECT_EQ((*times)[0].bytes, 800u);
  EXPECT_EQ((*times)[1].types[0], "test.Rotate");
  EXPECT_GT((*times)[0].time.count(), 0);
  EXPECT_EQ(graph.steps()[0].time.count(), 0);
}

TEST_F(GraphRun, CompiledAndManyThreads) {
  mode = Mode::Optimized;
  auto graph =
      make(modelOf({"pnnx.Input in 0 1 x #x=(512,512)f32", "F.silu s 1 1 x a",
                    "pnnx.Expression e 2 1 a x y expr=add(@0,@1)",
                    "pnnx.Output out 1 0 y"}));
  Floats x = someFloats({512, 512});
  ASSERT_TRUE(graph.run({{"in", x.view()}}, {}, {.maxThreads = 2}));
  const auto two = elementsOf(graph, "out");
  ASSERT_TRUE(graph.run({{"in", x.view()}}, {}, {.maxThreads = 1}));
  EXPECT_EQ(elementsOf(graph, "out"), two);
  EXPECT_EQ(two[20], x.data[20] / (1 + std::exp(-x.data[20])) + x.data[20]);
}
