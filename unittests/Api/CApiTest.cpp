//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"

#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

using namespace kexpr;
using namespace kexpr::test;

static_assert(KEXPR_INVALID_SYNTAX == int(ErrorCode::InvalidSyntax));
static_assert(KEXPR_IO == int(ErrorCode::Io));
static_assert(KEXPR_F32 == int(DType::F32) && KEXPR_F64 == int(DType::F64));
static_assert(KEXPR_F16 == int(DType::F16) && KEXPR_BF16 == int(DType::BF16));
static_assert(KEXPR_I64 == int(DType::I64) && KEXPR_I32 == int(DType::I32));
static_assert(KEXPR_I16 == int(DType::I16) && KEXPR_I8 == int(DType::I8));
static_assert(KEXPR_U16 == int(DType::U16) && KEXPR_U32 == int(DType::U32));
static_assert(KEXPR_U64 == int(DType::U64));
static_assert(KEXPR_U8 == int(DType::U8) && KEXPR_BOOL == int(DType::Bool));
static_assert(KEXPR_MAX_RANK == MaxRank);
static_assert(KEXPR_MODE_OPTIMIZED == int(Mode::Optimized));
static_assert(KEXPR_MODE_BASELINE == int(Mode::Baseline));
static_assert(KEXPR_MODE_INTERPRET == int(Mode::Interpret));
static_assert(KEXPR_MODE_TIERED == int(Mode::Tiered));
static_assert(KEXPR_PRECISION_ACCURATE == int(Precision::Accurate));
static_assert(KEXPR_PRECISION_FAST == int(Precision::Fast));
static_assert(KEXPR_STORES_CACHED == int(Stores::Cached));
static_assert(KEXPR_STORES_STREAMED == int(Stores::Streamed));
static_assert(KEXPR_TIER_BASELINE == int(Tier::Baseline));
static_assert(KEXPR_TIER_OPTIMIZED == int(Tier::Optimized));
static_assert(KEXPR_SCALAR_COMPLEX == int(Scalar::Kind::Complex));
static_assert(KEXPR_SCALAR_LIST == int(Scalar::Kind::List));

namespace {
class CApi : public testing::Test {
protected:
  CEngine engine = makeEngine();
  float a[6] = {1, 2, 3, 4, 5, 6};
  float b[3] = {10, 20, 30};
  float out[6] = {};
  std::int64_t matrix[2] = {2, 3};
  std::int64_t row[1] = {3};
  std::int64_t one[1] = {1};
  kexpr_tensor inputs[2] = {tensorOf(a, matrix), tensorOf(b, row)};
  kexpr_tensor output = tensorOf(out, matrix);

  std::vector<float> result() const { return {out, out + 6}; }
};
} // namespace

TEST_F(CApi, SaysItsVersion) { EXPECT_STREQ(kexpr_version(), KEXPR_VERSION); }

TEST_F(CApi, KnowsElementTypes) {
  for (int value = -1; value <= 300; ++value) {
    const std::size_t size =
        value < 256 ? sizeOf(static_cast<DType>(value)) : 0;
    EXPECT_EQ(kexpr_dtype_size(value), size) << value;
    if (size == 0) {
      EXPECT_STREQ(kexpr_dtype_name(value), "?");
      continue;
    }
    const std::string name(nameOf(static_cast<DType>(value)));
    EXPECT_EQ(kexpr_dtype_name(value), name);
    kexpr_dtype parsed = 0;
    EXPECT_EQ(kexpr_dtype_parse(name.c_str(), &parsed, nullptr), KEXPR_OK);
    EXPECT_EQ(parsed, value);
  }
  kexpr_dtype parsed = 77;
  EXPECT_NE(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_dtype_parse("f31", &parsed, error);
                      }),
            "");
  EXPECT_EQ(parsed, 0);
}

TEST_F(CApi, ErrorsAreThoseOfCpp) {
  const char *text = "mul(ad(@0,@1),@2)";
  const Engine peer;
  const auto expected = peer.compile(text).error();
  kexpr_kernel *kernel = reinterpret_cast<kexpr_kernel *>(&out);
  CError error;
  EXPECT_EQ(
      kexpr_engine_compile(engine.get(), text, nullptr, &kernel, Out(error)),
      KEXPR_UNKNOWN_OPERATOR);
  EXPECT_EQ(kernel, nullptr);
  EXPECT_EQ(kexpr_error_code(error.get()), KEXPR_UNKNOWN_OPERATOR);
  EXPECT_EQ(kexpr_error_message(error.get()), expected.message());
  EXPECT_EQ(kexpr_error_render(error.get()), expected.render());
  EXPECT_STREQ(kexpr_error_source(error.get()), text);
  std::size_t begin = 0, end = 0;
  EXPECT_TRUE(kexpr_error_range(error.get(), &begin, &end));
  EXPECT_EQ(begin, 4u);
  EXPECT_EQ(end, 6u);
}

TEST_F(CApi, ASuccessSetsTheErrorToNull) {
  auto *error = reinterpret_cast<kexpr_error *>(&out);
  EXPECT_EQ(kexpr_engine_cache_status(engine.get(), &error), KEXPR_OK);
  EXPECT_EQ(error, nullptr);
}

TEST_F(CApi, RunsAKernelWithBroadcasting) {
  const CKernel kernel = compile(engine, "add(mul(@0,2),@1)");
  ASSERT_TRUE(kernel);
  CError error;
  EXPECT_EQ(kexpr_kernel_run(kernel.get(), inputs, 2, &output, 1, nullptr,
                             Out(error)),
            KEXPR_OK)
      << messageOf(error);
  EXPECT_EQ(result(), (std::vector<float>{12, 24, 36, 18, 30, 42}));
}

TEST_F(CApi, ReadsStridesAndEmptyTensors) {
  const CKernel kernel = compile(engine, "sub(@2,@0)");
  const std::int64_t strides[] = {1, 2};
  const kexpr_tensor across = {a, KEXPR_F32, 2, matrix, strides};
  const kexpr_tensor given[] = {across, {}, {b, KEXPR_F32, 0, nullptr, {}}};
  ASSERT_EQ(kexpr_kernel_run(kernel.get(), given, 3, &output, 1, nullptr, {}),
            KEXPR_OK);
  EXPECT_EQ(result(), (std::vector<float>{9, 7, 5, 8, 6, 4}));
}

TEST_F(CApi, TakesManyTensors) {
  const CKernel kernel = compile(engine, "add(@0,@19)");
  std::vector<kexpr_tensor> many(20, inputs[0]);
  ASSERT_EQ(kexpr_kernel_run(kernel.get(), many.data(), many.size(), &output, 1,
                             nullptr, nullptr),
            KEXPR_OK);
  EXPECT_EQ(result(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST_F(CApi, RunsBatchesAndLayers) {
  CLayer layer;
  ASSERT_EQ(kexpr_layer_create(engine.get(), "add(@0,@1)", Out(layer), {}),
            KEXPR_OK);
  const kexpr_tensor given[] = {tensorOf(a, row), tensorOf(a + 3, row),
                                tensorOf(b, row), tensorOf(b, one)};
  const kexpr_tensor taken[] = {tensorOf(out, row), tensorOf(out + 3, row)};
  const std::vector<float> expected = {11, 22, 33, 14, 15, 16};
  ASSERT_EQ(kexpr_layer_forward(layer.get(), given, 4, taken, 2, nullptr, {}),
            KEXPR_OK);
  EXPECT_EQ(result(), expected);
  std::fill(std::begin(out), std::end(out), 0.0f);
  const kexpr_kernel *kernel = kexpr_layer_kernel(layer.get());
  ASSERT_EQ(kexpr_kernel_run_batch(kernel, given, 4, taken, 2, nullptr, {}),
            KEXPR_OK);
  EXPECT_EQ(result(), expected);
}

TEST_F(CApi, BindsACall) {
  CKernel kernel = compile(engine, "neg(@0)");
  CBound bound;
  ASSERT_EQ(kexpr_kernel_bind(kernel.get(), inputs, 1, &output, 1, nullptr,
                              Out(bound), nullptr),
            KEXPR_OK);
  kernel.reset();
  engine.reset();
  a[5] = 7;
  EXPECT_EQ(kexpr_bound_run(bound.get(), nullptr), KEXPR_OK);
  EXPECT_EQ(result(), (std::vector<float>{-1, -2, -3, -4, -5, -7}));
}

TEST_F(CApi, SaysWhatOutputsMustBe) {
  const kexpr_dtype types[] = {KEXPR_F16, KEXPR_I64};
  const std::uint32_t zeroDim[] = {1};
  kexpr_compile_options options = {};
  options.size = sizeof options;
  options.operand_types = types;
  options.operand_type_count = 2;
  options.zero_dim_operands = zeroDim;
  options.zero_dim_operand_count = 1;
  const CKernel kernel = compile(engine, "[add(@0,@1),gt(@0,@1)]", &options);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kexpr_kernel_output_count(kernel.get()), 2u);
  EXPECT_EQ(kexpr_kernel_output_type(kernel.get(), 0), KEXPR_F16);
  EXPECT_EQ(kexpr_kernel_output_type(kernel.get(), 1), KEXPR_BOOL);
  EXPECT_EQ(kexpr_kernel_output_type(kernel.get(), 2), 0);
  const kexpr_tensor given[] = {{a, KEXPR_F16, 2, matrix, nullptr},
                                {b, KEXPR_I64, 0, nullptr, nullptr}};
  std::int64_t shape[KEXPR_MAX_RANK] = {};
  std::uint32_t rank = 9;
  EXPECT_EQ(kexpr_kernel_output_shape(kernel.get(), given, 2, 1, shape, &rank,
                                      nullptr),
            KEXPR_OK);
  EXPECT_EQ(Shape(shape, rank), Shape({2, 3}));
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_kernel_output_shape(
                            kernel.get(), given, 2, 2, shape, &rank, error);
                      }),
            "there is no output 2 of 2");
  EXPECT_EQ(rank, 0u);
}

TEST_F(CApi, KeepsTheResultForAnyRunOptions) {
  const CKernel kernel = compile(engine, "add(mul(@0,2),@1)");
  for (std::int32_t stores = 0; stores <= KEXPR_STORES_STREAMED; ++stores)
    for (std::int64_t awake : {-1, 0, 10}) {
      std::fill(std::begin(out), std::end(out), 0.0f);
      kexpr_run_options options = {};
      options.size = sizeof options;
      options.max_threads = 1;
      options.stores = stores;
      options.tile_elements = 4;
      options.stay_awake_us = awake;
      ASSERT_EQ(kexpr_kernel_run(kernel.get(), inputs, 2, &output, 1, &options,
                                 nullptr),
                KEXPR_OK);
      EXPECT_EQ(result(), (std::vector<float>{12, 24, 36, 18, 30, 42}));
    }
}

TEST_F(CApi, LayersAreCreatedOrSayWhyNot) {
  CLayer layer;
  EXPECT_EQ(refusalOf(KEXPR_WRONG_ARITY,
                      [&](kexpr_error **error) {
                        return kexpr_layer_create(engine.get(), "neg(@0,@1)",
                                                  Out(layer), error);
                      }),
            "operator 'neg' takes 1 argument, not 2");
  EXPECT_FALSE(layer);
}

TEST_F(CApi, OneKernelServesManyThreads) {
  const CKernel kernel = compile(engine, "add(mul(@0,2),@1)");
  auto work = [&] {
    for (int i = 0; i < 50; ++i) {
      float mine[6] = {};
      const kexpr_tensor target = tensorOf(mine, matrix);
      CError error;
      const CKernel same = compile(engine, "add( mul(@0,2), @1)");
      EXPECT_EQ(kexpr_kernel_run(kernel.get(), inputs, 2, &target, 1, nullptr,
                                 Out(error)),
                KEXPR_OK);
      EXPECT_EQ(mine[5], 42);
      EXPECT_NE(kexpr_kernel_run(same.get(), inputs, 1, &target, 1, nullptr,
                                 Out(error)),
                KEXPR_OK);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
}
