//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that reduce: what they say of shapes and types, which memory they
// take, and every way to call them.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"
#include "TestUtil/Floats.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace kexpr::test::rows::calls {
namespace {
constexpr float Inf = std::numeric_limits<float>::infinity();

class Reducing : public testing::TestWithParam<Mode> {
protected:
  Way way() const { return {GetParam(), 0, runOptions(1)}; }
  Tensors run(std::string_view text, const Tensors &inputs) const {
    return outputsOf(text, inputs, way());
  }
  template <class T = float>
  std::vector<T> result(std::string_view text, const Tensors &inputs) const {
    const Tensors outputs = run(text, inputs);
    return outputs.empty() ? std::vector<T>() : outputs[0].values<T>();
  }
  Kernel compile(std::string_view text,
                 const std::vector<DType> &types = {}) const {
    return compiled(text, types, way());
  }
};

Tensor floats(const Shape &shape, const std::vector<float> &values) {
  return {DType::F32, shape, values};
}
/// 0, 1, 2...
Tensor counting(const Shape &shape, DType type = DType::F32) {
  std::vector<float> values(static_cast<std::size_t>(shape.elementCount()));
  std::iota(values.begin(), values.end(), 0.0f);
  const std::vector<double> wide(values.begin(), values.end());
  return type == DType::F64 ? Tensor(type, shape, wide) : floats(shape, values);
}

std::string shapeOf(std::string_view text, const std::vector<Shape> &shapes) {
  std::vector<TensorView> views;
  for (const Shape &shape : shapes)
    views.emplace_back(static_cast<const float *>(nullptr), shape);
  auto shape = compiled(text, {}, {Mode::Interpret}).outputShape(views);
  return shape ? shape->str() : shape.error().render();
}

TEST(ReducedShapes, FollowPyTorch) {
  EXPECT_EQ(shapeOf("sum(@0)", {{2, 3, 4}}), "[]");
  EXPECT_EQ(shapeOf("sum(@0,None,True)", {{2, 3, 4}}), "[1,1,1]");
  EXPECT_EQ(shapeOf("sum(@0,1)", {{2, 3, 4}}), "[2,4]");
  EXPECT_EQ(shapeOf("sum(@0,[0,-1],True)", {{2, 3, 4}}), "[1,3,1]");
  EXPECT_EQ(shapeOf("argmax(@0)", {{2, 3}}), "[]");
  EXPECT_EQ(shapeOf("argmax(@0,-2,True)", {{2, 3}}), "[1,3]");
  EXPECT_EQ(shapeOf("sum(@0,0)", {{}}), "[]");
  EXPECT_EQ(shapeOf("sum(@0,1)", {{2, 0, 4}}), "[2,4]");
  EXPECT_EQ(shapeOf("amax(@0,0)", {{2, 0, 4}}), "[0,4]");
  // The operands of the whole argument broadcast.
  EXPECT_EQ(shapeOf("sum(mul(@0,@1),0)", {{5, 1}, {3}}), "[3]");
  EXPECT_EQ(shapeOf("sub(@0,mean(@0,-1,True))", {{5, 7}}), "[5,7]");
  EXPECT_EQ(shapeOf("sub(@0,mean(@0,-1))", {{7, 7}}), "[7,7]");
  EXPECT_EQ(shapeOf("add(@1,sum(@0,1))", {{5, 7}, {2, 5}}), "[2,5]");
  EXPECT_EQ(shapeOf("softmax(@0,-1)", {{5, 7}}), "[5,7]");
  EXPECT_EQ(shapeOf("cosine_similarity(@0,@1,1)", {{5, 7}, {7}}), "[5]");
  EXPECT_EQ(shapeOf("mse_loss(@0,@1)", {{5, 7}, {7}}), "[]");
}

TEST(ReducedWork, OfRowsIsNoneOfElements) {
  const auto operations = [](const char *text) {
    return Engine()
        .compile(text, {.mode = Mode::Interpret})
        ->operationsPerElement();
  };
  EXPECT_EQ(operations("sub(exp(@0),div(sqrt(sum(@0,-1,True)),3))"),
            operations("sub(exp(@0),sum(@0,-1,True))"));
  EXPECT_GT(operations("sub(exp(sub(@0,sum(@0))),1)"),
            operations("sub(exp(@0),1)"));
  // Sums over different axes meet in every element.
  EXPECT_GT(operations("exp(add(sum(@0,0,True),sum(@0,1,True)))"),
            operations("exp(@0)"));
}

TEST(ReducedShapes, ErrorsHaveAPlace) {
  EXPECT_EQ(shapeOf("neg(sum(@0,2))", {{2, 3}}),
            "error: axis 2 of a tensor of 2 axes\n"
            "  neg(sum(@0,2))\n"
            "      ^~~~~~~~~");
  EXPECT_EQ(shapeOf("sum(@0,[0,-2])", {{2, 3}}),
            "error: axis -2 of a tensor of 2 axes appears twice\n"
            "  sum(@0,[0,-2])\n"
            "  ^~~~~~~~~~~~~~");
  EXPECT_EQ(shapeOf("amax(@0,1)", {{2, 0}}),
            "error: 'amax' has no result of no elements: the shape is [2,0]\n"
            "  amax(@0,1)\n"
            "  ^~~~~~~~~~");
  EXPECT_EQ(shapeOf("sub(@0,mean(@0,-1))", {{5, 7}}),
            "error: the shapes [5,7] and [5] do not broadcast\n"
            "  sub(@0,mean(@0,-1))\n"
            "  ^~~~~~~~~~~~~~~~~~~");
}

TEST_P(Reducing, ACallSaysTheSameErrors) {
  const Kernel kernel = compile("neg(sum(@0,2))");
  Tensor input = counting({2, 3}), output(DType::F32, {2});
  const auto status = kernel.run(viewsOf({input}), {output.view()});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::ShapeMismatch);
  EXPECT_EQ(status.error().render(), "error: axis 2 of a tensor of 2 axes\n"
                                     "  neg(sum(@0,2))\n"
                                     "      ^~~~~~~~~");
  const auto wrong =
      compile("sum(@0,1)")
          .run(viewsOf({input}), {Tensor(DType::F32, {3}).view()});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(),
            "output 0 has shape [3]; its expression has [2]");
}

TEST_P(Reducing, ColumnsOfMoreLengthsThanThereAreLoopsFor) {
  constexpr std::int64_t columns = 40;
  for (std::int64_t length = 1; length <= columns; ++length) {
    const auto sums = result("sum(@0,0)", {counting({length, columns})});
    ASSERT_EQ(std::ssize(sums), columns);
    const std::int64_t first = columns * length * (length - 1) / 2;
    for (std::int64_t i = 0; i < columns; ++i)
      ASSERT_EQ(sums[static_cast<std::size_t>(i)],
                static_cast<float>(first + i * length))
          << length;
  }
}

TEST_P(Reducing, NumbersOverAxes) {
  const Tensor x = counting({2, 3});
  using Floats = std::vector<float>;
  EXPECT_EQ(result("sum(@0)", {x}), Floats{15});
  EXPECT_EQ(result("sum(@0,0)", {x}), (Floats{3, 5, 7}));
  EXPECT_EQ(result("mean(@0,1)", {x}), (Floats{1, 4}));
  EXPECT_EQ(result("prod(@0,1)", {x}), (Floats{0, 60}));
  EXPECT_EQ(result("amax(@0,[0])", {x}), (Floats{3, 4, 5}));
  EXPECT_EQ(result("sub(@0,amin(@0,1,True))", {x}), (Floats{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(result<std::int64_t>("argmax(@0,1)", {x}),
            (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(result<std::int64_t>("argmin(@0)", {x}),
            std::vector<std::int64_t>{0});
  EXPECT_EQ(result<char>("any(@0,0)", {x}), (std::vector<char>{1, 1, 1}));
  EXPECT_EQ(result<char>("all(@0,0)", {x}), (std::vector<char>{0, 1, 1}));
  EXPECT_EQ(result("var(@0,1)", {x}), (Floats{1, 1}));
  EXPECT_EQ(result("norm(@0,1,1)", {x}), (Floats{3, 12}));
  EXPECT_EQ(result("norm(@0,inf,1)", {x}), (Floats{2, 5}));
  EXPECT_EQ(result("norm(@0,0)", {x}), Floats{5});
  EXPECT_EQ(result("l1_loss(@0,neg(@0))", {x}), Floats{5});
  EXPECT_EQ(result("mse_loss(@0,1)", {x}), Floats{31 / 6.0f});
  EXPECT_EQ(result("smooth_l1_loss(@0,0,2)", {x}), Floats{10.25f / 6});
  EXPECT_EQ(result("smooth_l1_loss(@0,neg(@0),0)", {x}), Floats{5});
  EXPECT_EQ(result("huber_loss(@0,0,2)", {x}), Floats{20.5f / 6});
  const auto of = [&](const char *loss, const std::vector<std::int64_t> &each) {
    return result(loss, {x, Tensor(DType::I64, {2}, each)})[0];
  };
  EXPECT_EQ(of("nll_loss(@0,@1)", {2, -100}), -2);
  EXPECT_EQ(of("nll_loss(@0,@1,amax(@0,0),2)", {1, 0}), -13 / 7.0f);
  EXPECT_TRUE(std::isnan(of("cross_entropy(@0,@1)", {3, 0})));
  EXPECT_EQ(of("nll_loss(mul(@0,1),torch.uint8(@1),None,258)", {2, 2}), -3.5f);
}

TEST_P(Reducing, ElementsThatAreKeptAndBroadcast) {
  const Tensor x = randomTensor(DType::F32, {1, 40}, 3),
               y = randomTensor(DType::F32, {20, 40}, 4),
               column = randomTensor(DType::F32, {20, 1}, 5);
  const auto expectSame = [&](const Tensor &kept, const char *fused,
                              const char *apart) {
    const Tensor sine(DType::F32, kept.shape, result("sin(@0)", {kept}));
    EXPECT_EQ(result(fused, {kept, y}), result(apart, {sine, y})) << fused;
  };
  expectSame(x, "add(sin(@0),sum(mul(sin(@0),@1),-2,True))",
             "add(@0,sum(mul(@0,@1),-2,True))");
  expectSame(x, "add(mul(sin(@0),@1),sum(mul(sin(@0),@1),-2,True))",
             "add(mul(@0,@1),sum(mul(@0,@1),-2,True))");
  expectSame(column, "sub(sum(mul(sin(@0),@1),-1,True),sin(@0))",
             "sub(sum(mul(@0,@1),-1,True),@0)");
}

TEST_P(Reducing, ElementsOfShortTypesAreNotRoundedForTheLargest) {
  // 246^2 is 60516, and 60416 in bf16.
  const Tensor x(DType::BF16, {2}, std::vector<std::uint16_t>{0x4376, 0});
  for (const char *text : {"exp(torch.float(log_softmax(mul(@0,@0),-1)))",
                           "torch.float(softmax(mul(@0,@0),-1))"})
    EXPECT_EQ(result(text, {x}), (std::vector<float>{1, 0})) << text;
}

TEST_P(Reducing, NoElements) {
  const Tensor none(DType::F32, {2, 0});
  const auto is = [](const std::vector<float> &values, float expected) {
    return values.size() == 2 && sameFloat(values[0], expected) &&
           sameFloat(values[1], expected);
  };
  EXPECT_TRUE(is(result("sum(@0,1)", {none}), 0));
  EXPECT_TRUE(is(result("prod(@0,1)", {none}), 1));
  EXPECT_TRUE(is(result("mean(@0,1)", {none}), NAN));
  EXPECT_TRUE(is(result("var(@0,1)", {none}), NAN));
  for (const char *text : {"norm(@0,2,1)", "cosine_similarity(@0,@0,1,0)",
                           "cosine_similarity(@0,@0,1,1e-200)"})
    EXPECT_TRUE(is(result(text, {none}), 0)) << text;
  EXPECT_EQ(result<char>("any(@0,1)", {none}), (std::vector<char>{0, 0}));
  EXPECT_EQ(result<char>("all(@0,1)", {none}), (std::vector<char>{1, 1}));
  // Of no rows there is nothing to say.
  for (const char *text : {"amax(@0,0)", "argmax(@0,0)", "sum(@0,0)"})
    EXPECT_EQ(run(text, {none})[0].shape, Shape{0}) << text;
  for (const char *text : {"softmax(@0,0)", "softmax(@0,1)", "softmin(@0,1)",
                           "log_softmax(@0,1)", "layer_norm(@0,1)"})
    EXPECT_EQ(run(text, {none})[0].shape, (Shape{2, 0})) << text;
  EXPECT_TRUE(is(result("logsumexp(@0,1)", {none}), -Inf));
}

TEST_P(Reducing, OneElementHasNoVariance) {
  const Tensor one = floats({1, 2}, {3, 4});
  for (float each : result("var(@0,0)", {one}))
    EXPECT_TRUE(std::isnan(each));
  EXPECT_EQ(result("var(@0,0,False,0)", {one}), (std::vector<float>{0, 0}));
}

TEST_P(Reducing, AScalarIsOneElement) {
  const Tensor scalar = floats({}, {5});
  for (const char *text : {"sum(@0)", "sum(@0,0)", "mean(@0,-1,True)",
                           "amax(@0,0)", "norm(@0)", "prod(@0)"})
    EXPECT_EQ(result(text, {scalar}), std::vector<float>{5}) << text;
  EXPECT_EQ(result("softmax(@0,0)", {scalar}), std::vector<float>{1});
  EXPECT_EQ(result<std::int64_t>("argmax(@0,0)", {scalar}),
            std::vector<std::int64_t>{0});
}

TEST_P(Reducing, NanAndTies) {
  const Tensor x = floats({2, 4}, {1, NAN, 3, NAN, 7, 2, 7, 7});
  const auto largest = result("amax(@0,1)", {x});
  EXPECT_TRUE(std::isnan(largest[0]));
  EXPECT_EQ(largest[1], 7);
  EXPECT_EQ(result<std::int64_t>("argmax(@0,1)", {x}),
            (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(result<std::int64_t>("argmin(@0,1)", {x}),
            (std::vector<std::int64_t>{1, 1}));
  // 0 and -0 are equal: the first wins, far from it too.
  std::vector<float> zeros(5000, -1.0f);
  zeros[1234] = -0.0f;
  zeros[4321] = 0.0f;
  EXPECT_EQ(result<std::int64_t>("argmax(@0)", {floats({5000}, zeros)}),
            std::vector<std::int64_t>{1234});
  EXPECT_EQ(result<char>("any(@0)", {floats({2}, {0, NAN})}),
            std::vector<char>{1});
}

TEST_P(Reducing, IntegersAreAddedInI64) {
  const Tensor x(DType::I8, {2, 3},
                 std::vector<std::int8_t>{127, 127, 127, -128, -128, 1});
  const Tensors sum = run("sum(@0,1)", {x});
  EXPECT_EQ(sum[0].type, DType::I64);
  EXPECT_EQ(sum[0].values<std::int64_t>(),
            (std::vector<std::int64_t>{381, -255}));
  const Tensor flags(DType::Bool, {4}, std::vector<char>{1, 0, 1, 1});
  EXPECT_EQ(run("sum(@0)", {flags})[0].values<std::int64_t>(),
            std::vector<std::int64_t>{3});
  EXPECT_EQ(run("amin(@0)", {flags})[0].values<char>(), std::vector<char>{0});
  const Tensor bytes(DType::U8, {3}, std::vector<std::uint8_t>{0, 200, 255});
  const Tensors any = run("any(@0)", {bytes});
  EXPECT_EQ(any[0].type, DType::U8);
  EXPECT_EQ(any[0].values<char>(), std::vector<char>{1});
}

TEST_P(Reducing, OutputsOfDifferentShapes) {
  const Tensor x = counting({3, 4});
  const Tensors outputs = run(
      "[sum(@0),neg(@0),amax(@0,0,True),argmin(@0,1),sub(@0,mean(@0,1,True))]",
      {x});
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(outputs[0].values<float>(), std::vector<float>{66});
  EXPECT_EQ(outputs[1].values<float>()[5], -5);
  EXPECT_EQ(outputs[2].shape, (Shape{1, 4}));
  EXPECT_EQ(outputs[2].values<float>(), (std::vector<float>{8, 9, 10, 11}));
  EXPECT_EQ(outputs[3].values<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(outputs[4].values<float>()[4], -1.5f);
}

TEST_P(Reducing, BroadcastOperandsOfTheArgument) {
  const Tensor column = floats({2, 1}, {1, 10}), row = floats({3}, {1, 2, 3});
  EXPECT_EQ(result("sum(mul(@0,@1),0)", {column, row}),
            (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(result("sum(mul(@0,@1),1)", {column, row}),
            (std::vector<float>{6, 60}));
  // Of one element that stands for many each counts.
  EXPECT_EQ(result("sum(add(@0,mul(@1,0)),1)", {column, row}),
            (std::vector<float>{3, 30}));
  EXPECT_EQ(result("add(sum(@0),sum(@1))", {column, row}),
            std::vector<float>{17});
}

TEST_P(Reducing, SimilarityOfWhatBroadcasts) {
  const Tensor x = floats({2, 4}, {1, 1, 1, 1, 1, -1, 1, -1});
  for (const Tensor &y : {floats({4}, {3, 3, 3, 3}), floats({1, 1}, {3})}) {
    for (const char *text :
         {"cosine_similarity(@0,@1,1)", "cosine_similarity(@1,@0,-1)"})
      EXPECT_EQ(result(text, {x, y}), (std::vector<float>{1, 0}));
  }
}

TEST_P(Reducing, NumbersAndSizesInside) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(result("div(sum(@0,1),size(@0,1))", {x}),
            (std::vector<float>{1, 4}));
  EXPECT_EQ(result("sum(add(@0,size(@0,0)),1)", {x}),
            (std::vector<float>{9, 18}));
  EXPECT_EQ(result("sum(mul(@0,2))", {x}), std::vector<float>{30});
}

TEST_P(Reducing, OutputsMayHaveAnyLayout) {
  const Tensor x = counting({30, 40});
  for (const char *text :
       {"sum(@0,1,True)", "softmax(@0,0)", "amax(@0,0)", "layer_norm(@0,-1)"}) {
    const Kernel kernel = compile(text);
    const Tensor expected = run(text, {x})[0];
    for (const Shape &strides :
         {transposed(expected.shape), sliced(expected.shape, 2),
          reversed(expected.shape), reversed(expected.shape, 1)}) {
      Tensor output(DType::F32, expected.shape, strides);
      ASSERT_TRUE(kernel.run(viewsOf({x}), {output.view()}));
      EXPECT_EQ(output.bytes(), expected.bytes()) << text;
    }
  }
}

/// Runs a kernel of operands whose first one is also the output.
Status runInPlace(const Kernel &kernel, Tensor &x) {
  return kernel.run({x.view()}, {x.view()});
}

TEST_P(Reducing, AnOutputThatIsAnInputIsRightOrRefused) {
  for (const char *text :
       {"softmax(@0,-1)", "softmax(@0,0)", "log_softmax(@0,1)",
        "layer_norm(@0,-1)", "rms_norm(@0,0)", "sub(@0,amax(@0,1,True))",
        "add(@0,sum(@0))", "normalize(@0,2,1)", "sub(@0,mean(@0,0))",
        "softmax(softmax(@0,0),1)", "add(@0,softmax(add(@0,1),1))"})
    for (const Shape &shape :
         {Shape{7, 40}, Shape{130, 70}, Shape{2, 70001}, Shape{40, 1, 30}}) {
      Tensor x = randomTensor(DType::F32, shape, 3);
      const Tensor expected = run(text, {x})[0], before = x;
      for (const unsigned threads : {1, 4}) {
        Tensor own = before;
        const auto status =
            compile(text).run({own.view()}, {own.view()}, runOptions(threads));
        if (status) {
          EXPECT_EQ(own.bytes(), expected.bytes())
              << text << ' ' << shape.str() << ' ' << threads;
        } else {
          EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput);
          EXPECT_EQ(own.bytes(), before.bytes());
        }
      }
    }
  // What is used most works.
  Tensor x = counting({7, 40});
  for (const char *text : {"softmax(@0,-1)", "layer_norm(@0,-1)"})
    EXPECT_TRUE(runInPlace(compile(text), x)) << text;
}

TEST_P(Reducing, ElementsAreKeptBeforeWhatReadsThem) {
  const Tensor x = randomTensor(DType::F64, {3, 4, 10}, 5),
               half = randomTensor(DType::F16, {3, 4, 10}, 6);
  const Tensor squares = run("mul(var(norm(@0,2,-1,True),-1,True),@0)", {x})[0],
               sums = run("sum(normalize(@0,2,-1),-1,True)", {x})[0];
  const Tensors both = run("[mul(var(norm(@0,2,-1,True),-1,True),@0),"
                           "sum(normalize(@0,2,-1),-1,True)]",
                           {x});
  EXPECT_EQ(both[0].bytes(), squares.bytes());
  EXPECT_EQ(both[1].bytes(), sums.bytes());
  run("mul(exp(@0),sum(group_norm(exp(@0),1),-1,True))", {half});
}

TEST_P(Reducing, WhatIsComputedOnceARowComesBeforeWhatReadsIt) {
  const Tensor x = randomTensor(DType::F32, {20, 30}, 4);
  const Tensors outputs =
      run("[mul(@0,sum(mul(@0,@0),-1,True)),add(mul(@0,neg(mean(@0,-1,True))),"
          "mul(@0,sub(sum(mul(@0,@0),-1,True),neg(mean(@0,-1,True)))))]",
          {x});
  EXPECT_EQ(outputs[0].bytes(),
            run("mul(@0,sum(mul(@0,@0),-1,True))", {x})[0].bytes());
  const Tensor mean = run("neg(mean(@0,-1,True))", {x})[0],
               sum = run("sum(mul(@0,@0),-1,True)", {x})[0];
  EXPECT_EQ(
      outputs[1].bytes(),
      run("add(mul(@0,@1),mul(@0,sub(@2,@1)))", {x, mean, sum})[0].bytes());
}

TEST_P(Reducing, OneOfSeveralOutputsMayBeAnInputOrIsRefused) {
  const Tensor before = randomTensor(DType::F32, {33, 65}, 4);
  for (const char *text :
       {"[softmax(@0,1),sum(@0,1)]", "[neg(@0),sum(@0,0)]",
        "[neg(@0),exp(sub(@0,amax(@0,0)))]", "[neg(@0),softmax(@0,0)]",
        "[exp(@0),sum(neg(@0))]"}) {
    const Tensors expected = run(text, {before});
    Tensor own = before, second(DType::F32, expected[1].shape);
    const auto status =
        compile(text).run({own.view()}, {own.view(), second.view()});
    if (!status) {
      EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput) << text;
      EXPECT_EQ(own.bytes(), before.bytes()) << text;
      continue;
    }
    EXPECT_EQ(own.bytes(), expected[0].bytes()) << text;
    EXPECT_EQ(second.bytes(), expected[1].bytes()) << text;
  }
}

TEST_P(Reducing, OutputsThatOverlapInputsAreRefused) {
  Tensor x = counting({8, 8});
  const TensorView part(static_cast<float *>(x.view().data()) + 8, {8});
  const auto status = compile("sum(@0,1)").run({x.view()}, {part});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput);
  EXPECT_EQ(x.values<float>()[9], 9);
  // A sum that lies where its first row does, of one shape with it.
  Tensor y = counting({1, 8});
  const TensorView first(y.view().data(), DType::F32, Shape{8}, Shape{1});
  const auto other = compile("sum(@0,0)").run({y.view()}, {first});
  if (other)
    EXPECT_EQ(y.values<float>()[3], 3);
  else
    EXPECT_EQ(other.error().code(), ErrorCode::OverlappingOutput);
}

TEST_P(Reducing, BoundAndPreparedCallsRunAgain) {
  for (const char *text :
       {"softmax(@0,-1)", "sum(@0,0)", "[amax(@0),layer_norm(@0,1)]"}) {
    const Kernel kernel = compile(text);
    Tensor x = randomTensor(DType::F32, {70, 65}, 5);
    Tensors outputs = run(text, {x});
    const auto bound = kernel.bind({x.view()}, viewsOf(outputs));
    ASSERT_TRUE(bound) << bound.error().render();
    std::vector<TensorView> shaped;
    for (const Tensor &output : outputs)
      shaped.emplace_back(static_cast<float *>(nullptr), output.shape);
    const auto prepared = kernel.prepare(
        {TensorView(static_cast<const float *>(nullptr), x.shape)}, shaped);
    ASSERT_TRUE(prepared) << prepared.error().render();
    for (std::uint32_t seed = 6; seed < 9; ++seed) {
      const Tensor next = randomTensor(DType::F32, x.shape, seed);
      const Tensors expected = run(text, {next});
      std::memcpy(x.view().data(), next.view().data(), 70 * 65 * 4);
      ASSERT_TRUE(bound->run());
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(outputs[i].bytes(), expected[i].bytes()) << text;
        std::memset(outputs[i].view().data(), 7, 4);
      }
      std::vector<void *> targets;
      for (Tensor &output : outputs)
        targets.push_back(output.view().data());
      const std::vector<const void *> sources = {next.view().data()};
      ASSERT_TRUE(prepared->run(sources, targets));
      for (std::size_t i = 0; i < outputs.size(); ++i)
        EXPECT_EQ(outputs[i].bytes(), expected[i].bytes()) << text;
    }
  }
}

TEST_P(Reducing, PreparedCallsRefuseAnOutputThatIsReadLater) {
  // The second sweep over @0 comes after the output has been written.
  const Kernel kernel = compile("softmax(softmax(@0,0),1)");
  Tensor x = randomTensor(DType::F32, {40, 30}, 7);
  const Tensor expected = run("softmax(softmax(@0,0),1)", {x})[0];
  const TensorView shape(static_cast<float *>(nullptr), x.shape);
  const auto prepared = kernel.prepare({shape}, {shape});
  ASSERT_TRUE(prepared);
  const std::vector<const void *> sources = {x.view().data()};
  const std::vector<void *> targets = {x.view().data()};
  const auto status = prepared->run(sources, targets);
  EXPECT_EQ(static_cast<bool>(status), prepared->mayShare(0, 0));
  if (status)
    EXPECT_EQ(x.bytes(), expected.bytes());
  else
    EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput);
}

TEST_P(Reducing, BatchesOfItemsOfAnyRows) {
  for (const char *text : {"softmax(@0,-1)", "sum(mul(@0,@1),0)", "amax(@0)"}) {
    const Kernel kernel = compile(text);
    Tensors first, second, outputs, expected;
    for (const Shape &shape : {Shape{3, 65}, Shape{0, 65}, Shape{100, 65},
                               Shape{1, 1}, Shape{2, 3000}}) {
      if (shape.elementCount() == 0 && text[0] == 'a')
        continue;
      const auto seed = static_cast<std::uint32_t>(first.size());
      first.push_back(randomTensor(DType::F32, shape, seed));
      second.push_back(randomTensor(DType::F32, {shape[1]}, seed + 100));
      const Tensors own = outputsOf(text, {first.back(), second.back()}, way());
      expected.push_back(own[0]);
      outputs.emplace_back(DType::F32, own[0].shape);
    }
    std::vector<TensorView> inputs = viewsOf(first);
    for (const TensorView &view : viewsOf(second))
      inputs.push_back(view);
    for (const unsigned threads : {1, 4}) {
      const auto status =
          kernel.runBatch(inputs, viewsOf(outputs), runOptions(threads));
      ASSERT_TRUE(status) << status.error().render();
      for (std::size_t i = 0; i < outputs.size(); ++i)
        EXPECT_EQ(outputs[i].bytes(), expected[i].bytes()) << text << ' ' << i;
    }
  }
}

TEST_P(Reducing, OfSomeOperandsTheShapeAloneIsUsed) {
  const Kernel kernel = compile("mul(sum(@0,-1),size(@1,0))");
  const Tensor x = counting({2, 3});
  Tensor output(DType::F32, {2});
  for (const std::int64_t size : {3, 7, 3}) {
    const Tensor other(DType::F32, {size});
    const auto status = kernel.run({x.view(), other.view()}, output.view());
    ASSERT_TRUE(status) << status.error().render();
    const auto sums = outputsOf("sum(@0,-1)", {x}, way())[0].values<float>();
    EXPECT_EQ(output.values<float>()[1], sums[1] * static_cast<float>(size));
  }
  const auto status = kernel.run({x.view()}, output.view());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::MissingOperand);
}

TEST_P(Reducing, ABatchNamesTheItemThatIsWrong) {
  const Tensor good = counting({2, 3}), bad = counting({4});
  Tensor outputs[] = {Tensor(DType::F32, {2}), Tensor(DType::F32, {4})};
  const auto status = compile("sum(@0,1)")
                          .runBatch(viewsOf({good, bad}),
                                    {outputs[0].view(), outputs[1].view()});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(),
            "batch item 1: axis 1 of a tensor of 1 axes");
  EXPECT_EQ(outputs[0].values<float>()[1], 0);
}

TEST_P(Reducing, ManyAxesThatDoNotMerge) {
  const Shape shape = {3, 2, 5, 3, 4};
  const Tensor x = randomTensor(DType::F64, shape, 8);
  const Tensor odd = x.with({2, 6, 12, 60, 200});
  for (const char *text : {"sum(@0,[0,2,4])", "amax(@0,[1,3],True)",
                           "softmax(@0,2)", "mean(@0,[-1,0])", "sum(@0)"})
    EXPECT_EQ(run(text, {odd})[0].bytes(), run(text, {x})[0].bytes()) << text;
}

TEST_P(Reducing, MaskedRowsOfSoftmax) {
  std::vector<float> values(3 * 70, -Inf);
  values[0] = 3;
  values[69] = 3;
  values[70] = Inf;
  const Tensor x = floats({3, 70}, values);
  const auto out = result("softmax(@0,-1)", {x});
  EXPECT_EQ(out[0], 0.5f);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[69], 0.5f);
  EXPECT_TRUE(std::isnan(out[70])); // inf - inf
  for (int i = 140; i < 210; ++i)
    EXPECT_TRUE(std::isnan(out[i])) << i;
  const auto log = result("log_softmax(@0,-1)", {x});
  EXPECT_FLOAT_EQ(log[0], -0.6931471805599453f);
  EXPECT_EQ(log[1], -Inf);
  EXPECT_TRUE(std::isnan(log[140]));
  const auto sum = result("logsumexp(@0,-1)", {x});
  EXPECT_FLOAT_EQ(sum[0], 3.6931471805599454f);
  EXPECT_EQ(sum[1], Inf);
  EXPECT_EQ(sum[2], -Inf);
}

TEST_P(Reducing, NormsKeepTheSignsOfZeros) {
  // Factors of rows, rounded, are too large and too small.
  constexpr std::int64_t rows = 64;
  std::vector<float> values;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const float each : {-0.0f, 0.0f, 1 + 0.1f * static_cast<float>(row)})
      values.push_back(each);
  const Tensor x = floats({rows, 3}, values);
  for (const char *text :
       {"normalize(@0,2,-1)", "rms_norm(@0,-1)", "rms_norm(@0,-1,None,0)"}) {
    const auto out = result(text, {x});
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(std::signbit(out[i]), std::signbit(values[i])) << text << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Reducing,
                         testing::Values(Mode::Interpret, Mode::Baseline,
                                         Mode::Optimized));

} // namespace
} // namespace kexpr::test::rows::calls
