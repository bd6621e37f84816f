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
class CApiPrepared : public testing::Test {
protected:
  CPrepared prepare(const char *text) {
    const CKernel kernel = compile(makeEngine(), text);
    CPrepared call;
    CError error;
    EXPECT_EQ(kexpr_kernel_prepare(kernel.get(), inputs, 2, &output, 1, nullptr,
                                   Out(call), Out(error)),
              KEXPR_OK)
        << messageOf(error);
    return call;
  }
  std::string refusalOfRun(kexpr_code code, const CPrepared &call,
                           const void *const *from, std::size_t fromCount,
                           void *const *to, std::size_t toCount) {
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_prepared_run(call.get(), from, fromCount, to, toCount,
                                error);
    });
  }
  std::int64_t row[1] = {3};
  /// Tensors without memory.
  kexpr_tensor inputs[2] = {tensorOf(nullptr, row), tensorOf(nullptr, row)},
               output = tensorOf(nullptr, row);
  float a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, out[6] = {};
};
} // namespace

TEST_F(CApiPrepared, RunsWhereverTheMemoryIs) {
  const CPrepared call = prepare("add(@0,mul(@1,2))");
  const void *const there[] = {a, b}, *const swapped[] = {b, a};
  for (float *to : {out, out + 3, a}) {
    void *const place[] = {to};
    ASSERT_EQ(refusalOfRun(KEXPR_OK, call, there, 2, place, 1), "");
    EXPECT_EQ(to[2], 63);
  }
  void *const place[] = {out};
  ASSERT_EQ(refusalOfRun(KEXPR_OK, call, swapped, 2, place, 1), "");
  EXPECT_EQ(out[2], 30 + 2 * 63);
}

TEST_F(CApiPrepared, RefusesWhatNoCallMayHave) {
  const CPrepared call = prepare("add(@0,mul(@1,2))");
  const void *const both[] = {a, b}, *const one[] = {a, nullptr};
  void *const to[] = {out}, *const none[] = {nullptr},
              *const shifted[] = {a + 1};
  const auto refused = [&](const void *const *from, std::size_t fromCount,
                           void *const *place, std::size_t toCount) {
    return refusalOfRun(KEXPR_INVALID_ARGUMENT, call, from, fromCount, place,
                        toCount);
  };
  EXPECT_EQ(refused(both, 1, to, 1), "the call has 2 inputs and 1 outputs, but "
                                     "1 and 1 pointers were given");
  EXPECT_EQ(refused(one, 2, to, 1), "operand @1 has a null pointer");
  EXPECT_EQ(refused(both, 2, none, 1), "output 0 has a null pointer");
  EXPECT_EQ(refused(nullptr, 2, to, 1), "the list of inputs is null");
  EXPECT_EQ(refused(both, 2, nullptr, 1), "the list of outputs is null");
  EXPECT_NE(refusalOfRun(KEXPR_OVERLAPPING_OUTPUT, call, both, 2, shifted, 1),
            "");
  EXPECT_EQ(refusalOfRun(KEXPR_INVALID_ARGUMENT, {}, both, 2, to, 1),
            "the prepared call is null");
  EXPECT_EQ(a[1], 2);
  EXPECT_EQ(out[0], 0);
}

TEST_F(CApiPrepared, ListsOfNothingMayBeNull) {
  const CPrepared call = prepare("add(@0,@1)");
  const void *const both[] = {a, b};
  EXPECT_EQ(refusalOfRun(KEXPR_INVALID_ARGUMENT, call, nullptr, 0, nullptr, 1),
            "the list of outputs is null");
  EXPECT_EQ(refusalOfRun(KEXPR_INVALID_ARGUMENT, call, both, 2, nullptr, 0),
            "the call has 2 inputs and 1 outputs, but 2 and 0 pointers were "
            "given");
}

TEST_F(CApiPrepared, RefusesShapesWhenItIsMade) {
  const CKernel kernel = compile(makeEngine(), "add(@0,@1)");
  std::int64_t four[1] = {4};
  inputs[1].shape = four;
  CPrepared call;
  EXPECT_NE(refusalOf(KEXPR_SHAPE_MISMATCH,
                      [&](kexpr_error **error) {
                        return kexpr_kernel_prepare(kernel.get(), inputs, 2,
                                                    &output, 1, nullptr,
                                                    Out(call), error);
                      }),
            "");
  EXPECT_FALSE(call);
}
