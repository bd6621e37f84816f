//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Models.h"

using namespace kexpr;
using namespace kexpr::test;

// Networks as they come, and what hosts do with their outputs.

namespace {
Expected<PnnxGraph> makeGraph(const Engine &engine, const std::string &param,
                              const GraphOptions &options = {},
                              const std::string &bin = {}) {
  const auto model = parseModel(param, bin);
  if (!model)
    return model.error();
  LayerRegistry registry;
  if (const Status status = registry.addElementwise(); !status)
    return status.error();
  return PnnxGraph::create(engine, *model, registry, options);
}
} // namespace

TEST(Graphs, AnInputThatIsALiteralIsAnError) {
  for (const char *type : {"nn.PReLU", "F.relu", "pnnx.Expression", "nn.GELU",
                           "F.prelu", "torch.clamp"})
    for (const char *literal : {"3", "x", "None", "y"})
      EXPECT_TRUE(endsWell([&] {
        const std::string text =
            "7767517\n3 2\npnnx.Input in 0 1 x #x=(2,3)f32\n" +
            std::string(type) + " p 1 1 x y input=" + literal +
            " num_parameters=1 expr=abs(@0) @weight=(1)f32 #y=(2,3)f32\n"
            "pnnx.Output out 1 0 y\n";
        const Engine engine;
        const std::string bin =
            ZipWriter(true).write({{"p.weight", std::string(4, 0)}});
        auto graph = makeGraph(engine, text, {}, bin);
        const std::vector<float> data(6, 1);
        const NamedTensor input{"in", TensorView(data.data(), {2, 3})};
        const Status status = graph ? graph->run(input) : graph.error();
        EXPECT_TRUE(status || !status.error().message().empty());
      })) << type
          << " input=" << literal;
}

TEST(Graphs, OutputsOfOneRunAreInputsOfTheNext) {
  for (const bool isChain : {false, true})
    EXPECT_TRUE(endsWell([=] {
      const std::string middle =
          isChain ? "F.relu r 1 1 x v\npnnx.Expression f 2 1 v x y "
                    "expr=add(@0,mul(@1,0.5))\n"
                  : "pnnx.Expression f 1 1 x y expr=add(@0,mul(@0,0.5))\n";
      const std::string text = "7767517\n" +
                               std::string(isChain ? "4 3" : "3 2") +
                               "\npnnx.Input in 0 1 x #x=(4,1000)f32\n" +
                               middle + "pnnx.Output out 1 0 y\n";
      const Engine engine;
      auto graph = makeGraph(engine, text);
      ASSERT_TRUE(graph) << graph.error().render();
      const std::vector<float> data(4000, 64);
      ASSERT_TRUE(
          graph->run(NamedTensor{"in", TensorView(data.data(), {4, 1000})}));
      float expected = 96;
      for (int i = 0; i < 5; ++i) {
        const auto out = graph->output("out");
        ASSERT_TRUE(out);
        const Status status = graph->run(NamedTensor{"in", *out});
        ASSERT_TRUE(status) << status.error().render();
        expected *= 1.5f;
        const auto *values =
            static_cast<const float *>(graph->output("out")->data());
        for (int k = 0; k < 4000; ++k)
          ASSERT_EQ(values[k], expected) << "run " << i << ", element " << k;
      }
    }));
}

TEST(Graphs, PartsOfAnOutputAreInputsOfTheNextRun) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    auto graph = makeGraph(engine, "7767517\n3 2\npnnx.Input in 0 1 x\n"
                                   "pnnx.Expression f 1 1 x y expr=add(@0,1)\n"
                                   "pnnx.Output out 1 0 y\n");
    ASSERT_TRUE(graph) << graph.error().render();
    std::vector<float> data(4000);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<float>(i);
    ASSERT_TRUE(graph->run(NamedTensor{"in", TensorView(data.data(), {4000})}));
    // All but the first element, again and again.
    for (std::int64_t left = 3999; left > 3990; --left) {
      const auto out = graph->output("out");
      const auto *from = static_cast<const float *>(out->data()) + 1;
      const Status status =
          graph->run(NamedTensor{"in", TensorView(from, {left})});
      ASSERT_TRUE(status) << status.error().render();
      const auto *values =
          static_cast<const float *>(graph->output("out")->data());
      const auto runs = static_cast<float>(4000 - left);
      for (std::int64_t k = 0; k < left; ++k)
        ASSERT_EQ(values[k], static_cast<float>(k) + 2 * runs + 1);
    }
  }));
}

TEST(Graphs, AnOutputThatIsWrittenBeforeItsInputIsRead) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    GraphOptions options;
    options.fuse = false;
    auto graph =
        makeGraph(engine,
                  "7767517\n5 3\npnnx.Input in 0 1 x #x=(4000)f32\n"
                  "pnnx.Expression f 1 1 x a expr=neg(@0) #a=(4000)f32\n"
                  "pnnx.Expression g 2 1 a x b expr=add(@0,@1) #b=(4000)f32\n"
                  "pnnx.Output one 1 0 a\npnnx.Output two 1 0 b\n",
                  options);
    ASSERT_TRUE(graph) << graph.error().render();
    const std::vector<float> data(4000, 3);
    ASSERT_TRUE(graph->run(NamedTensor{"in", TensorView(data.data(), {4000})}));
    for (int i = 0; i < 5; ++i) {
      const Status status =
          graph->run(NamedTensor{"in", *graph->output("one")});
      ASSERT_TRUE(status) << status.error().render();
      const auto *sums =
          static_cast<const float *>(graph->output("two")->data());
      ASSERT_EQ(std::count(sums, sums + 4000, 0), 4000) << "run " << i;
    }
  }));
}
