//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiSums : public testing::Test {
protected:
  CSumState stateOf(const float *from, std::int64_t count) {
    const std::int64_t shape[] = {count};
    const kexpr_tensor input = tensorOf(const_cast<float *>(from), shape);
    CSumState state;
    CError error;
    EXPECT_EQ(kexpr_kernel_sum_state(kernel.get(), &input, 1, nullptr,
                                     Out(state), Out(error)),
              KEXPR_OK)
        << messageOf(error);
    return state;
  }
  static kexpr_compile_options accurate() {
    kexpr_compile_options options = {};
    options.size = sizeof options;
    options.precision = KEXPR_PRECISION_ACCURATE;
    return options;
  }
  const kexpr_compile_options options = accurate();
  CEngine engine = makeEngine();
  CKernel kernel = compile(engine, "[sum(@0),mean(@0)]", &options);
  float x[5] = {1e30F, 1, 3, -1e30F, 6};
  float sum = 0, mean = 0;
  const kexpr_tensor outputs[2] = {{&sum, KEXPR_F32, 0, nullptr, nullptr},
                                   {&mean, KEXPR_F32, 0, nullptr, nullptr}};
};
} // namespace

TEST_F(CApiSums, OfPartsAreThatOfTheWhole) {
  const CSumState first = stateOf(x, 2), rest = stateOf(x + 2, 3);
  CText bytes;
  ASSERT_EQ(kexpr_sum_state_bytes(rest.get(), Out(bytes), nullptr), KEXPR_OK);
  CSumState read;
  ASSERT_EQ(kexpr_sum_state_parse(kexpr_text_data(bytes.get()),
                                  kexpr_text_size(bytes.get()), Out(read),
                                  nullptr),
            KEXPR_OK);
  ASSERT_EQ(kexpr_sum_state_merge(first.get(), read.get(), nullptr), KEXPR_OK);
  ASSERT_EQ(kexpr_sum_state_finish(first.get(), outputs, 2, nullptr), KEXPR_OK);
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(mean, 2);
}

TEST_F(CApiSums, SayWhatTheyAre) {
  const CSumState state = stateOf(x, 5);
  EXPECT_EQ(kexpr_sum_state_output_count(state.get()), 2u);
  EXPECT_EQ(kexpr_sum_state_output_type(state.get(), 1), KEXPR_F32);
  EXPECT_EQ(kexpr_sum_state_output_type(state.get(), 2), 0);
  std::int64_t shape[KEXPR_MAX_RANK];
  std::uint32_t rank = 7;
  EXPECT_EQ(kexpr_sum_state_output_shape(state.get(), 1, shape, &rank, nullptr),
            KEXPR_OK);
  EXPECT_EQ(rank, 0u);
  EXPECT_EQ(kexpr_sum_state_output_shape(state.get(), 2, shape, &rank, nullptr),
            KEXPR_INVALID_ARGUMENT);
}

TEST_F(CApiSums, ThatAreWrongAreErrors) {
  const CSumState state = stateOf(x, 5);
  const CKernel other = compile(engine, "amax(@0)", &options);
  const std::int64_t shape[] = {5};
  const kexpr_tensor input = tensorOf(x, shape);
  CSumState made;
  EXPECT_NE(refusalOf(KEXPR_UNSUPPORTED,
                      [&](kexpr_error **error) {
                        return kexpr_kernel_sum_state(
                            other.get(), &input, 1, nullptr, Out(made), error);
                      }),
            "");
  EXPECT_FALSE(made);
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_sum_state_parse("kexprsu", 7, Out(made),
                                                     error);
                      }),
            "the bytes are no state of sums");
  EXPECT_FALSE(made);
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_sum_state_finish(state.get(), outputs, 1,
                                                      error);
                      }),
            "the state has 2 outputs, but 1 were given");
}
