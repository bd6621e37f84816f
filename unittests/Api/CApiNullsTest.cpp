//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of C, given null wherever it takes a pointer. Those of
// networks are beside their other tests.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiNulls : public testing::Test {
protected:
  CEngine owned = makeEngine();
  CKernel ownedKernel = compile(owned, "neg(@0)");
  const kexpr_engine *engine = owned.get();
  const kexpr_kernel *kernel = ownedKernel.get();
  float data[2] = {1, 2};
  std::int64_t shape[1] = {2};
  kexpr_tensor x = tensorOf(data, shape);

  /// Expects `call` to say that `what` is null, be there a place for its error
  /// or not.
  template <class Call, class... Args>
  void expectNull(const char *what, Call call, Args... args) {
    EXPECT_EQ(
        refusalOf(KEXPR_INVALID_ARGUMENT,
                  [&](kexpr_error **error) { return call(args..., error); }),
        std::string(what) + " is null");
    EXPECT_EQ(call(args..., nullptr), KEXPR_INVALID_ARGUMENT);
  }
};
} // namespace

static const char *const place = "the place for the result";

TEST_F(CApiNulls, AreNoInfixTexts) {
  kexpr_infix *program = nullptr;
  kexpr_expression *expression = nullptr;
  expectNull("the text", kexpr_infix_parse, nullptr, nullptr, nullptr, 0,
             &program);
  expectNull(place, kexpr_infix_parse, "a", nullptr, nullptr, 0, nullptr);
  expectNull("the list of names", kexpr_infix_parse, "a", nullptr, nullptr, 1,
             &program);
  expectNull("the program", kexpr_infix_lower, nullptr, nullptr, 0, 0,
             &expression);
  expectNull("the program", kexpr_infix_place, nullptr, nullptr, nullptr, 0, 0);
  EXPECT_STREQ(kexpr_infix_text(nullptr), "");
  EXPECT_EQ(kexpr_infix_operand_count(nullptr), 0u);
  EXPECT_STREQ(kexpr_infix_operand_name(nullptr, 0), "");
  EXPECT_EQ(kexpr_infix_output_count(nullptr), 0u);
  EXPECT_FALSE(kexpr_infix_is_list(nullptr));
  kexpr_infix_free(nullptr);
  ASSERT_EQ(kexpr_infix_parse("a", nullptr, nullptr, 0, &program, nullptr),
            KEXPR_OK);
  const CInfix owner(program);
  expectNull("the list of operands", kexpr_infix_lower, program, nullptr, 1, 0,
             &expression);
  expectNull(place, kexpr_infix_lower, program, nullptr, 0, 0, nullptr);
  expectNull("the error", kexpr_infix_place, program, nullptr, nullptr, 0, 0);
}

TEST_F(CApiNulls, AreNoEngines) {
  kexpr_kernel *made = nullptr;
  kexpr_layer *layer = nullptr;
  kexpr_stats stats = {};
  expectNull(place, kexpr_engine_create, nullptr, nullptr);
  expectNull("the engine", kexpr_engine_compile, nullptr, "@0", nullptr, &made);
  expectNull("the text", kexpr_engine_compile, engine, nullptr, nullptr, &made);
  expectNull(place, kexpr_engine_compile, engine, "@0", nullptr, nullptr);
  const auto compileExpression = kexpr_engine_compile_expression;
  expectNull("the engine", compileExpression, nullptr, nullptr, nullptr, &made);
  expectNull("the expression", compileExpression, engine, nullptr, nullptr,
             &made);
  expectNull("the engine", kexpr_engine_cache_status, nullptr);
  expectNull("the engine", kexpr_engine_listener_status, nullptr);
  expectNull("the engine", kexpr_engine_get_stats, nullptr, &stats);
  expectNull("kexpr_stats", kexpr_engine_get_stats, engine, nullptr);
  expectNull("the engine", kexpr_layer_create, nullptr, "@0", &layer);
  expectNull("the expression", kexpr_layer_create, engine, nullptr, &layer);
  expectNull(place, kexpr_layer_create, engine, "@0", nullptr);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(layer, nullptr);
}

TEST_F(CApiNulls, AreNoExpressions) {
  kexpr_expression *expression = nullptr;
  kexpr_scalar *scalar = nullptr;
  kexpr_dtype type = 0;
  expectNull("the text", kexpr_expression_parse, nullptr, nullptr, &expression);
  expectNull(place, kexpr_expression_parse, "@0", nullptr, nullptr);
  expectNull("the expression", kexpr_expression_evaluate, nullptr, &x, 1,
             &scalar);
  expectNull(place, kexpr_expression_evaluate, nullptr, &x, 1, nullptr);
  expectNull("the name", kexpr_dtype_parse, nullptr, &type);
  expectNull("the place for the type", kexpr_dtype_parse, "f32", nullptr);
}

TEST_F(CApiNulls, AreNoKernels) {
  kexpr_bound *bound = nullptr;
  kexpr_compile_times times = {};
  std::uint32_t rank = 0;
  expectNull("the kernel", kexpr_kernel_run, nullptr, &x, 1, &x, 1, nullptr);
  expectNull("the kernel", kexpr_kernel_run_batch, nullptr, &x, 1, &x, 1,
             nullptr);
  expectNull("the layer", kexpr_layer_forward, nullptr, &x, 1, &x, 1, nullptr);
  expectNull("the kernel", kexpr_kernel_bind, nullptr, &x, 1, &x, 1, nullptr,
             &bound);
  expectNull(place, kexpr_kernel_bind, kernel, &x, 1, &x, 1, nullptr, nullptr);
  expectNull("the bound kernel", kexpr_bound_run, nullptr);
  const auto outputShape = kexpr_kernel_output_shape;
  expectNull("the kernel", outputShape, nullptr, &x, 1, 0, shape, &rank);
  expectNull("the place for the shape", outputShape, kernel, &x, 1, 0, nullptr,
             &rank);
  expectNull("the place for the rank", outputShape, kernel, &x, 1, 0, shape,
             nullptr);
  expectNull("the kernel", kexpr_kernel_get_compile_times, nullptr, &times);
  expectNull("kexpr_compile_times", kexpr_kernel_get_compile_times, kernel,
             nullptr);
  EXPECT_EQ(data[0], 1);
}

TEST_F(CApiNulls, AreNoStatesOfSums) {
  kexpr_compile_options options = {};
  options.size = sizeof options;
  options.precision = KEXPR_PRECISION_ACCURATE;
  const CKernel sums = compile(owned, "sum(@0)", &options);
  CSumState made;
  ASSERT_EQ(
      kexpr_kernel_sum_state(sums.get(), &x, 1, nullptr, Out(made), nullptr),
      KEXPR_OK);
  kexpr_sum_state *state = nullptr;
  kexpr_text *text = nullptr;
  std::uint32_t rank = 0;
  expectNull("the kernel", kexpr_kernel_sum_state, nullptr, &x, 1, nullptr,
             &state);
  expectNull(place, kexpr_kernel_sum_state, sums.get(), &x, 1, nullptr,
             nullptr);
  expectNull("the state's bytes", kexpr_sum_state_parse, nullptr, 3, &state);
  expectNull(place, kexpr_sum_state_parse, "", 0, nullptr);
  expectNull("the state", kexpr_sum_state_bytes, nullptr, &text);
  expectNull(place, kexpr_sum_state_bytes, made.get(), nullptr);
  expectNull("the state", kexpr_sum_state_merge, nullptr, made.get());
  expectNull("the other state", kexpr_sum_state_merge, made.get(), nullptr);
  expectNull("the state", kexpr_sum_state_finish, nullptr, &x, 1);
  const auto outputShape = kexpr_sum_state_output_shape;
  expectNull("the state", outputShape, nullptr, 0, shape, &rank);
  expectNull("the place for the shape", outputShape, made.get(), 0, nullptr,
             &rank);
  expectNull("the place for the rank", outputShape, made.get(), 0, shape,
             nullptr);
}

TEST_F(CApiNulls, HaveNoProperties) {
  EXPECT_EQ(kexpr_error_code(nullptr), KEXPR_OK);
  EXPECT_STREQ(kexpr_error_message(nullptr), "");
  EXPECT_STREQ(kexpr_error_render(nullptr), "");
  EXPECT_STREQ(kexpr_error_source(nullptr), "");
  EXPECT_FALSE(kexpr_error_range(nullptr, nullptr, nullptr));
  EXPECT_STREQ(kexpr_engine_target_cpu(nullptr), "");
  EXPECT_EQ(kexpr_engine_vector_bits(nullptr), 0u);
  kexpr_engine_settle(nullptr);
  EXPECT_STREQ(kexpr_expression_text(nullptr), "");
  EXPECT_STREQ(kexpr_expression_canonical(nullptr), "");
  EXPECT_EQ(kexpr_expression_operand_count(nullptr), 0u);
  EXPECT_EQ(kexpr_expression_used_operands(nullptr, nullptr), nullptr);
  EXPECT_FALSE(kexpr_expression_is_scalar(nullptr));
  EXPECT_EQ(kexpr_kernel_expression(nullptr), nullptr);
  EXPECT_EQ(kexpr_kernel_output_count(nullptr), 0u);
  EXPECT_EQ(kexpr_kernel_output_type(nullptr, 0), 0);
  EXPECT_EQ(kexpr_kernel_tier(nullptr), 0);
  EXPECT_EQ(kexpr_kernel_precision(nullptr), 0);
  EXPECT_EQ(kexpr_kernel_code_address(nullptr), nullptr);
  EXPECT_EQ(kexpr_kernel_vector_bits(nullptr), 0u);
  EXPECT_EQ(kexpr_kernel_code_size(nullptr), 0u);
  EXPECT_EQ(kexpr_kernel_operations_per_element(nullptr), 0u);
  EXPECT_EQ(kexpr_layer_kernel(nullptr), nullptr);
  EXPECT_EQ(kexpr_sum_state_output_count(nullptr), 0u);
  EXPECT_EQ(kexpr_sum_state_output_type(nullptr, 0), 0);
  EXPECT_EQ(kexpr_scalar_kind(nullptr), KEXPR_SCALAR_NONE);
  EXPECT_EQ(kexpr_scalar_int(nullptr), 0);
  EXPECT_EQ(kexpr_scalar_float(nullptr), 0);
  EXPECT_EQ(kexpr_scalar_imaginary(nullptr), 0);
  EXPECT_EQ(kexpr_scalar_count(nullptr), 0u);
  EXPECT_EQ(kexpr_scalar_at(nullptr, 0), nullptr);
  EXPECT_EQ(kexpr_scalar_write(nullptr, nullptr, 8), 4u); // "None"
}

TEST_F(CApiNulls, MayBeFreed) {
  kexpr_error_free(nullptr);
  kexpr_engine_free(nullptr);
  kexpr_expression_free(nullptr);
  kexpr_kernel_free(nullptr);
  kexpr_bound_free(nullptr);
  kexpr_layer_free(nullptr);
  kexpr_sum_state_free(nullptr);
  kexpr_scalar_free(nullptr);
}
