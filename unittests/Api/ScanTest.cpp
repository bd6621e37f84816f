//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans: bits are those of their definition, one element after the other, in
// any way of a call, and they stand wherever an expression may.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"
#include "TestUtil/Floats.h"

#include <cmath>
#include <limits>

namespace kexpr::test::rows::scans {
namespace {

// docs/types.md, written naively: the results so far of a row.

std::vector<float> sumsOf(const std::vector<float> &row) {
  std::vector<float> sums;
  double sum = 0;
  for (float x : row)
    sums.push_back(static_cast<float>(sum += x));
  return sums;
}
std::vector<double> sumsOf(const std::vector<double> &row) {
  std::vector<double> sums;
  double high = 0, lost = 0;
  for (double x : row) {
    const double sum = high + x, part = sum - high;
    lost += (high - (sum - part)) + (x - part);
    high = sum;
    sums.push_back(high + lost);
  }
  return sums;
}
std::vector<std::int64_t> sumsOf(const std::vector<std::int64_t> &row) {
  std::vector<std::int64_t> sums;
  std::uint64_t sum = 0;
  for (std::int64_t x : row)
    sums.push_back(
        static_cast<std::int64_t>(sum += static_cast<std::uint64_t>(x)));
  return sums;
}

template <class T> constexpr DType dtypeOf = DType::F32;
template <> constexpr DType dtypeOf<double> = DType::F64;
template <> constexpr DType dtypeOf<std::int64_t> = DType::I64;

template <class T> struct Scans : testing::Test {};
using Types = testing::Types<float, double, std::int64_t>;
TYPED_TEST_SUITE(Scans, Types);

/// The scan along an axis, with each row apart.
template <class T> Tensor scanOf(const Tensor &x, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t next = axis + 1; next < x.shape.rank(); ++next)
    inner *= x.shape[next];
  std::vector<T> values = x.values<T>();
  const std::int64_t length = x.shape[axis];
  for (std::int64_t at = 0; at < x.shape.elementCount(); ++at) {
    if (at / inner % length != 0)
      continue; // no first element of a row
    std::vector<T> row;
    for (std::int64_t i = 0; i < length; ++i)
      row.push_back(values[static_cast<std::size_t>(at + i * inner)]);
    const std::vector<T> sums = sumsOf(row);
    for (std::int64_t i = 0; i < length; ++i)
      values[static_cast<std::size_t>(at + i * inner)] =
          sums[static_cast<std::size_t>(i)];
  }
  return {x.type, x.shape, values};
}

template <class T> void expectScans(const Shape &shape) {
  const Tensor x = randomTensor(dtypeOf<T>, shape, 21);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::string text = "cumsum(@0," + std::to_string(axis) + ')';
    const auto expected = scanOf<T>(x, axis).bytes();
    for (const Way &way : allWays())
      for (const Tensor &layout :
           {x, x.with(transposed(shape)), x.with(sliced(shape, 3)),
            x.with(reversed(shape)), x.with(reversed(shape, 1))})
        ASSERT_EQ(outputsOf(text, {layout}, way)[0].bytes(), expected)
            << text << " of " << shape.str() << ", strides "
            << layout.strides.str() << ", " << way.str();
  }
}

TYPED_TEST(Scans, AreOneElementAfterTheOther) {
  for (const std::int64_t count :
       {0, 1, 2, 31, 32, 33, 64, 65, 1000, 2048, 2049, 4095})
    expectScans<TypeParam>({count});
}
TYPED_TEST(Scans, OfRowsAndOfColumns) {
  for (const Shape &shape :
       {Shape{7, 33}, Shape{40, 7}, Shape{65, 130}, Shape{3, 17, 29},
        Shape{5, 1, 9, 50}, Shape{2, 3, 7, 7}, Shape{3, 33, 14}})
    expectScans<TypeParam>(shape);
}
TYPED_TEST(Scans, OfLongRowsAndColumns) {
  // They are scanned in pieces.
  for (const Shape &shape : {Shape{1, 66001}, Shape{1100, 17}, Shape{9001, 7}})
    expectScans<TypeParam>(shape);
}

/// Factors of which some are powers of two: a hundred around 2^110, a hundred
/// around 2^-110.
Tensor factors(DType type, const Shape &shape) {
  std::vector<float> values =
      randomTensor(DType::F32, shape, 22).values<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::copysign(std::exp2(std::fmod(values[i], 2.0f) +
                                        (i / 100 % 2 ? -110.0f : 110.0f)),
                              values[i]);
  if (type == DType::F64)
    return {type, shape, std::vector<double>(values.begin(), values.end())};
  return {type, shape, values};
}

TEST(Products, AreOfSignificandsApartFromExponents) {
  const Tensor x = factors(DType::F32, {9, 3000});
  std::vector<float> expected;
  double significand = 1;
  int exponent = 0;
  for (float factor : x.values<float>()) {
    if (expected.size() % 3000 == 0) {
      significand = 1;
      exponent = 0;
    }
    int shift = 0;
    significand = std::frexp(significand * static_cast<double>(factor), &shift);
    exponent += shift;
    expected.push_back(static_cast<float>(std::ldexp(significand, exponent)));
  }
  const auto bytes = Tensor(DType::F32, x.shape, expected).bytes();
  for (const Way &way : allWays())
    for (const Tensor &layout :
         {x, x.with(transposed(x.shape)), x.with(reversed(x.shape))})
      ASSERT_EQ(outputsOf("cumprod(@0,-1)", {layout}, way)[0].bytes(), bytes)
          << way.str();
}

TEST(Products, OverflowOnlyWhereTheResultDoes) {
  const std::vector<double> values = {1e300, 1e300, 1e-300, 1e-300,
                                      0.5,   -0.0,  2.0};
  const auto products =
      outputsOf("cumprod(@0,0)", {Tensor(DType::F64, {7}, values)})[0]
          .values<double>();
  EXPECT_EQ(products[0], 1e300);
  EXPECT_EQ(products[1], std::numeric_limits<double>::infinity());
  EXPECT_NEAR(products[3], 1, 0x1p-52);
  EXPECT_NEAR(products[4], 0.5, 0x1p-53);
  EXPECT_TRUE(products[6] == 0 && std::signbit(products[6]));
}

TEST(Products, OfIntegersWrap) {
  const std::vector<std::int64_t> values = {3, -5, std::int64_t{1} << 62, 2, 7};
  const Tensor x(DType::I64, {5}, values);
  EXPECT_EQ(
      outputsOf("cumprod(@0,0)", {x})[0].values<std::int64_t>(),
      (std::vector<std::int64_t>{3, -15, std::int64_t{1} << 62,
                                 std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::min()}));
}

class Scanning : public testing::TestWithParam<Mode> {
protected:
  Way way() const { return {GetParam(), 0, runOptions(1)}; }
  Tensors run(std::string_view text, const Tensors &inputs) const {
    return outputsOf(text, inputs, way());
  }
};

TEST_P(Scanning, TypesArePyTorchs) {
  const auto typeOf = [&](std::string_view text, DType type) {
    return run(text, {randomTensor(type, {3, 4}, 1)})[0].type;
  };
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    EXPECT_EQ(typeOf("cumsum(@0,0)", type), type);
    EXPECT_EQ(typeOf("cumprod(@0,-1)", type), type);
  }
  for (DType type : {DType::Bool, DType::U8, DType::I8, DType::I32, DType::I64})
    EXPECT_EQ(typeOf("cumsum(@0,1)", type), DType::I64);
}

TEST_P(Scanning, HalvesAreRoundedOnce) {
  // 2048 + 1 is no f16: the state goes on without what was rounded.
  const std::vector<std::uint16_t> values = {0x6800, 0x3c00, 0x3c00, 0x3c00};
  const auto sums = run("cumsum(@0,0)", {Tensor(DType::F16, {4}, values)})[0]
                        .values<std::uint16_t>();
  EXPECT_EQ(sums, (std::vector<std::uint16_t>{0x6800, 0x6800, 0x6801, 0x6802}));
}

TEST_P(Scanning, NanAndInfinityStay) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Tensor x(DType::F32, {5}, std::vector<float>{1, inf, 2, -inf, 3});
  const auto sums = run("cumsum(@0,0)", {x})[0].values<float>();
  EXPECT_EQ(sums[0], 1);
  EXPECT_EQ(sums[2], inf);
  EXPECT_TRUE(std::isnan(sums[3]) && std::isnan(sums[4]));
}

TEST_P(Scanning, OfAScalarAndOfNothing) {
  const Tensor scalar(DType::F32, {}, std::vector<float>{5});
  for (const char *text : {"cumsum(@0,0)", "cumprod(@0,-1)"}) {
    const Tensor result = run(text, {scalar})[0];
    EXPECT_EQ(result.shape, Shape());
    EXPECT_EQ(result.values<float>(), std::vector<float>{5});
  }
  for (const Shape &shape : {Shape{0}, Shape{2, 0}, Shape{0, 3}})
    EXPECT_EQ(run("cumsum(@0,0)", {Tensor(DType::F32, shape)})[0].shape, shape);
}

TEST_P(Scanning, ErrorsHaveAPlace) {
  const auto refusalOf = [](std::string_view text) {
    auto kernel = Engine().compile(text);
    if (!kernel)
      return kernel.error().render();
    const TensorView view(static_cast<const float *>(nullptr), {2, 3});
    auto shape = kernel->outputShape({view, view});
    return shape ? shape->str() : shape.error().render();
  };
  EXPECT_EQ(refusalOf("neg(cumsum(@0,2))"),
            "error: axis 2 of a tensor of 2 axes\n"
            "  neg(cumsum(@0,2))\n"
            "      ^~~~~~~~~~~~");
  EXPECT_EQ(refusalOf("cumsum(@0,None)"),
            "error: 'cumsum' goes along one axis, which is written out\n"
            "  cumsum(@0,None)\n"
            "            ^~~~");
  EXPECT_EQ(refusalOf("cumprod(@0,[0,1])"), "error: 'cumprod' takes one axis\n"
                                            "  cumprod(@0,[0,1])\n"
                                            "             ^~~~~");
}

/// A text gives what its parts give one after the other.
void expectLikeParts(const std::string &outer, const std::string &inner,
                     const Tensor &x, const Way &way) {
  std::string fused = outer, apart = outer;
  for (std::string *text : {&fused, &apart})
    for (std::size_t at; (at = text->find('X')) != std::string::npos;)
      text->replace(at, 1, text == &fused ? inner : "@1");
  const Tensor inside = outputsOf(inner, {x}, way)[0];
  EXPECT_EQ(outputsOf(fused, {x}, way)[0].bytes(),
            outputsOf(apart, {x, inside}, way)[0].bytes())
      << fused << " of " << x.shape.str();
}

TEST_P(Scanning, StandsWhereAnExpressionMay) {
  for (const Shape &shape : {Shape{33, 40}, Shape{130, 70}, Shape{2, 70001}}) {
    const Tensor x = randomTensor(DType::F32, shape, 23);
    for (const char *inner :
         {"cumsum(@0,0)", "cumsum(@0,1)", "cumprod(@0,-1)",
          "cumsum(softmax(@0,1),1)", "cumsum(mul(@0,sum(@0,1,True)),1)"})
      for (const char *outer :
           {"add(X,@0)", "sum(X,1)", "sum(X,0)", "softmax(X,1)",
            "sub(X,amax(X,1,True))", "cumsum(X,0)", "cumsum(X,1)",
            "cumprod(exp(neg(X)),1)", "add(X,sum(exp(@0),1,True))"})
        expectLikeParts(outer, inner, x, way());
    for (const char *inner : {"sum(@0,1)", "amax(@0,1,True)", "mean(@0,0)"})
      for (const char *outer : {"cumsum(X,0)", "add(cumsum(X,0),@0)"})
        if (shape[0] == shape[1] || std::string_view(inner) != "sum(@0,1)" ||
            std::string_view(outer) == "cumsum(X,0)")
          expectLikeParts(outer, inner, x, way());
  }
}

TEST_P(Scanning, SeveralAtOnce) {
  const Tensor x = randomTensor(DType::F32, {33, 70}, 24);
  const Tensors all = run("[cumsum(@0,0),cumprod(@0,1),sum(@0),cumsum(@0,1),"
                          "cumsum(mul(@0,2),1),softmax(@0,1)]",
                          {x});
  const char *const each[] = {
      "cumsum(@0,0)", "cumprod(@0,1)",       "sum(@0)",
      "cumsum(@0,1)", "cumsum(mul(@0,2),1)", "softmax(@0,1)"};
  for (std::size_t i = 0; i < std::size(each); ++i)
    EXPECT_EQ(all[i].bytes(), run(each[i], {x})[0].bytes()) << each[i];
}

TEST_P(Scanning, OfWhatBroadcasts) {
  const Tensor column(DType::F32, {2, 1}, std::vector<float>{1, 10}),
      row(DType::F32, {3}, std::vector<float>{1, 2, 3});
  EXPECT_EQ(run("cumsum(mul(@0,@1),1)", {column, row})[0].values<float>(),
            (std::vector<float>{1, 3, 6, 10, 30, 60}));
  EXPECT_EQ(run("add(cumsum(@0,0),@1)", {column, row})[0].values<float>(),
            (std::vector<float>{2, 3, 4, 12, 13, 14}));
}

TEST_P(Scanning, AnOutputThatIsAnInputIsRightOrRefused) {
  for (const char *text :
       {"cumsum(@0,-1)", "cumsum(@0,0)", "add(@0,cumprod(@0,1))",
        "cumsum(softmax(@0,0),1)", "sub(cumsum(@0,1),sum(@0,0))"})
    for (const Shape &shape :
         {Shape{7, 40}, Shape{130, 70}, Shape{2, 70001}, Shape{5000, 30}}) {
      const Tensor before = randomTensor(DType::F32, shape, 3);
      const Tensor expected = run(text, {before})[0];
      for (const unsigned threads : {1, 4}) {
        Tensor own = before;
        const auto status =
            compiled(text, {}, way())
                .run({own.view()}, {own.view()}, runOptions(threads));
        EXPECT_TRUE(status ||
                    status.error().code() == ErrorCode::OverlappingOutput);
        EXPECT_EQ(own.bytes(), status ? expected.bytes() : before.bytes())
            << text << ' ' << shape.str() << ' ' << threads;
      }
    }
  Tensor x = randomTensor(DType::F32, {7, 40}, 4);
  EXPECT_TRUE(compiled("cumsum(@0,1)", {}, way()).run({x.view()}, {x.view()}));
}

TEST_P(Scanning, BatchesAndBoundCalls) {
  const Kernel kernel = compiled("cumsum(@0,-1)", {}, way());
  Tensors inputs, outputs, expected;
  for (const Shape &shape : {Shape{3, 65}, Shape{0, 4}, Shape{100, 7}}) {
    inputs.push_back(randomTensor(DType::F32, shape, 25));
    outputs.emplace_back(DType::F32, shape);
    expected.push_back(run("cumsum(@0,-1)", {inputs.back()})[0]);
  }
  ASSERT_TRUE(
      kernel.runBatch(viewsOf(inputs), viewsOf(outputs), runOptions(4)));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(outputs[i].bytes(), expected[i].bytes());
  const auto bound = kernel.bind({inputs[0].view()}, {outputs[0].view()});
  ASSERT_TRUE(bound);
  std::memset(outputs[0].view().data(), 7, 8);
  ASSERT_TRUE(bound->run());
  EXPECT_EQ(outputs[0].bytes(), expected[0].bytes());
}

INSTANTIATE_TEST_SUITE_P(Modes, Scanning,
                         testing::Values(Mode::Interpret, Mode::Optimized),
                         [](const auto &each) {
                           return each.param == Mode::Interpret ? "Interpreted"
                                                                : "Compiled";
                         });

} // namespace
} // namespace kexpr::test::rows::scans
