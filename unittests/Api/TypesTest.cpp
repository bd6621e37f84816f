//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace kexpr;

namespace {

template <class T>
TensorView view(std::vector<T> &values, DType type, const Shape &shape) {
  return {static_cast<void *>(values.data()), type, shape};
}

constexpr Mode AllModes[] = {Mode::Interpret, Mode::Baseline, Mode::Optimized};

TEST(Types, MixAsInPyTorch) {
  const Engine engine;
  std::vector<std::uint8_t> bytes = {200, 1, 0, 255};
  std::vector<std::int8_t> small = {100, -1, -128, 1};
  std::vector<std::int16_t> sum(4);
  for (Mode mode : AllModes) {
    auto kernel = engine.compile(
        "add(@0,@1)", {.mode = mode, .operandTypes = {DType::U8, DType::I8}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    EXPECT_EQ(kernel->outputType(), DType::I16);
    ASSERT_TRUE(
        kernel->run({view(bytes, DType::U8, {4}), view(small, DType::I8, {4})},
                    view(sum, DType::I16, {4})));
    EXPECT_EQ(sum, (std::vector<std::int16_t>{300, 0, -128, 256}));
  }
}

TEST(Types, UnsignedNumbersAreNotThoseOfI64) {
  const Engine engine;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> x(5000, 7), best(1), least(1);
  x[4100] = top + 9;
  x[33] = 3;
  x[4990] = ~std::uint64_t{0};
  std::vector<std::int64_t> place(1), lowest(1), total(1);
  for (Mode mode : AllModes) {
    auto kernel = engine.compile("[amax(@0),amin(@0),argmax(@0),argmin(@0),"
                                 "sum(@0)]",
                                 {.mode = mode, .operandTypes = {DType::U64}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    const Status status =
        kernel->run(std::vector<TensorView>{view(x, DType::U64, {5000})},
                    std::vector<TensorView>{view(best, DType::U64, {}),
                                            view(least, DType::U64, {}),
                                            view(place, DType::I64, {}),
                                            view(lowest, DType::I64, {}),
                                            view(total, DType::I64, {})});
    ASSERT_TRUE(status) << status.error().render();
    EXPECT_EQ(best[0], ~std::uint64_t{0});
    EXPECT_EQ(least[0], 3u);
    EXPECT_EQ(place[0], 4990);
    EXPECT_EQ(lowest[0], 33);
    EXPECT_EQ(static_cast<std::uint64_t>(total[0]),
              4997u * 7 + 3 + top + 9 + ~std::uint64_t{0});
  }
}

TEST(Types, OfUnsignedAndOtherIntegersDoNotPromote) {
  const Engine engine;
  const auto told = [&](const char *text, std::vector<DType> types) {
    const auto kernel = engine.compile(text, {.operandTypes = types});
    return kernel ? std::string() : kernel.error().message();
  };
  EXPECT_EQ(told("add(@0,@1)", {DType::U16, DType::I32}),
            "operator 'add' takes arguments of one type, but its arguments are "
            "u16 and i32, which promote to no type; cast one of them");
  EXPECT_EQ(told("where(@0,@1,@2)", {DType::Bool, DType::U64, DType::U8}),
            "operator 'where' takes arguments of one type, but its arguments "
            "are u64 and u8, which promote to no type; cast one of them");
  EXPECT_EQ(told("add(torch.int64(@0),@1)", {DType::U16, DType::I32}), "");
  EXPECT_EQ(told("logical_and(@0,@1)", {DType::U16, DType::I32}), "");
  EXPECT_EQ(told("add(@0,torch.uint64(-1))", {DType::U64}),
            "the number -1 is no u64");
  EXPECT_EQ(told("mul(@0,@1)", {DType::U32, DType::F16}), "");
}

TEST(Types, AnyByteButZeroIsTrue) {
  const Engine engine;
  std::vector<std::uint8_t> mask = {0, 1, 2, 255, 0, 128};
  std::vector<std::uint8_t> out(6);
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, masked(6);
  for (Mode mode : AllModes) {
    const CompileOptions options{.mode = mode, .operandTypes = {DType::Bool}};
    auto copy = engine.compile("@0", options);
    ASSERT_TRUE(copy);
    ASSERT_TRUE(
        copy->run(view(mask, DType::Bool, {6}), view(out, DType::Bool, {6})));
    EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 1, 1, 1, 0, 1}));
    auto product = engine.compile("mul(@0,@1)", options);
    ASSERT_TRUE(product);
    ASSERT_TRUE(
        product->run({view(mask, DType::Bool, {6}), view(x, DType::F32, {6})},
                     view(masked, DType::F32, {6})));
    EXPECT_EQ(masked, (std::vector<float>{0, 2, 3, 4, 0, 6}));
  }
}

TEST(Types, AChoiceTakesAnyByteButZeroForTrue) {
  const Engine engine;
  std::vector<std::uint8_t> mask = {0, 1, 2, 255, 0, 128, 0};
  std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6, 7};
  std::vector<double> y = {-1, -2, -3, -4, -5, -6, -7}, out(7);
  for (Mode mode : AllModes) {
    auto kernel = engine.compile(
        "where(@0,@1,@2)",
        {.mode = mode, .operandTypes = {DType::Bool, DType::I32, DType::F64}});
    ASSERT_TRUE(kernel) << kernel.error().render();
    EXPECT_EQ(kernel->outputType(), DType::F64);
    ASSERT_TRUE(
        kernel->run({view(mask, DType::Bool, {7}), view(x, DType::I32, {7}),
                     view(y, DType::F64, {7})},
                    view(out, DType::F64, {7})));
    EXPECT_EQ(out, (std::vector<double>{-1, 2, 3, 4, -5, 6, -7}));
  }
}

TEST(Types, ZeroDimOperandsMustBeWhereTheyWereDeclared) {
  const Engine engine;
  std::vector<float> x = {1, 2}, narrow(2);
  std::vector<double> one = {0.5}, wide(2);
  auto plain =
      engine.compile("add(@0,@1)", {.operandTypes = {DType::F32, DType::F64}});
  auto declared =
      engine.compile("add(@0,@1)", {.operandTypes = {DType::F32, DType::F64},
                                    .zeroDimOperands = {1}});
  ASSERT_TRUE(plain && declared);
  EXPECT_EQ(plain->outputType(), DType::F64);
  EXPECT_EQ(declared->outputType(), DType::F32);
  const TensorView tensor = view(x, DType::F32, {2});
  const TensorView scalar = view(one, DType::F64, {});
  ASSERT_TRUE(declared->run({tensor, scalar}, view(narrow, DType::F32, {2})));
  EXPECT_EQ(narrow[1], 2.5f);
  auto status = plain->run({tensor, scalar}, view(wide, DType::F64, {2}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(),
            "operand @1 is 0-d, but the kernel was compiled for one that is "
            "not, and the types of results depend on it");
  EXPECT_TRUE(plain->run({tensor, view(one, DType::F64, {1})},
                         view(wide, DType::F64, {2})));
}

TEST(Types, OneTypeNeedsNoDeclaration) {
  const Engine engine;
  auto kernel = engine.compile("add(mul(@0,@1),gt(@0,@1))");
  ASSERT_TRUE(kernel) << kernel.error().render();
  std::vector<float> x = {1, 2}, scale = {3}, out(2);
  ASSERT_TRUE(
      kernel->run({TensorView(x.data(), {2}), TensorView(scale.data(), {})},
                  TensorView(out.data(), {2})));
  EXPECT_EQ(out[1], 6);
}

TEST(Types, HalvesAreRoundedOnceAtTheStore) {
  const Engine engine;
  // 2048 + 1 is no f16, so a sum that were rounded each time would stay.
  std::vector<std::uint16_t> big = {0x6800}, one = {0x3C00}, out(1);
  for (Mode mode : AllModes) {
    auto kernel = engine.compile(
        "sub(add(@0,@1),@0)",
        {.mode = mode, .operandTypes = {DType::F16, DType::F16}});
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->outputType(), DType::F16);
    ASSERT_TRUE(
        kernel->run({view(big, DType::F16, {1}), view(one, DType::F16, {1})},
                    view(out, DType::F16, {1})));
    EXPECT_EQ(out[0], 0x3C00);
    // Where a cast says so, it is.
    auto cast = engine.compile(
        "sub(torch.half(add(@0,@1)),@0)",
        {.mode = mode, .operandTypes = {DType::F16, DType::F16}});
    ASSERT_TRUE(cast);
    ASSERT_TRUE(
        cast->run({view(big, DType::F16, {1}), view(one, DType::F16, {1})},
                  view(out, DType::F16, {1})));
    EXPECT_EQ(out[0], 0);
  }
}

TEST(Types, NoTypeIsRefused) {
  const Engine engine;
  auto kernel =
      engine.compile("neg(@0)", {.operandTypes = {static_cast<DType>(99)}});
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message(), "operand @0 was given no element type");
}

TEST(Literals, DoNotMultiplyMachineCode) {
  const Engine engine;
  auto two = engine.compile("mul(@0,2)"), three = engine.compile("mul(@0,3)");
  auto half = engine.compile("div(@0,2)"),
       other = engine.compile("mul(@7,0.1)");
  ASSERT_TRUE(two && three && half && other);
  EXPECT_EQ(two->codeAddress(), three->codeAddress());
  EXPECT_EQ(two->codeAddress(), half->codeAddress());
  EXPECT_EQ(two->codeAddress(), other->codeAddress());
  EXPECT_EQ(engine.stats().compiled, 1u);
  EXPECT_EQ(engine.stats().shared, 3u);
  EXPECT_EQ(engine.stats().misses, 4u);
  float x = 5, out = 0;
  const TensorView in(&x, {1}), result(&out, {1});
  ASSERT_TRUE(three->run(in, result));
  EXPECT_EQ(out, 15);
  ASSERT_TRUE(half->run(in, result));
  EXPECT_EQ(out, 2.5f);
  // So do divisors that are no powers of two; other divisions are other code.
  auto dozen = engine.compile("div(@0,12)"),
       byte = engine.compile("div(@0,255)"),
       refused = engine.compile("div(@0,0.7)");
  ASSERT_TRUE(dozen && byte && refused);
  EXPECT_EQ(dozen->codeAddress(), byte->codeAddress());
  EXPECT_NE(dozen->codeAddress(), refused->codeAddress());
  // Powers are other code.
  auto square = engine.compile("pow(@0,2)"), cube = engine.compile("pow(@0,3)");
  ASSERT_TRUE(square && cube);
  EXPECT_NE(square->codeAddress(), cube->codeAddress());
}

TEST(Literals, OfEightBytesMayBeKnownToTheCode) {
  const Engine engine;
  for (const Mode mode : {Mode::Baseline, Mode::Optimized}) {
    auto whole = engine.compile("floor_divide(@0,-3)",
                                {.mode = mode, .operandTypes = {DType::I64}});
    auto real = engine.compile("pow(@0,-0.5)",
                               {.mode = mode, .operandTypes = {DType::F64}});
    ASSERT_TRUE(whole && real);
    std::int64_t seven = 7, quotient = 0;
    const auto i64 = [](void *at) { return TensorView(at, DType::I64, {1}); };
    ASSERT_TRUE(whole->run(i64(&seven), i64(&quotient)));
    EXPECT_EQ(quotient, -3);
    double four = 4, power = 0;
    const auto f64 = [](void *at) { return TensorView(at, DType::F64, {1}); };
    ASSERT_TRUE(real->run(f64(&four), f64(&power)));
    EXPECT_EQ(power, 0.5);
  }
}

TEST(Sizes, AreReadAtEveryCall) {
  const Engine engine;
  auto kernel = engine.compile("add(@0,size(@1,0))");
  ASSERT_TRUE(kernel);
  std::vector<float> x = {1, 2, 3}, out(3);
  for (std::int64_t extent : {7, 9}) {
    // Its elements are not looked at, nor does it broadcast.
    const TensorView shaped(static_cast<void *>(nullptr), DType::Bool,
                            {extent, 5});
    ASSERT_TRUE(kernel->run({TensorView(x.data(), {3}), shaped},
                            TensorView(out.data(), {3})));
    EXPECT_EQ(out[2], 3 + extent);
  }
  EXPECT_EQ(engine.stats().compiled, 1u);
  auto status =
      kernel->run({TensorView(x.data(), {3}), TensorView(x.data(), {})},
                  TensorView(out.data(), {3}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().render(),
            "error: operand @1 of shape [] has no axis 0\n"
            "  add(@0,size(@1,0))\n"
            "         ^~~~~~~~~~");
}

TEST(Outputs, HaveTheShapesOfTheirOwnOperands) {
  const Engine engine;
  auto kernel = engine.compile("[add(@0,1),@1,mul(@0,@2),size(@1,0)]");
  ASSERT_TRUE(kernel);
  std::vector<float> a(6, 2), b = {5, 6, 7, 8}, c = {10, 20, 30};
  std::vector<float> sum(6), copy(4), product(6);
  std::vector<std::int64_t> size(1);
  const std::vector<TensorView> inputs = {TensorView(a.data(), {2, 3}),
                                          TensorView(b.data(), {4}),
                                          TensorView(c.data(), {3})};
  EXPECT_EQ(*kernel->outputShape(inputs, 0), (Shape{2, 3}));
  EXPECT_EQ(*kernel->outputShape(inputs, 1), (Shape{4}));
  EXPECT_EQ(*kernel->outputShape(inputs, 3), Shape{});
  EXPECT_FALSE(kernel->outputShape(inputs, 4));
  const std::vector<TensorView> outputs = {
      TensorView(sum.data(), {2, 3}), TensorView(copy.data(), {4}),
      TensorView(product.data(), {2, 3}), view(size, DType::I64, {})};
  auto bound = kernel->bind(inputs, outputs);
  ASSERT_TRUE(bound) << bound.error().render();
  for (int round = 0; round < 2; ++round) {
    std::fill(product.begin(), product.end(), 0);
    if (round == 0)
      ASSERT_TRUE(kernel->run(inputs, outputs));
    else
      EXPECT_TRUE(bound->run());
    EXPECT_EQ(sum[5], 3);
    EXPECT_EQ(copy, b);
    EXPECT_EQ(product[5], 60);
    EXPECT_EQ(size[0], 4);
  }
}

TEST(Outputs, OfOtherShapesMayNotOverwriteWhatIsStillRead) {
  const Engine engine;
  auto kernel = engine.compile("[neg(@0),add(@0,@1)]");
  ASSERT_TRUE(kernel);
  std::vector<float> a = {1, 2, 3}, b(6, 1), wide(6);
  const std::vector<TensorView> inputs = {TensorView(a.data(), {3}),
                                          TensorView(b.data(), {2, 3})};
  auto status = kernel->run(
      inputs, {TensorView(a.data(), {3}), TensorView(wide.data(), {2, 3})});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(wide[0], 0);
}

} // namespace
