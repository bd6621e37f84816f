//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that take short rows whole give what sweeps give, for each length and
// layout that they are chosen for, and where elements are rare, or an output is
// an operand.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::whole {
namespace {

TEST(WholeRows, OfEachLength) {
  for (std::int64_t length = 1; length <= 34; ++length)
    for (const char *text : {"softmax(@0,-1)", "[mean(@0,-1),amax(@0,-1)]"})
      expectSame(text, {randomTensor(DType::F32, {37, length}, 1)});
  for (std::int64_t length : {47, 48, 63, 64, 65, 100, 127, 128, 129, 256, 257})
    for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)"})
      expectSame(text, {randomTensor(DType::F32, {37, length}, 2)});
}

TEST(WholeRows, OfEachType) {
  for (DType type : OtherTypes)
    for (std::int64_t length : {6, 12, 16, 19, 40, 72})
      for (const char *text : {"sub(amax(@0,-1,True),@0)", "sum(@0,-1)",
                               "[sum(@0,-1),argmax(@0,-1)]"})
        if (type != DType::Bool || text[0] == '[')
          expectSame(type == DType::Bool ? "[sum(@0,-1),any(@0,-1)]" : text,
                     {randomTensor(type, {33, length}, 3)});
}

TEST(WholeRows, BesideOtherOperands) {
  for (std::int64_t length : {5, 12, 16, 40, 64}) {
    const Tensor x = randomTensor(DType::F32, {40, length}, 4),
                 weight = randomTensor(DType::F32, {length}, 5),
                 bias = randomTensor(DType::F64, {length}, 6),
                 ofRow = randomTensor(DType::F32, {40, 1}, 7),
                 one = randomTensor(DType::F32, {1}, 8);
    expectSame("layer_norm(@0,-1,@1,@1)", {x, weight});
    expectSame("add(mul(softmax(add(@0,@3),-1),@1),@2)",
               {x, weight, bias, one});
    expectSame("[sum(mul(@0,@2),-1,True),div(@0,add(amax(@0,-1,True),@2))]",
               {x, weight, ofRow});
    expectSame("div(sum(@0,-1,True),size(@0,1))", {x});
    // Each other row, and columns that lie one behind the other.
    expectSame("softmax(@0,-1)", {x.with({2 * length, 1})});
    expectSame("softmax(@0,-1)", {x.with({1, 40})});
    // Other operands in other orders.
    expectSame("sub(@0,mean(@1,-1,True))", {x, x.with({1, 40})});
    // Several axes of rows, whose last one has enough of them.
    expectSame("normalize(@0,2,-1)",
               {randomTensor(DType::F32, {3, 17, length}, 9)});
  }
}

TEST(WholeRows, WithARowOfAllThatIsStored) {
  // LLVM 19 does not end with code for some of these.
  for (DType type : {DType::F32, DType::F64, DType::I32})
    for (std::int64_t length = 2; length <= 26; length += length % 4 ? 1 : 4) {
      const Tensor x = randomTensor(type, {40, length}, 13);
      const Tensor row = randomTensor(type, {1, length}, 14);
      Tensor ofAll(type, {40, length}, Shape{0, 1});
      std::memcpy(ofAll.view().data(), row.view().data(),
                  static_cast<std::size_t>(length) * sizeOf(type));
      expectSame("[@1,sum(@0,-1)]", {x, ofAll});
      expectSame("[@1,neg(@1),sub(@0,amax(@0,-1,True))]", {x, ofAll});
    }
}

TEST(WholeRows, WithNumbersThatAreSharedOrDeep) {
  ExpressionBuilder builder;
  const auto call = [&](const char *name,
                        std::initializer_list<ExpressionBuilder::Value> args) {
    return *builder.call(name, std::vector<ExpressionBuilder::Value>(args));
  };
  const auto x = *builder.operand(0), axis = *builder.integer(-1);
  auto size = call("size", {x, *builder.integer(1)});
  for (int i = 0; i < 40; ++i)
    size = call("add", {size, size});
  for (int i = 0; i < 2000; ++i)
    size = call("sub", {size, *builder.integer(1)});
  const auto text =
      builder.finish(std::vector{call("div", {call("sum", {x, axis}), size})});
  ASSERT_TRUE(text) << text.error().render();
  const Engine &engine = engineOf(0);
  const auto kernel = engine.compile(*text, {});
  ASSERT_TRUE(kernel) << kernel.error().render();
  const Tensor rows(DType::F32, {40, 16}, std::vector<float>(40 * 16, 1.0f));
  Tensor out(DType::F32, Shape{40});
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(kernel->run(viewsOf({rows}), {{out.view()}}));
    EXPECT_EQ(out.values<float>()[39],
              static_cast<float>(16 / (16 * 0x1p40 - 2000)));
    engine.settle();
  }
}

TEST(WholeRows, WithRareElements) {
  // Slow ways of logarithms and powers, of some rows and of each.
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (std::int64_t length : {3, 16, 24, 33, 64})
    for (std::size_t apart : {1, 7, 400}) {
      const std::int64_t rows = 50;
      std::vector<float> values;
      constexpr float rare[] = {-inf, 0, 1e-42f, -1, inf, 1e38f, 88.8f, -104};
      for (std::int64_t i = 0; i < rows * length; ++i)
        values.push_back(i % apart == 0 ? rare[i / apart % 8]
                                        : 0.01f * static_cast<float>(i % 97));
      const Tensor x(DType::F32, {rows, length}, values);
      for (const char *text :
           {"softmax(@0,-1)", "log_softmax(@0,-1)", "logsumexp(@0,-1)",
            "add(log(@0),sum(exp(@0),-1,True))",
            "mul(tanh(@0),sin(mean(@0,-1,True)))", "norm(@0,3,-1)"})
        expectSame(text, {x});
    }
}

TEST(WholeRows, MayBeStoredOverTheirOperand) {
  for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)",
                           "layer_norm(@0,-1)", "div(@0,sum(@0,-1,True))"})
    for (std::int64_t length : {3, 7, 16, 17, 24, 33, 50, 64, 128})
      for (int turn = 0; turn < 2; ++turn) {
        const Way way = nextWay();
        const Tensor x = randomTensor(DType::F32, {70, length}, 10);
        const Kernel kernel = compiled(text, {DType::F32}, way);
        const Tensors apart = outputsOf(text, {x}, way);
        Tensor both = x;
        ASSERT_TRUE(kernel.run(viewsOf({both}), {{both.view()}}, way.options));
        ASSERT_EQ(both.bytes(), apart[0].bytes()) << text << ' ' << length;
      }
}

TEST(WholeRows, MayGoPastTheCaches) {
  for (std::int64_t length : {16, 48}) {
    const std::int64_t rows = 50000;
    const Tensor x = randomTensor(DType::F32, {rows, length}, 11);
    const Kernel kernel = compiled("softmax(@0,-1)", {DType::F32});
    const Tensors expected = outputsOf("softmax(@0,-1)", {x});
    std::vector<float> memory(static_cast<std::size_t>(rows * length) + 32);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    // From a cache line on, and not.
    for (std::size_t off : {0, 1}) {
      float *first = memory.data() + (64 - begin % 64) / 4 + off;
      RunOptions options = runOptions(2);
      options.stores = Stores::Streamed;
      for (int turn = 0; turn < 2; ++turn) {
        std::fill(memory.begin(), memory.end(), 0.0f);
        ASSERT_TRUE(
            kernel.run(viewsOf({x}), {{TensorView(first, x.shape)}}, options));
        engineOf(0).settle();
        ASSERT_EQ(std::memcmp(first, expected[0].view().data(),
                              static_cast<std::size_t>(4 * rows * length)),
                  0);
      }
    }
  }
}

TEST(WholeRows, OfManyLengthsHaveLoopsUpToABound) {
  const Kernel kernel = compiled("rms_norm(@0,-1)", {DType::F32});
  std::vector<std::size_t> sizes;
  for (std::int64_t length = 20; length < 90; ++length) {
    const Tensor x = randomTensor(DType::F32, {16, length}, 12);
    Tensor out(DType::F32, x.shape);
    ASSERT_TRUE(kernel.run(viewsOf({x}), {{out.view()}}));
    engineOf(0).settle();
    sizes.push_back(kernel.codeSize());
  }
  // Each length has one, up to 64 of them.
  for (std::size_t i = 1; i < 64; ++i)
    EXPECT_GT(sizes[i], sizes[i - 1] + 500) << i;
  EXPECT_EQ(sizes[64], sizes[63]);
  EXPECT_EQ(sizes.back(), sizes[63]);
}

} // namespace
} // namespace kexpr::test::rows::whole
