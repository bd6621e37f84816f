//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Losses of rows that have a class each: the element of the class is read where
// it lies, whatever rows are made of.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::losses {
namespace {

/// Classes of rows along the second axis, some of which do not count.
Tensor classesFor(const Shape &shape) {
  std::vector<std::int64_t> extents, values;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (axis != 1)
      extents.push_back(shape[axis]);
  const Shape rows(extents.data(), extents.size());
  std::mt19937 random(31);
  for (std::int64_t row = 0; row < rows.elementCount(); ++row)
    values.push_back(
        random() % 5 ? static_cast<std::int64_t>(random()) % shape[1] : -100);
  return {DType::I64, rows, values};
}

/// The weighted mean of -x at classes, written naively.
float lossOf(const Tensor &x, const Tensor &classes, const Tensor &weights) {
  const auto own = classes.values<std::int64_t>();
  const auto weight = weights.values<float>();
  std::int64_t inner = 1;
  for (std::size_t axis = 2; axis < x.shape.rank(); ++axis)
    inner *= x.shape[axis];
  double sum = 0, total = 0;
  for (std::size_t row = 0; row < own.size(); ++row) {
    if (own[row] == -100)
      continue;
    const auto at = static_cast<std::int64_t>(row);
    float element;
    std::memcpy(&element,
                x.at((at / inner * x.shape[1] + own[row]) * inner + at % inner),
                sizeof element);
    const double each =
        static_cast<double>(weight[static_cast<std::size_t>(own[row])]);
    sum -= each * static_cast<double>(element);
    total += each;
  }
  return static_cast<float>(sum / total);
}

TEST(ClassLosses, TakeTheElementOfEachRow) {
  for (const Shape &shape : {Shape{1, 1}, Shape{5, 7}, Shape{300, 10},
                             Shape{2, 9, 5, 13}, Shape{20000, 3}}) {
    const Tensor x = randomTensor(DType::F32, shape, 32),
                 classes = classesFor(shape),
                 weights =
                     outputsOf("add(abs(@0),0.5)",
                               {randomTensor(DType::F32, {shape[1]}, 33)})[0];
    const float loss = lossOf(x, classes, weights);
    const auto expected = Tensor(DType::F32, {}, std::vector{loss}).bytes();
    for (const Way &way : allWays())
      for (const Tensor &layout :
           {x, x.with(transposed(shape)), x.with(sliced(shape, 3)),
            x.with(reversed(shape))})
        for (const Tensor &rows :
             {classes, classes.with(reversed(classes.shape)),
              classes.with(sliced(classes.shape, 2))})
          ASSERT_EQ(
              outputsOf("nll_loss(@0,@1,@2)", {layout, rows, weights}, way)[0]
                  .bytes(),
              expected)
              << shape.str() << ", strides " << layout.strides.str() << ", "
              << way.str();
  }
}

/// `text` of the results of each expression is the same in one kernel.
void expectFused(const std::string &loss, const std::string &x,
                 const std::string &classes, const Tensors &inputs) {
  const Tensors apart = {outputsOf(x, inputs)[0],
                         outputsOf(classes, inputs)[0]};
  for (const Mode mode : {Mode::Interpret, Mode::Optimized}) {
    const Way way{mode, 0, runOptions(2, 64)};
    EXPECT_EQ(
        outputsOf(loss + '(' + x + ',' + classes + ')', inputs, way)[0].bytes(),
        outputsOf(loss + "(@0,@1)", apart, way)[0].bytes())
        << loss << " of " << x << ", " << classes;
  }
}

TEST(ClassLosses, OfExpressionsAreThoseOfTheirResults) {
  const Shape shape{40, 6, 9};
  const Tensors inputs = {randomTensor(DType::F32, shape, 34),
                          classesFor(shape),
                          randomTensor(DType::F32, {6, 1}, 35),
                          randomTensor(DType::F16, {40, 1, 9}, 36)};
  std::string longer = "@0";
  for (int i = 0; i < 70; ++i)
    longer = "sin(" + longer + ')';
  for (const char *loss : {"nll_loss", "cross_entropy"}) {
    for (const char *x :
         {"log_softmax(@0,1)", "log_softmax(@0,-1)", "add(mul(@0,@2),@3)",
          "cumsum(@0,1)", "sub(@0,mean(@0,[0,2],True))", longer.c_str(),
          "add(@0,@0)", "group_norm(@0,2)", "log_softmax(group_norm(@0,3),1)",
          "instance_norm(@0)", "where(lt(@0,@2),@2,mul(@0,2))"})
      expectFused(loss, x, "@1", inputs);
    for (const char *classes :
         {"argmax(@0,1)", "torch.int8(@1)", "torch.uint64(add(@1,1))",
          "where(eq(@1,2),3,@1)", "remainder(@1,6)"})
      expectFused(loss, "@0", classes, inputs);
  }
}

TEST(ClassLosses, OfClassesThatAreNoneAreNaN) {
  const Tensor x = randomTensor(DType::F32, {3, 4}, 37);
  const auto of = [&](const char *text,
                      const std::vector<std::int64_t> &classes) {
    return outputsOf(text, {x, Tensor(DType::I64, {3}, classes)})[0]
        .values<float>()[0];
  };
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t none : {std::int64_t{4}, std::int64_t{-1}, least}) {
    for (const char *text : {"nll_loss(@0,@1)", "cross_entropy(@0,@1)",
                             "nll_loss(where(isnan(@0),1.0,2.0),@1)"}) {
      const float loss = of(text, {0, none, 1});
      EXPECT_NE(loss, loss) << text;
    }
  }
  EXPECT_EQ(of("nll_loss(@0,@1)", {2, -100, -100}), -x.values<float>()[2]);
}

TEST(ClassLosses, AreOfNoOperandThatTheyWrite) {
  Tensor x = randomTensor(DType::F32, {4, 5}, 38),
         classes(DType::I64, {4}, std::vector<std::int64_t>{1, 0, 4, 2}),
         loss(DType::F32, {});
  const auto write = [&](const char *text, Tensor &to) {
    const TensorView inputs[] = {x.view(), classes.view()},
                     outputs[] = {loss.view(), to.view()};
    const auto status =
        compiled(text, {DType::F32, DType::I64}).run(inputs, outputs);
    EXPECT_EQ(status.error().code(), ErrorCode::OverlappingOutput) << text;
  };
  write("[nll_loss(@0,@1),add(@0,1)]", x);
  write("[nll_loss(@0,@1),add(@1,1)]", classes);
}

} // namespace
} // namespace kexpr::test::rows::losses
