//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/Allocations.h"
#include "Api/CObjects.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiAllocation : public testing::Test {
protected:
  CEngine engine = makeEngine();
  float a[300] = {}, b[1] = {2}, out[300] = {};
  std::int64_t row[1] = {300};
  std::int64_t one[1] = {1};
  kexpr_tensor inputs[2] = {tensorOf(a, row), tensorOf(b, one)};
  kexpr_tensor output = tensorOf(out, row);
  kexpr_compile_options interpret = {};
  kexpr_run_options serial = {};

  void SetUp() override {
    // LLVM ends a process that has no memory left.
    interpret.size = sizeof interpret;
    interpret.mode = KEXPR_MODE_INTERPRET;
    serial.size = sizeof serial;
    serial.max_threads = 1;
  }

  /// Makes `call` with no allocation left, with one, and so on until it
  /// succeeds; before that it must say that memory ran out.
  template <class F> void expectOutOfMemoryBeforeSuccess(F call) {
    kexpr_code code = KEXPR_OUT_OF_MEMORY;
    for (std::size_t left = 0; code != KEXPR_OK; ++left) {
      kexpr_error *error = nullptr;
      allocationsLeft = left;
      code = call(&error);
      allocationsLeft = -1;
      ASSERT_LT(left, 1000u);
      ASSERT_EQ(kexpr_error_code(error), code);
      if (code != KEXPR_OK) {
        ASSERT_EQ(code, KEXPR_OUT_OF_MEMORY) << kexpr_error_render(error);
        EXPECT_STRNE(kexpr_error_message(error), "");
      }
      kexpr_error_free(error);
    }
  }
};
} // namespace

/// A layer whose output is its input.
static const kexpr_layer_type copying = {
    .size = sizeof copying,
    .user = nullptr,
    .create = nullptr,
    .destroy = nullptr,
    .output_types = [](void *, const kexpr_tensor_type *inputs, std::size_t,
                       kexpr_tensor_type *outputs, std::size_t) -> kexpr_code {
      outputs[0] = inputs[0];
      return KEXPR_OK;
    },
    .forward = [](void *, const kexpr_tensor *inputs, std::size_t,
                  const kexpr_tensor *outputs, std::size_t,
                  const kexpr_run_options *) -> kexpr_code {
      const auto *from = static_cast<const float *>(inputs[0].data);
      std::copy_n(from, inputs[0].shape[0],
                  static_cast<float *>(outputs[0].data));
      return KEXPR_OK;
    }};

TEST_F(CApiAllocation, AWarmSerialRunMakesNone) {
  const CKernel kernel = compile(engine, "add(mul(@0,@1),@0)");
  auto run = [&] {
    return kexpr_kernel_run(kernel.get(), inputs, 2, &output, 1, &serial,
                            nullptr);
  };
  ASSERT_EQ(run(), KEXPR_OK);
  const std::size_t before = allocations;
  EXPECT_EQ(run(), KEXPR_OK);
  EXPECT_EQ(allocations, before);
}

TEST_F(CApiAllocation, MemoryMayRunOutWhereverAnEngineIsMade) {
  expectOutOfMemoryBeforeSuccess([](kexpr_error **error) {
    CEngine made;
    return kexpr_engine_create(nullptr, Out(made), error);
  });
}

TEST_F(CApiAllocation, AnEngineThatIsMadeIsOne) {
  refusesOne = true;
  bool isRefused = true;
  for (std::size_t left = 0; isRefused; ++left) {
    CEngine made;
    kexpr_error *error = nullptr;
    allocationsLeft = left;
    const kexpr_code code = kexpr_engine_create(nullptr, Out(made), &error);
    isRefused = allocationsLeft > left;
    allocationsLeft = -1;
    ASSERT_LT(left, 1000u);
    EXPECT_EQ(kexpr_error_code(error), code);
    EXPECT_EQ(code, made ? KEXPR_OK : KEXPR_OUT_OF_MEMORY);
    kexpr_error_free(error);
    EXPECT_TRUE(!made || compile(made, "add(@0,@1)", &interpret)) << left;
  }
  refusesOne = false;
}

TEST_F(CApiAllocation, MemoryMayRunOutWhereverATextIsCompiled) {
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    CKernel made;
    return kexpr_engine_compile(engine.get(), "add(mul(@0,@1),sqrt(@0))",
                                &interpret, Out(made), error);
  });
}

TEST_F(CApiAllocation, MemoryMayRunOutWhereverATextIsParsed) {
  expectOutOfMemoryBeforeSuccess([](kexpr_error **error) {
    CExpression made;
    return kexpr_expression_parse("add(mul(@0,@1),@0)", nullptr, Out(made),
                                  error);
  });
}

TEST_F(CApiAllocation, MemoryMayRunOutWhereverAKernelRuns) {
  const CKernel kernel = compile(engine, "add(mul(@0,@1),@0)", &interpret);
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_kernel_run(kernel.get(), inputs, 2, &output, 1, &serial,
                            error);
  });
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    CBound made;
    return kexpr_kernel_bind(kernel.get(), inputs, 2, &output, 1, &serial,
                             Out(made), error);
  });
}

TEST_F(CApiAllocation, MemoryMayRunOutWhereverANetworkIsMadeAndRuns) {
  CModel model;
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_model_parse("7767517\n4 3\n"
                             "pnnx.Input in 0 1 x #x=(300)f32\n"
                             "F.relu relu 1 1 x a\n"
                             "my.Copy copy 1 1 a y\n"
                             "pnnx.Output out 1 0 y\n",
                             nullptr, 0, Out(model), error);
  });
  CRegistry registry;
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_registry_create(true, Out(registry), error);
  });
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_registry_add(registry.get(), "my.Copy", &copying, error);
  });
  kexpr_graph_options options = {};
  options.size = sizeof options;
  options.mode = KEXPR_MODE_INTERPRET;
  CGraph graph;
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_graph_create(engine.get(), model.get(), registry.get(),
                              &options, Out(graph), error);
  });
  const kexpr_named_tensor input = {"in", inputs[0]};
  CSteps steps;
  expectOutOfMemoryBeforeSuccess([&](kexpr_error **error) {
    return kexpr_graph_profile(graph.get(), &input, 1, nullptr, 0, &serial,
                               Out(steps), error);
  });
  EXPECT_EQ(kexpr_steps_count(steps.get()), 2u);
}

TEST_F(CApiAllocation, AnErrorThatCannotBeToldIsOneOfMemory) {
  CKernel kernel;
  kexpr_error *error = nullptr;
  allocationsLeft = 0;
  const kexpr_code code =
      kexpr_engine_compile(nullptr, "@0", nullptr, Out(kernel), &error);
  allocationsLeft = -1;
  EXPECT_EQ(code, KEXPR_OUT_OF_MEMORY);
  EXPECT_STREQ(kexpr_error_render(error), "error: out of memory");
  EXPECT_STREQ(kexpr_error_source(error), "");
  kexpr_error_free(error);
}
