//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors, counts and options of C that are wrong in every way there is.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "TestUtil/Process.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class CApiBadCalls : public testing::Test {
protected:
  CEngine engine = makeEngine();
  CKernel kernel = compile(engine, "add(@0,@1)");
  float a[4] = {1, 2, 3, 4};
  float out[4] = {-7, -7, -7, -7};
  std::int64_t shape[1] = {4};
  kexpr_tensor x = tensorOf(a, shape);
  kexpr_tensor y = tensorOf(out, shape);

  /// The message of a call that must be refused for its arguments.
  std::string runRefusal(const kexpr_tensor &second, const kexpr_tensor &result,
                         const kexpr_run_options *options = nullptr) {
    const kexpr_tensor inputs[] = {x, second};
    const std::string message =
        refusalOf(KEXPR_INVALID_ARGUMENT, [&](kexpr_error **error) {
          return kexpr_kernel_run(kernel.get(), inputs, 2, &result, 1, options,
                                  error);
        });
    for (float value : out)
      EXPECT_EQ(value, -7);
    return message;
  }

  std::string compileRefusal(kexpr_code code,
                             const kexpr_compile_options &options) {
    CKernel none;
    return refusalOf(code, [&](kexpr_error **error) {
      return kexpr_engine_compile(engine.get(), "add(@0,@1)", &options,
                                  Out(none), error);
    });
  }
};
} // namespace

TEST_F(CApiBadCalls, Tensors) {
  for (kexpr_dtype type : {0, -1, 10, 255, 256 + KEXPR_F32}) {
    kexpr_tensor bad = x;
    bad.type = type;
    const std::string fault =
        " has type " + std::to_string(type) + ", which is no element type";
    EXPECT_EQ(runRefusal(bad, y), "input 1" + fault);
    EXPECT_EQ(runRefusal(x, bad), "output 0" + fault);
  }
  EXPECT_EQ(runRefusal({a, KEXPR_F32, 1, nullptr, nullptr}, y),
            "input 1 has 1 axes and a null shape");
  EXPECT_EQ(runRefusal({a, KEXPR_F32, 4000000000u, shape, nullptr}, y),
            "input 1 has 4000000000 axes; the most are 16");
  EXPECT_EQ(runRefusal({nullptr, KEXPR_F32, 1, shape, nullptr}, y),
            "operand @1 of shape [4] has a null pointer");
  const std::int64_t negative[] = {-4};
  EXPECT_NE(runRefusal(x, {out, KEXPR_F32, 1, negative, nullptr}), "");
  EXPECT_NE(runRefusal(x, {out, KEXPR_F32, 1, shape, negative}), "");
}

TEST_F(CApiBadCalls, Counts) {
  const auto most = std::numeric_limits<std::size_t>::max();
  auto run = [&](const kexpr_tensor *inputs, std::size_t count) {
    return [=, this](kexpr_error **error) {
      return kexpr_kernel_run(kernel.get(), inputs, count, &y, 1, {}, error);
    };
  };
  EXPECT_EQ(refusalOf(KEXPR_INVALID_ARGUMENT, run(nullptr, 2)),
            "2 inputs at a null pointer");
  EXPECT_EQ(refusalOf(KEXPR_MISSING_OPERAND, run(nullptr, 0)),
            "the expression uses operand @1, but only 0 were given");
  EXPECT_NE(refusalOf(KEXPR_OUT_OF_MEMORY, run(&x, most)), "");
  // A sanitizer ends a process that asks for so much.
  if (!kexpr::test::IsSanitized) {
    EXPECT_NE(refusalOf(KEXPR_OUT_OF_MEMORY, run(&x, most / 1024)), "");
  }
  EXPECT_EQ(out[0], -7);
}

TEST_F(CApiBadCalls, SizesOfOptions) {
  const std::string must = "; it must be sizeof(kexpr_run_options)";
  kexpr_run_options options = {};
  EXPECT_EQ(runRefusal(x, y, &options), "kexpr_run_options.size is 0" + must);
  options.size = std::size_t{1} << 40;
  EXPECT_EQ(runRefusal(x, y, &options),
            "kexpr_run_options.size is 1099511627776" + must);
}

TEST_F(CApiBadCalls, OptionsOfOtherVersions) {
  struct {
    kexpr_run_options known;
    std::int64_t added;
  } newer = {};
  newer.known.size = sizeof newer;
  newer.added = 1;
  EXPECT_EQ(runRefusal(x, y, &newer.known),
            "kexpr_run_options sets what version " KEXPR_VERSION
            " does not know, at byte " +
                std::to_string(sizeof newer.known));
  newer.added = 0;
  const kexpr_tensor inputs[] = {x, x};
  EXPECT_EQ(kexpr_kernel_run(kernel.get(), inputs, 2, &y, 1, &newer.known, {}),
            KEXPR_OK);
  // What an older one does not have is not read.
  newer.known.size = offsetof(kexpr_run_options, stores);
  newer.known.stores = 99;
  EXPECT_EQ(kexpr_kernel_run(kernel.get(), inputs, 2, &y, 1, &newer.known, {}),
            KEXPR_OK);
}

TEST_F(CApiBadCalls, RecordsOfOtherVersions) {
  kexpr_stats stats;
  std::memset(&stats, 0xff, sizeof stats);
  stats.size = offsetof(kexpr_stats, compiled);
  ASSERT_EQ(kexpr_engine_get_stats(engine.get(), &stats, nullptr), KEXPR_OK);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.size, offsetof(kexpr_stats, compiled));
  EXPECT_EQ(stats.compiled, std::numeric_limits<std::uint64_t>::max());
  struct {
    kexpr_stats known;
    std::uint64_t added;
  } newer;
  std::memset(&newer, 0xff, sizeof newer);
  newer.known.size = sizeof newer;
  ASSERT_EQ(kexpr_engine_get_stats(engine.get(), &newer.known, nullptr),
            KEXPR_OK);
  EXPECT_EQ(newer.known.misses, 1u);
  EXPECT_EQ(newer.added, 0u);
  stats.size = 3;
  EXPECT_EQ(kexpr_engine_get_stats(engine.get(), &stats, nullptr),
            KEXPR_INVALID_ARGUMENT);
}

TEST_F(CApiBadCalls, Options) {
  kexpr_run_options run = {};
  run.size = sizeof run;
  run.stores = 3;
  EXPECT_EQ(runRefusal(x, y, &run), "stores is 3; it must be 0 to 2");
  kexpr_compile_options good = {};
  good.size = sizeof good;
  kexpr_compile_options options = good;
  options.mode = 4;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "mode is 4; it must be 0 to 3");
  options = good;
  options.precision = -1;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "precision is -1; it must be 0 to 2");
  options = good;
  options.operand_type_count = 1;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "kexpr_compile_options.operand_types is null");
  const kexpr_dtype types[] = {KEXPR_F32, 99};
  options.operand_types = types;
  options.operand_type_count = 2;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "the type of operand @1 is 99, which is no element type");
  options.operand_type_count = std::numeric_limits<std::size_t>::max();
  EXPECT_NE(compileRefusal(KEXPR_OUT_OF_MEMORY, options), "");
  options = good;
  options.zero_dim_operand_count = 1;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "kexpr_compile_options.zero_dim_operands is null");
  kexpr_parse_limits limits = {};
  options = good;
  options.limits = &limits;
  EXPECT_EQ(compileRefusal(KEXPR_INVALID_ARGUMENT, options),
            "kexpr_parse_limits.size is 0; it must be "
            "sizeof(kexpr_parse_limits)");
}
