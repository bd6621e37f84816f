//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CNetworks.h"
#include "TestUtil/Files.h"

#include <limits>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiGraph : public CNetworks {
protected:
  CModel model =
      modelOf({"pnnx.Input in 0 1 x #x=(?)f32", "pnnx.Input skip 0 1 s",
               "pnnx.Expression e 2 1 x s a expr=add(mul(@0,2),@1)",
               "F.relu r 1 1 a y", "pnnx.Output out 1 0 y #y=(?)f32"});
  CRegistry registry = registryOf(true);
  float results[3] = {-7, -7, -7};
  kexpr_tensor out = tensorOf(results, shape);
  const std::vector<float> expected = {3, 0, 9};
};
} // namespace

TEST_F(CApiGraph, RunsWithItsOwnMemoryOrTheHosts) {
  const CGraph graph = make(model, registry);
  ASSERT_EQ(refusalOfRun(KEXPR_OK, graph, {{"skip", x}, {"in", x}}), "");
  EXPECT_EQ(valueOf(graph, "out"), expected);
  ASSERT_EQ(
      refusalOfRun(KEXPR_OK, graph, {{"in", x}, {"skip", x}}, {{"out", out}}),
      "");
  EXPECT_EQ(std::vector<float>(results, results + 3), expected);
  kexpr_tensor view;
  ASSERT_EQ(kexpr_graph_value(graph.get(), "out", &view, nullptr), KEXPR_OK);
  EXPECT_EQ(view.data, results);
  EXPECT_EQ(Shape(view.shape, view.rank), Shape({3}));
}

TEST_F(CApiGraph, GivesTheStridesOfTheHostsTensor) {
  const CGraph graph = make(model, registry);
  float spaced[6] = {};
  const std::int64_t two[] = {2};
  const kexpr_tensor across = {spaced, KEXPR_F32, 1, shape, two};
  ASSERT_EQ(refusalOfRun(KEXPR_OK, graph, {{"in", x}, {"skip", x}},
                         {{"out", across}}),
            "");
  kexpr_tensor view;
  ASSERT_EQ(kexpr_graph_value(graph.get(), "out", &view, nullptr), KEXPR_OK);
  ASSERT_NE(view.strides, nullptr);
  EXPECT_EQ(view.strides[0], 2);
  EXPECT_EQ(spaced[4], 9);
}

TEST_F(CApiGraph, ListsItsPorts) {
  const CGraph graph = make(model, registry);
  ASSERT_EQ(kexpr_graph_input_count(graph.get()), 2u);
  ASSERT_EQ(kexpr_graph_output_count(graph.get()), 1u);
  const kexpr_port *in = kexpr_graph_input(graph.get(), 0);
  EXPECT_STREQ(in->name, "in");
  EXPECT_EQ(in->type, KEXPR_F32);
  EXPECT_EQ(Shape(in->shape, in->rank), Shape({-1}));
  const kexpr_port *skip = kexpr_graph_input(graph.get(), 1);
  EXPECT_STREQ(skip->name, "skip");
  EXPECT_EQ(skip->type, 0);
  EXPECT_EQ(skip->rank, 0u);
  EXPECT_EQ(skip->shape, nullptr);
  EXPECT_STREQ(kexpr_graph_output(graph.get(), 0)->name, "out");
  EXPECT_EQ(kexpr_graph_input(graph.get(), 2), nullptr);
  EXPECT_EQ(kexpr_graph_output(graph.get(), 1), nullptr);
}

TEST_F(CApiGraph, AResidualTailIsOneStep) {
  const std::string stem = KEXPR_TEST_DATA "/pnnx/residual_tail.pnnx";
  CError error;
  kexpr_model_load((stem + ".param").c_str(), (stem + ".bin").c_str(),
                   Out(model), Out(error));
  ASSERT_TRUE(model) << messageOf(error);
  const CGraph graph = make(model, registry);
  CSteps steps;
  ASSERT_EQ(kexpr_graph_steps(graph.get(), Out(steps), nullptr), KEXPR_OK);
  ASSERT_EQ(kexpr_steps_count(steps.get()), 1u);
  const kexpr_step *step = kexpr_steps_at(steps.get(), 0);
  ASSERT_EQ(step->operator_count, 3u);
  EXPECT_STREQ(step->operators[0], "norm");
  EXPECT_STREQ(step->types[2], "F.relu");
  EXPECT_STRNE(step->expression, "");
  EXPECT_GE(step->input_count, 4u);
  EXPECT_STREQ(step->inputs[0], "0");
  ASSERT_EQ(step->output_count, 1u);
  EXPECT_STREQ(step->outputs[0], "4");
  EXPECT_EQ(step->elements, 756);
  EXPECT_EQ(step->time_ns, 0u);
  EXPECT_EQ(kexpr_steps_at(steps.get(), 1), nullptr);
}

TEST_F(CApiGraph, ProfilesItsSteps) {
  auto options = interpreted();
  options.no_fuse = true;
  const CGraph graph = make(model, registry, options);
  CSteps steps;
  kexpr_graph_steps(graph.get(), Out(steps), nullptr);
  EXPECT_EQ(kexpr_steps_count(steps.get()), 0u) << "shapes are not known yet";
  const kexpr_named_tensor inputs[] = {{"in", x}, {"skip", x}};
  const kexpr_named_tensor output = {"out", out};
  ASSERT_EQ(kexpr_graph_profile(graph.get(), inputs, 2, &output, 1, nullptr,
                                Out(steps), nullptr),
            KEXPR_OK);
  ASSERT_EQ(kexpr_steps_count(steps.get()), 2u);
  EXPECT_STREQ(kexpr_steps_at(steps.get(), 1)->expression, "relu(@0)");
  EXPECT_GT(kexpr_steps_at(steps.get(), 1)->time_ns, 0u);
  EXPECT_EQ(kexpr_steps_at(steps.get(), 1)->bytes, 24u);
  EXPECT_EQ(std::vector<float>(results, results + 3), expected);
}

TEST_F(CApiGraph, Options) {
  const char *extra[] = {"a", nullptr};
  auto options = interpreted();
  options.no_reuse = true;
  options.precision = KEXPR_PRECISION_ACCURATE;
  options.extra_outputs = extra;
  options.extra_output_count = 1;
  const CGraph graph = make(model, registry, options);
  ASSERT_EQ(refusalOfRun(KEXPR_OK, graph, {{"skip", x}, {"in", x}}), "");
  EXPECT_EQ(valueOf(graph, "a"), (std::vector<float>{3, -6, 9}));
  EXPECT_EQ(valueOf(graph, "out"), expected);
  std::size_t values = 1, arena = 1;
  kexpr_graph_memory(graph.get(), &values, &arena);
  EXPECT_EQ(values, 0u);
  EXPECT_EQ(arena, 0u);

  const auto refusal = [&](const kexpr_graph_options &bad) {
    return refusalOfGraph(KEXPR_INVALID_ARGUMENT, model, registry, bad);
  };
  options.extra_output_count = 2;
  EXPECT_EQ(refusal(options), "the name of extra output 1 is null");
  extra[1] = "b";
  EXPECT_EQ(refusal(options), "extra output 'b' is no operand of the network");
  options.extra_outputs = nullptr;
  EXPECT_EQ(refusal(options), "kexpr_graph_options.extra_outputs is null");
  options.precision = 3;
  EXPECT_EQ(refusal(options), "precision is 3; it must be 0 to 2");
  options.mode = 4;
  EXPECT_EQ(refusal(options), "mode is 4; it must be 0 to 3");
  options.size = 0;
  EXPECT_NE(refusal(options), "");
}

TEST_F(CApiGraph, BadTensors) {
  const CGraph graph = make(model, registry);
  const auto refusal =
      [&](kexpr_code code, kexpr_named_tensor second,
          const std::vector<kexpr_named_tensor> &outputs = {}) {
        return refusalOfRun(code, graph, {{"in", x}, second}, outputs);
      };
  constexpr kexpr_code invalid = KEXPR_INVALID_ARGUMENT;
  EXPECT_EQ(refusal(invalid, {nullptr, x}), "the name of input 1 is null");
  EXPECT_EQ(refusal(invalid, {"skop", x}),
            "input 'skop' is not one of the graph's: 'in', 'skip'");
  EXPECT_EQ(refusal(invalid, {"in", x}), "input 'in' is given twice");
  EXPECT_NE(refusal(invalid, {"skip", {}}), "");
  EXPECT_EQ(refusal(invalid, {"skip", {data, 99, 1, shape, nullptr}}),
            "input 1 has type 99, which is no element type");
  EXPECT_EQ(refusal(invalid, {"skip", {data, KEXPR_F32, 1, nullptr, nullptr}}),
            "input 1 has 1 axes and a null shape");
  EXPECT_EQ(refusal(invalid, {"skip", x}, {{nullptr, out}}),
            "the name of output 0 is null");
  EXPECT_NE(refusal(invalid, {"skip", x}, {{"in", out}}), "");
  EXPECT_NE(refusal(KEXPR_OVERLAPPING_OUTPUT, {"skip", x}, {{"out", x}}), "");
  EXPECT_NE(refusalOfRun(KEXPR_MISSING_OPERAND, graph, {{"in", x}}), "");
  EXPECT_EQ(results[0], -7);
  EXPECT_EQ(data[0], 1);
}

TEST_F(CApiGraph, BadCounts) {
  const CGraph graph = make(model, registry);
  const kexpr_named_tensor input = {"in", x};
  const auto run = [&](const kexpr_named_tensor *given, std::size_t count) {
    return [=, &graph](kexpr_error **error) {
      return kexpr_graph_run(graph.get(), given, count, {}, 0, {}, error);
    };
  };
  const auto most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT, run(nullptr, 2)),
            "2 inputs at a null pointer");
  EXPECT_NE(refusalOf(KEXPR_OUT_OF_MEMORY, run(&input, most)), "");
  EXPECT_NE(refusalOf(KEXPR_OUT_OF_MEMORY, run(&input, most / 32)), "");
  kexpr_run_options options = {};
  EXPECT_NE(kexpr_graph_run(graph.get(), &input, 1, {}, 0, &options, nullptr),
            KEXPR_OK);
}

TEST_F(CApiGraph, BadNamesOfOutputs) {
  const CGraph graph = make(model, registry);
  kexpr_tensor view = x;
  const auto value = [&](kexpr_graph *of, const char *name, kexpr_tensor *to) {
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_graph_value(of, name, to, error);
    });
  };
  EXPECT_EQ(value(graph.get(), "out", &view),
            "output 'out' has no value before a run");
  EXPECT_EQ(view.data, nullptr);
  EXPECT_EQ(value(graph.get(), "y", &view), "the graph has no output 'y'");
  EXPECT_EQ(value(graph.get(), nullptr, &view), "the name is null");
  EXPECT_EQ(value(nullptr, "out", &view), "the graph is null");
  EXPECT_EQ(value(graph.get(), "out", nullptr),
            "the place for the tensor is null");
}

TEST_F(CApiGraph, NullsAreNoGraphs) {
  const auto create = [&](const CEngine &with, const CModel &of,
                          const CRegistry &from) {
    CGraph graph;
    return refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
      return kexpr_graph_create(with.get(), of.get(), from.get(), nullptr,
                                Out(graph), error);
    });
  };
  EXPECT_EQ(create({}, model, registry), "the engine is null");
  EXPECT_EQ(create(engine, {}, registry), "the model is null");
  EXPECT_EQ(create(engine, model, {}), "the registry is null");
  EXPECT_EQ(kexpr_graph_create(engine.get(), model.get(), registry.get(),
                               nullptr, nullptr, nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(refusalOfRun(KEXPR_INVALID_ARGUMENT, {}, {}), "the graph is null");
  CSteps steps;
  const CGraph graph = make(model, registry);
  EXPECT_NE(kexpr_graph_profile(nullptr, {}, 0, {}, 0, {}, Out(steps), {}), 0);
  EXPECT_NE(kexpr_graph_profile(graph.get(), {}, 0, {}, 0, {}, {}, {}), 0);
  EXPECT_NE(kexpr_graph_steps(nullptr, Out(steps), nullptr), 0);
  EXPECT_NE(kexpr_graph_steps(graph.get(), nullptr, nullptr), 0);
  EXPECT_EQ(kexpr_graph_input_count(nullptr), 0u);
  EXPECT_EQ(kexpr_graph_output_count(nullptr), 0u);
  EXPECT_EQ(kexpr_graph_input(nullptr, 0), nullptr);
  EXPECT_EQ(kexpr_graph_output(nullptr, 0), nullptr);
  EXPECT_EQ(kexpr_steps_count(nullptr), 0u);
  EXPECT_EQ(kexpr_steps_at(nullptr, 0), nullptr);
  std::size_t values = 1;
  kexpr_graph_memory(nullptr, &values, nullptr);
  EXPECT_EQ(values, 0u);
  kexpr_graph_free(nullptr);
  kexpr_steps_free(nullptr);
}

TEST_F(CApiGraph, CodeIsMadeAheadOfTime) {
  const TemporaryDirectory folder;
  const CModel sized =
      modelOf({"pnnx.Input in 0 1 x #x=(3)f32", "F.relu r 1 1 x y #y=(3)f32",
               "pnnx.Output out 1 0 y #y=(3)f32"});
  kexpr_graph_options prepared = interpreted();
  prepared.mode = KEXPR_MODE_OPTIMIZED;
  prepared.prepare = true;
  const std::string path = folder.path();
  kexpr_engine_options options = {};
  options.size = sizeof options;
  options.ahead_directory = path.c_str();
  // What makes the code, then what runs it.
  for (const bool makes : {true, false}) {
    engine = makeEngine(&options);
    const CGraph graph = make(sized, registry, prepared);
    ASSERT_EQ(refusalOfRun(KEXPR_OK, graph, {{"in", x}}), "");
    kexpr_stats stats = {};
    stats.size = sizeof stats;
    ASSERT_EQ(kexpr_engine_get_stats(engine.get(), &stats, nullptr), KEXPR_OK);
    EXPECT_EQ(stats.compiled > 0, makes);
    options.ahead_directory = nullptr;
    options.cache_directory = path.c_str();
  }
}
