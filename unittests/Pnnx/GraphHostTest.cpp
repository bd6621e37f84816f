//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph and its host's layers do to each other: exceptions, and the
// floating-point environment.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"

#include <cfenv>
#include <cmath>
#include <functional>

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// A layer like its input that calls the host back wherever it can.
class Calling : public Layer {
public:
  using Call = std::function<void(const char *where)>;
  Calling(const PnnxModel &model, const PnnxOperator &op, Call call)
      : Layer(model, op), call(std::move(call)) {
    this->call("creator");
  }
  Expected<std::vector<TensorType>>
  outputTypes(Span<const TensorType> inputs) const override {
    call("outputTypes");
    return std::vector<TensorType>{inputs[0]};
  }
  Status forward(Span<const TensorView>, Span<const TensorView>,
                 const RunOptions &) override {
    call("forward");
    return {};
  }

private:
  Call call;
};

class GraphHost : public GraphTest {
protected:
  Expected<PnnxGraph> makeWith(const PnnxModel &model, Calling::Call call) {
    LayerRegistry registry;
    EXPECT_TRUE(registry.addElementwise());
    EXPECT_TRUE(registry.add(
        "test.Call",
        [call](const PnnxModel &model,
               const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
          return std::unique_ptr<Layer>(new Calling(model, op, call));
        }));
    return PnnxGraph::create(engine, model, registry, {.mode = mode});
  }
  const PnnxModel calling =
      modelOf({"pnnx.Input in 0 1 x", "F.relu r 1 1 x a", "test.Call c 1 1 a b",
               "F.relu s 1 1 b y", "pnnx.Output out 1 0 y"});

  /// What comes of a graph whose layer throws in one place.
  template <class E> Error throwing(std::string_view where, const E &thrown) {
    auto graph = makeWith(calling, [=](const char *here) {
      if (where == here)
        throw thrown;
    });
    if (!graph)
      return graph.error();
    Floats x = someFloats({2, 3});
    const Status status = graph->run({{"in", x.view()}});
    EXPECT_FALSE(graph->output("out"));
    EXPECT_FALSE(graph->profile({{"in", x.view()}}));
    return status ? Error(ErrorCode::Unsupported, "no refusal")
                  : status.error();
  }
};
} // namespace

TEST_F(GraphHost, WhatALayerThrowsIsAnErrorOfItsOperator) {
  for (const char *where : {"creator", "outputTypes", "forward"}) {
    SCOPED_TRACE(where);
    const std::string name = "test.Call 'c' in line 5: ";
    Error error = throwing(where, std::runtime_error("the moon is full"));
    EXPECT_EQ(error.message(), name + "its layer threw: the moon is full");
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    error = throwing(where, 42);
    EXPECT_EQ(error.message(), name + "its layer threw an exception");
    error = throwing(where, std::bad_alloc());
    EXPECT_EQ(error.message(), name + "out of memory");
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
  }
}

TEST_F(GraphHost, AGraphRunsAfterItsLayerThrew) {
  int runs = 0;
  auto graph = makeWith(calling, [&runs](const char *here) {
    if (std::string_view(here) == "forward" && runs++ == 0)
      throw std::runtime_error("once");
  });
  ASSERT_TRUE(graph);
  Floats x = someFloats({2, 3});
  EXPECT_FALSE(graph->run({{"in", x.view()}}));
  EXPECT_TRUE(graph->run({{"in", x.view()}}));
  EXPECT_TRUE(graph->output("out"));
}

TEST_F(GraphHost, LayersSeeTheHostsFloatsAndPlansDoNot) {
  const PnnxModel model =
      modelOf({"pnnx.Input in 0 1 x #x=(2,3)f32", "test.Call c 1 1 x a",
               "nn.BatchNorm1d bn 1 1 x y eps=0.1 @running_mean=(3)f32 "
               "@running_var=(3)f32",
               "pnnx.Expression n 1 1 x k expr=div(size(@0,0),3)",
               "pnnx.Output out 1 0 y", "pnnx.Output layer 1 0 a",
               "pnnx.Output number 1 0 k"},
              {constantOf("bn.running_mean", {0.1f, 0.7f, 1.3f}),
               constantOf("bn.running_var", {0.3f, 2.1f, 5.5f})});
  std::string first;
  for (const int rounding :
       {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    SCOPED_TRACE(rounding);
    int seen = 0;
    Floats x = someFloats({2, 3});
    std::fesetround(rounding);
    auto graph = makeWith(
        model, [&](const char *) { seen += std::fegetround() == rounding; });
    const bool isRun = graph && graph->run({{"in", x.view()}});
    const bool isKept = std::fegetround() == rounding;
    std::fesetround(FE_TONEAREST);
    ASSERT_TRUE(isRun && isKept);
    EXPECT_EQ(seen, 3) << "creator, outputTypes and forward";
    ASSERT_TRUE(graph->run({{"in", x.view()}}));
    std::string bits;
    for (const char *name : {"out", "number"}) {
      const auto view = graph->output(name);
      ASSERT_TRUE(view);
      bits.append(static_cast<const char *>(view->data()),
                  view->shape().elementCount() * sizeOf(view->type()));
    }
    if (first.empty())
      first = bits;
    EXPECT_EQ(bits, first);
  }
}

TEST_F(GraphHost, RegistriesAndCreatorsThrowNothing) {
  LayerRegistry registry;
  ASSERT_TRUE(registry.add("test.Throw",
                           [](const PnnxModel &, const PnnxOperator &)
                               -> Expected<std::unique_ptr<Layer>> {
                             throw std::runtime_error("nobody home");
                           }));
  const PnnxModel model =
      modelOf({"test.Throw t 0 1 x", "pnnx.Output out 1 0 x"});
  const auto layer = registry.create(model, model.operators()[0]);
  ASSERT_FALSE(layer);
  EXPECT_EQ(layer.error().message(), "its layer threw: nobody home");
}
