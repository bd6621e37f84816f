//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory runs out at every allocation of making and running a network.
//
//===----------------------------------------------------------------------===//
#include "Api/Allocations.h"
#include "Pnnx/GraphSupport.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {
class GraphAllocation : public GraphTest {
protected:
  /// Calls with no allocation left, with one... until there are enough; before
  /// that each must say that memory ran out. Most calls are alike, so the more
  /// there were the more are left out.
  template <class F> static void expectOutOfMemoryBeforeSuccess(F call) {
    for (std::size_t left = 0;; left += 1 + left / 64) {
      ASSERT_LT(left, 1000000u);
      allocationsLeft = left;
      const auto result = call();
      allocationsLeft = -1;
      if (result)
        return;
      ASSERT_EQ(result.error().code(), ErrorCode::OutOfMemory)
          << left << ": " << result.error().message();
    }
  }
  const std::vector<ZipEntry> constants = {
      constantOf("bn.running_mean", {0.5f, 1}),
      constantOf("bn.running_var", {1, 2}), constantOf("w.data", {0.5f, 2})};
  /// A bit of all that a graph knows.
  const std::vector<std::string> lines = {
      "pnnx.Input in 0 1 x",
      "pnnx.Attribute w 0 1 w @data=(2)f32",
      "nn.BatchNorm1d bn 1 1 x a eps=1e-3 @running_mean=(2)f32 "
      "@running_var=(2)f32",
      "F.prelu p 2 1 a w b",
      "test.Rotate r 1 1 b c",
      "pnnx.Expression k 0 1 k expr=2.0",
      "torch.clamp m 2 1 c k d max=None $input=c $min=k",
      "pnnx.Expression e 2 1 d x l expr=[add(@0,@1),neg(@0)]",
      "pnnx.Expression s 1 1 x n expr=[size(@0,0),7]",
      "prim::TupleConstruct t 2 1 d n tuple",
      "pnnx.Output out 1 0 l",
      "pnnx.Output both 1 0 tuple"};
};
} // namespace

TEST_F(GraphAllocation, MemoryMayRunOutWhereverANetworkIsMade) {
  const std::string param = paramOf(lines);
  const std::string bin = ZipWriter(true).write(constants);
  const LayerRegistry registry = makeRegistry(&counts);
  std::optional<PnnxModel> model;
  expectOutOfMemoryBeforeSuccess([&] {
    auto read = parseModel(param, bin);
    if (read)
      model.emplace(std::move(*read));
    return read;
  });
  expectOutOfMemoryBeforeSuccess([&] {
    return PnnxGraph::create(engine, *model, registry,
                             {.mode = Mode::Interpret});
  });
}

TEST_F(GraphAllocation, MemoryMayRunOutWhereverANetworkRuns) {
  const PnnxModel model = modelOf(lines, constants);
  auto whole = make(model), graph = make(model);
  Floats x = someFloats({3, 2, 5});
  ASSERT_TRUE(whole.run({{"in", x.view()}}));
  Status last;
  expectOutOfMemoryBeforeSuccess([&] {
    last = graph.run({{"in", x.view()}}, {}, {.maxThreads = 1});
    EXPECT_EQ(bool(graph.output("out.0")), bool(last));
    return last;
  });
  for (const char *name : {"out.0", "out.1", "both.0"})
    EXPECT_EQ(elementsOf(graph, name), elementsOf(whole, name)) << name;
  expectOutOfMemoryBeforeSuccess([&] {
    return graph.profile({{"in", x.view()}}, {}, {.maxThreads = 1});
  });
  allocationsLeft = 0;
  const bool isEmpty = graph.steps().empty() && LayerRegistry().types().empty();
  allocationsLeft = -1;
  EXPECT_TRUE(isEmpty);
  EXPECT_FALSE(graph.steps().empty());
}

TEST_F(GraphAllocation, MemoryMayRunOutWhereverTypesAreRegistered) {
  LayerRegistry registry;
  expectOutOfMemoryBeforeSuccess([&] {
    const Status status = registry.addElementwise();
    EXPECT_EQ(registry.contains("F.relu"), bool(status)) << "all or none";
    return status;
  });
}
