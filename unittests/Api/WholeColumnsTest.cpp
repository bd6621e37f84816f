//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that take columns whole give what sweeps give, all elements at once or
// in parts, wherever these lie.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::whole_columns {
namespace {

constexpr std::int64_t Lengths[] = {2, 3, 8, 31, 32, 33, 40, 65, 150, 180};
// Fewer are taken as one run with their lanes.
constexpr std::int64_t ManyColumns = 300;

TEST(WholeColumns, OfEachLength) {
  for (const std::int64_t length : Lengths)
    for (const char *text :
         {"softmax(@0,1)", "log_softmax(@0,1)", "normalize(@0,2,1)",
          "layer_norm(@0,1)", "sub(@0,amax(@0,1,True))"})
      expectSame(text, {randomTensor(DType::F32, {2, length, ManyColumns}, 1)});
}

TEST(WholeColumns, OfFewColumns) {
  for (const std::int64_t columns : {2, 3, 5, 7, 12, 15, 30})
    for (const std::int64_t length : {2, 3, 7, 20, 32, 33, 64, 100, 140})
      for (const char *text :
           {"softmax(@0,1)", "layer_norm(silu(@0),1)", "tanh(std(sin(@0),1))",
            "[sum(@0,1),amax(@0,1,True)]", "prod(exp(@0),1)"})
        expectSame(text, {randomTensor(DType::F32, {9, length, columns}, 16)});
  // Reductions of several parts, of elements of which some are rare.
  for (const std::int64_t columns : {4, 16, 80})
    for (const std::int64_t length : {8, 9, 16, 24, 32, 33, 64})
      for (const char *text : {"var(cos(exp(@0)),1)", "layer_norm(cos(@0),1)"})
        expectSame(text, {randomTensor(DType::F64, {5, length, columns}, 17)});
}

TEST(WholeColumns, HaveALoopWhereTheyFitAStack) {
  const auto hasLoop = [](const char *text, std::int64_t length) {
    const Kernel kernel = compiled(text, {DType::F32, DType::F32});
    const Tensor x = randomTensor(DType::F32, {length, ManyColumns}, 12);
    Tensor out(DType::F32, x.shape);
    const auto run = [&] {
      EXPECT_TRUE(kernel.run(viewsOf({x, x}), {{out.view()}}));
      engineOf(0).settle();
      return kernel.codeSize();
    };
    compiled("softmax(@0,0)", {DType::F32}); // Its sweeps are others' as well.
    const std::size_t before = kernel.codeSize();
    return run() > before + 4000;
  };
  EXPECT_TRUE(hasLoop("add(softmax(@0,0),@1)", 20));
  EXPECT_TRUE(hasLoop("sub(softmax(@0,0),@1)", 150));
  EXPECT_FALSE(hasLoop("mul(softmax(@0,0),@1)", 400));
  // What is rare in one element of a row makes others wait.
  EXPECT_FALSE(hasLoop("add(mul(tanh(@0),sin(mean(@0,0,True))),@1)", 170));
}

TEST(WholeColumns, WithOutputsThatHaveNoElements) {
  for (const std::int64_t length : {20, 40, 100}) {
    const Tensor x = randomTensor(DType::F32, {2, length, ManyColumns}, 13);
    const Tensor y = randomTensor(DType::F32, {2, 1, ManyColumns}, 14);
    Tensor ofAll(DType::F32, x.shape, {ManyColumns, 0, 1});
    std::memcpy(ofAll.view().data(), y.view().data(), 8 * ManyColumns);
    for (const char *text :
         {"mul(sum(exp(@0),1,True),@1)",
          "[mul(sum(exp(sub(@0,mean(@0,1,True))),1,True),@1),exp(@0)]",
          "[softmax(@0,1),mul(amax(@0,1,True),@1)]"})
      expectSame(text, {x, ofAll});
  }
  // Nothing lies in columns.
  const Tensor x(DType::F32, {200, 1}, std::vector<float>(200, 1.5f));
  expectSame("logsumexp(add(add(@0,@1),@1),0)",
             {x, randomTensor(DType::F32, {1, ManyColumns}, 15)});
}

TEST(WholeColumns, OfEachType) {
  for (DType type : OtherTypes)
    for (const std::int64_t length : {5, 24, 70})
      for (const char *text :
           {"mul(exp(sub(@0,amax(@0,1,True))),2)", "[sum(@0,1),argmax(@0,1)]",
            "softmax(where(gt(@0,0),@0,-inf),1)"})
        if (type != DType::Bool || text[0] == 's')
          expectSame(text, {randomTensor(type, {2, length, ManyColumns}, 2)});
}

TEST(WholeColumns, WithoutMasksOfNarrowElements) {
  EngineOptions options;
  options.cpu = "haswell";
  const Engine engine(options);
  for (DType type : {DType::F16, DType::I16, DType::U8})
    for (const std::int64_t length : {3, 12, 40}) {
      const char *text = "exp(sub(@0,amax(@0,1,True)))";
      const Tensor x = randomTensor(type, {2, length, 43}, 11);
      CompileOptions typed;
      typed.operandTypes = {type};
      const auto kernel = engine.compile(text, typed);
      if (!kernel)
        return; // This machine is another one.
      Tensor out(kernel->outputType(0), x.shape);
      const Tensors expected =
          outputsOf(text, {x}, {Mode::Interpret, 0, runOptions(1)});
      for (int turn = 0; turn < 2; ++turn) {
        ASSERT_TRUE(kernel->run(viewsOf({x}), {{out.view()}}));
        ASSERT_EQ(out.bytes(), expected[0].bytes()) << length;
        engine.settle();
      }
    }
}

TEST(WholeColumns, BesideOtherOperands) {
  for (const std::int64_t length : {6, 20, 48, 100}) {
    constexpr std::int64_t columns = ManyColumns;
    const Tensor x = randomTensor(DType::F32, {3, length, columns}, 3),
                 y = randomTensor(DType::F64, {3, length, columns}, 4),
                 weight = randomTensor(DType::F32, {length, 1}, 5),
                 ofColumn = randomTensor(DType::F32, {3, 1, columns}, 6),
                 mask = randomTensor(DType::Bool, {3, length, columns}, 7);
    expectSame("add(mul(softmax(@0,1),@1),@1)", {x, weight});
    expectSame("softmax(add(mul(@0,@2),@1),1)", {x, weight, ofColumn});
    expectSame("softmax(where(@1,@0,-inf),1)", {x, mask});
    expectSame("sub(softmax(@0,1),softmax(@1,1))", {x, y});
    expectSame("[softmax(@0,1),sum(exp(@0),1),exp(@0)]", {x});
    // Turned around, each other element, and rows that are no columns.
    expectSame("softmax(@0,1)", {x.with(reversed(x.shape, 2))});
    expectSame("softmax(@0,1)", {x.with(sliced(x.shape, 2))});
    expectSame("softmax(@0,1)", {x.with(transposed(x.shape))});
    expectSame("add(softmax(@0,1),@1)", {x, y.with(transposed(y.shape))});
    expectSame("softmax(@0,0)", {x.with({1, 3 * columns, 3})});
    expectSame("softmax(where(lt(amax(@0,1,True),5),@0,abs(@0)),1)", {x});
  }
}

TEST(WholeColumns, WithRareElements) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float rare[] = {-inf, 0, 1e-42f, -1, inf, 1e38f, 88.8f, -104};
  for (const std::int64_t length : {3, 20, 32, 40})
    for (const std::size_t apart : {1, 7, 400}) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < 70 * length; ++i)
        values.push_back(i % apart == 0 ? rare[i / apart % 8]
                                        : 0.01f * static_cast<float>(i % 97));
      const Tensor x(DType::F32, {length, 70}, values);
      for (const char *text : {"softmax(@0,0)", "log_softmax(@0,0)",
                               "sub(log(@0),amax(sin(@0),0,True))",
                               "mul(tanh(@0),sin(mean(@0,0,True)))"})
        expectSame(text, {x});
    }
}

TEST(WholeColumns, MayCrowdIntoASet) {
  // Whole pages apart, so that columns are copied in strips, of which the last
  // has fewer.
  for (const std::int64_t length : {20, 32, 48, 100})
    for (const std::int64_t columns : {16, 128, 300, 1024}) {
      const Shape shape{2, length, columns}, strides{length * 1024, 1024, 1};
      const Tensor x = randomTensor(DType::F32, shape, 8).with(strides);
      expectSame("softmax(@0,1)", {x});
      expectSame("[amax(@0,1),softmax(@0,1)]", {x});
    }
}

TEST(WholeColumns, MayBeStoredOverTheirOperand) {
  for (const char *text : {"softmax(@0,1)", "log_softmax(@0,1)",
                           "sub(exp(@0),sum(exp(@0),1,True))"})
    for (const std::int64_t length : {3, 17, 32, 40, 100})
      for (const std::int64_t columns : {ManyColumns, std::int64_t{1024}})
        expectSameInPlace(text,
                          randomTensor(DType::F32, {2, length, columns}, 9));
}

TEST(WholeColumns, MayGoPastTheCaches) {
  for (const std::int64_t length : {8, 32, 40})
    for (const std::int64_t columns : {20000, 20480}) {
      const Tensor x = randomTensor(DType::F32, {length, columns}, 10);
      const Kernel kernel = compiled("softmax(@0,0)", {DType::F32});
      const Tensors expected = outputsOf("softmax(@0,0)", {x});
      const auto count = static_cast<std::size_t>(length * columns);
      std::vector<float> memory(count + 32);
      const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
      // From a cache line on, and not.
      for (const std::size_t off : {0, 1}) {
        float *first = memory.data() + (64 - begin % 64) / 4 + off;
        RunOptions options = runOptions(2);
        options.stores = Stores::Streamed;
        for (int turn = 0; turn < 3; ++turn) {
          std::fill(memory.begin(), memory.end(), 0.0f);
          ASSERT_TRUE(kernel.run(viewsOf({x}), {{TensorView(first, x.shape)}},
                                 options));
          engineOf(0).settle();
          ASSERT_EQ(std::memcmp(first, expected[0].view().data(), 4 * count),
                    0);
        }
      }
    }
}

} // namespace
} // namespace kexpr::test::rows::whole_columns
