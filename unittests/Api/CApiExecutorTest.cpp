//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CNetworks.h"

#include <atomic>
#include <vector>

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// Calls on executors that count what they are asked for.
class CApiExecutor : public CNetworks {
protected:
  static constexpr std::int64_t Count = 60000;

  void SetUp() override {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i % 1000);
    options.size = sizeof options;
    options.tile_elements = 64;
  }

  static void doAll(void *context, std::int64_t count, kexpr_tasks tasks,
                    void *call) {
    ++*static_cast<std::atomic<int> *>(context);
    for (std::int64_t i = count; i-- > 0;)
      tasks(i, i + 1, call);
  }
  static void doNothing(void *context, std::int64_t, kexpr_tasks, void *) {
    ++*static_cast<std::atomic<int> *>(context);
  }

  /// Whether `run` has had an executor called and the result is `2 * a + 1`.
  template <class F> void expectRight(F run) {
    std::fill(out.begin(), out.end(), -1.0f);
    const int before = calls;
    EXPECT_EQ(refusalOf(KEXPR_OK, run), "");
    EXPECT_GT(calls, before);
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], 2 * a[i] + 1) << i;
  }
  template <class F> void expectLeftUndone(F run) {
    EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT, run),
              "the executor returned before its tasks were done");
  }

  /// Has `check` look at every way to run the kernel.
  template <class F> void forEachCall(const CKernel &kernel, F check) {
    check([&](kexpr_error **error) {
      return kexpr_kernel_run(kernel.get(), &input, 1, &output, 1, &options,
                              error);
    });
    check([&](kexpr_error **error) {
      return kexpr_kernel_run_batch(kernel.get(), &input, 1, &output, 1,
                                    &options, error);
    });
    CBound bound;
    kexpr_kernel_bind(kernel.get(), &input, 1, &output, 1, &options, Out(bound),
                      nullptr);
    check([&](kexpr_error **error) {
      return kexpr_bound_run(bound.get(), error);
    });
    CPrepared prepared;
    kexpr_kernel_prepare(kernel.get(), &input, 1, &output, 1, &options,
                         Out(prepared), nullptr);
    const void *const from[] = {a.data()};
    void *const to[] = {out.data()};
    check([&](kexpr_error **error) {
      return kexpr_prepared_run(prepared.get(), from, 1, to, 1, error);
    });
  }

  std::atomic<int> calls = 0;
  std::vector<float> a = std::vector<float>(Count),
                     out = std::vector<float>(Count);
  const std::int64_t row[1] = {Count};
  const kexpr_tensor input = tensorOf(a.data(), row),
                     output = tensorOf(out.data(), row);
  kexpr_run_options options = {};
};
} // namespace

TEST_F(CApiExecutor, OfACallDoesIt) {
  const CKernel kernel = compile(makeEngine(), "add(mul(@0,2),1)");
  options.executor = {doAll, &calls, 4};
  forEachCall(kernel, [&](auto run) { expectRight(run); });
  options.executor = {doNothing, &calls, 4};
  forEachCall(kernel, [&](auto run) { expectLeftUndone(run); });
}

TEST_F(CApiExecutor, OfAnEngineDoesItsKernelsCalls) {
  kexpr_engine_options given = {};
  given.size = sizeof given;
  given.executor = {doAll, &calls, 0};
  given.executor.threads = 4;
  const CKernel kernel = compile(makeEngine(&given), "add(mul(@0,2),1)");
  forEachCall(kernel, [&](auto run) { expectRight(run); });
  std::atomic<int> others = 0;
  options.executor = {doNothing, &others, 4};
  const int before = calls;
  forEachCall(kernel, [&](auto run) { expectLeftUndone(run); });
  EXPECT_EQ(calls, before);
  EXPECT_EQ(others, 4);
}

TEST_F(CApiExecutor, ServesLayersAndGraphs) {
  options.executor = {doAll, &calls, 4};
  const CEngine engine = makeEngine();
  CLayer layer;
  ASSERT_EQ(
      kexpr_layer_create(engine.get(), "add(mul(@0,2),1)", Out(layer), nullptr),
      KEXPR_OK);
  expectRight([&](kexpr_error **error) {
    return kexpr_layer_forward(layer.get(), &input, 1, &output, 1, &options,
                               error);
  });
  const CModel model = modelOf({"pnnx.Input in 0 1 x",
                                "pnnx.Expression e 1 1 x y "
                                "expr=add(mul(@0,2),1)",
                                "pnnx.Output out 1 0 y"});
  const CRegistry registry = registryOf(true);
  const CGraph graph = make(model, registry);
  const kexpr_named_tensor in = {"in", input}, to = {"out", output};
  expectRight([&](kexpr_error **error) {
    return kexpr_graph_run(graph.get(), &in, 1, &to, 1, &options, error);
  });
  options.executor.run = doNothing;
  EXPECT_NE(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_graph_run(graph.get(), &in, 1, &to, 1,
                                               &options, error);
                      }),
            "");
}

TEST_F(CApiExecutor, WithoutAFunctionIsNone) {
  const CKernel kernel = compile(makeEngine(), "add(mul(@0,2),1)");
  options.executor = {nullptr, &calls, 4};
  forEachCall(kernel,
              [&](auto run) { EXPECT_EQ(refusalOf(KEXPR_OK, run), ""); });
  EXPECT_EQ(calls, 0);
}
