//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that do all sweeps over long rows at once give what sweeps give, for
// numbers of rows that leave some for sweeps, and where an output is an
// operand.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::staggered {
namespace {

TEST(StaggeredRows, OfEachLength) {
  for (std::int64_t length : {129, 191, 256, 257, 500, 1000, 1024, 2047, 2048})
    for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)",
                             "div(exp(@0),sum(exp(@0),-1,True))"})
      expectSame(text,
                 {randomTensor(DType::F32, {17000 / length + 3, length}, 1)});
}

TEST(StaggeredRows, OfEachNumberOfRows) {
  for (std::int64_t rows = 8; rows < 60; rows += rows < 40 ? 1 : 7)
    expectSame("softmax(@0,-1)", {randomTensor(DType::F32, {rows, 2048}, 2)});
}

TEST(StaggeredRows, OfMoreRowsThanATaskHasRoomFor) {
  for (unsigned threads : {1, 3}) {
    const Way way = nextWay(threads);
    for (std::int64_t rows : {4100, 5001})
      outputsOf("log_softmax(@0,-1)",
                {randomTensor(DType::F32, {rows, 290}, 3)}, way);
  }
}

TEST(StaggeredRows, OfEachType) {
  for (DType type : {DType::F64, DType::F16, DType::BF16})
    for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)",
                             "mul(tanh(@0),amax(tanh(@0),-1,True))"})
      expectSame(text, {randomTensor(type, {30, 700}, 4)});
}

TEST(StaggeredRows, BesideOtherOperands) {
  constexpr std::int64_t rows = 50, length = 400;
  const Tensor x = randomTensor(DType::F32, {rows, length}, 5),
               weight = randomTensor(DType::F32, {length}, 6),
               ofRow = randomTensor(DType::F64, {rows, 1}, 7),
               one = randomTensor(DType::F32, {1}, 8);
  expectSame("mul(softmax(add(mul(@0,0.125),@1),-1),@2)", {x, weight, ofRow});
  expectSame("[softmax(@0,-1),sum(mul(sigmoid(@0),@1),-1)]", {x, one});
  expectSame("softmax(@0,-1)", {x.with({2 * length, 1})});
  expectSame("sub(tanh(@1),mean(exp(@0),-1,True))",
             {x, randomTensor(DType::F32, {rows, length}, 9)});
  // Rows of several axes, in one and in other strides.
  expectSame("softmax(@0,-1)", {randomTensor(DType::F32, {5, 9, length}, 10)});
  const Tensor both = randomTensor(DType::F32, {6, 8, length}, 11);
  expectSame("softmax(@0,-1)", {both.with({length, 6 * length, 1})});
}

TEST(StaggeredRows, WhereSweepsReadAnOperandInSeveralWays) {
  const Tensor x = randomTensor(DType::F32, {40, 1, 600}, 15),
               one = randomTensor(DType::F32, {1}, 16);
  expectSame("mul(exp(instance_norm(@0,@1,@2)),@1)", {x, one, one});
  // One kernel, whose tensors are found in another order by the second call.
  const Tensor image = randomTensor(DType::F32, {1, 200, 200}, 17),
               dense = randomTensor(DType::F32, {200}, 18);
  Tensor same(DType::F32, {200}, Shape{0});
  std::memcpy(same.view().data(), one.view().data(), sizeof(float));
  const char *text =
      "add(mul(@0,@1),add(@2,sum(exp(instance_norm(@0,@1,@2)),-1,True)))";
  const Kernel kernel = compiled(text, {DType::F32, DType::F32, DType::F32});
  for (const Tensors &inputs :
       {Tensors{image, dense, same}, Tensors{image, same, dense}}) {
    const Tensors expected =
        outputsOf(text, inputs, {Mode::Interpret, 0, runOptions(1)});
    for (int turn = 0; turn < 2; ++turn) {
      Tensor out(DType::F32, image.shape);
      ASSERT_TRUE(kernel.run(viewsOf(inputs), {{out.view()}}, runOptions(1)));
      EXPECT_EQ(out.bytes(), expected[0].bytes());
      engineOf(0).settle();
    }
  }
}

TEST(StaggeredRows, OfSpecialElements) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float rare[] = {-inf, 0, 1e-42f, -1, 88.8f, -104, 1e38f, NAN, inf};
  for (std::size_t apart : {1, 7, 400, 3001}) {
    std::vector<float> values;
    for (std::size_t i = 0; i < 40 * 600; ++i)
      values.push_back(i % apart == 0 ? rare[i / apart % std::size(rare)]
                                      : 0.01f * static_cast<float>(i % 97));
    const Tensor x(DType::F32, {40, 600}, values);
    for (const char *text :
         {"softmax(@0,-1)", "log_softmax(@0,-1)",
          "add(log(@0),sum(exp(@0),-1,True))",
          "mul(tanh(@0),sin(mean(@0,-1,True)))", "norm(@0,3,-1)"})
      expectSame(text, {x});
  }
}

TEST(StaggeredRows, MayBeStoredOverTheirOperand) {
  for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)",
                           "mul(exp(@0),sum(exp(@0),-1,True))"})
    for (std::int64_t length : {200, 600, 1024})
      for (int way = 0; way < 2; ++way)
        expectSameInPlace(text, randomTensor(DType::F32, {100, length}, 12));
}

TEST(StaggeredRows, MayGoPastTheCaches) {
  constexpr std::size_t line = 64;
  for (const char *text :
       {"log_softmax(@0,-1)", "softmin(@0,-1)", "layer_norm(@0,-1)",
        "mul(@0,rsqrt(mean(mul(@0,@0),-1,True)))"})
    for (std::int64_t length : {1000, 1024, 2048}) {
      const std::int64_t rows = 1100000 / length;
      const Tensor x = randomTensor(DType::F32, {rows, length}, 19);
      const Kernel kernel = compiled(text, {DType::F32});
      const std::size_t before = kernel.codeSize();
      const std::vector<char> expected = outputsOf(text, {x})[0].bytes();
      std::vector<float> memory(static_cast<std::size_t>(rows * length) + line);
      const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
      // From a cache line on, and not.
      for (std::size_t off : {0, 3})
        for (Stores stores : {Stores::Choose, Stores::Streamed}) {
          float *first = memory.data() + (line - begin % line) / 4 + off;
          RunOptions options = runOptions(2);
          options.stores = stores;
          for (int turn = 0; turn < 3; ++turn) {
            std::fill(memory.begin(), memory.end(), 0.0f);
            ASSERT_TRUE(kernel.run(viewsOf({x}), {{TensorView(first, x.shape)}},
                                   options));
            engineOf(0).settle();
            ASSERT_EQ(std::memcmp(first, expected.data(), expected.size()), 0)
                << text << ' ' << length;
          }
        }
      // Rows of whole lines have code for it.
      if (length == 1024) {
        EXPECT_GT(kernel.codeSize(), before + 1000) << text;
      }
    }
}

TEST(StaggeredRows, KeepElementsApartFromWhatStreams) {
  constexpr std::size_t line = 64, guard = 4096;
  const auto isGuard = [](float x) { return x == 7; };
  for (const char *text :
       {"softmax(@0,-1)", "mul(sigmoid(@0),sum(sigmoid(@0),-1,True))",
        "mul(sigmoid(@0),amax(sub(sigmoid(@0),mean(sigmoid(@0),-1,True)),-1,"
        "True))",
        "[softmax(@0,-1),sum(mul(exp(@0),@0),-1)]",
        "mul(sigmoid(@0),sub(sum(sigmoid(@0),-1,True),mean(sigmoid(@0),-1,True)"
        "))"})
    for (std::int64_t length : {144, 1024, 2048, 3072, 8192})
      for (std::int64_t rows :
           {1200000 / length, 1200000 / length + 3, 33 + 1200000 / length}) {
        const Tensor x = randomTensor(DType::F32, {rows, length}, 21);
        const Kernel kernel = compiled(text, {DType::F32});
        const Tensors expected =
            outputsOf(text, {x}, {Mode::Interpret, 0, runOptions(2)});
        const auto size = static_cast<std::size_t>(rows * length);
        std::vector<float> memory(size + 2 * guard, 7);
        const auto at = reinterpret_cast<std::uintptr_t>(memory.data() + guard);
        float *first = memory.data() + guard - at % line / sizeof(float);
        for (int turn = 0; turn < 3; ++turn) {
          Tensor sums(DType::F32, {rows});
          std::vector<TensorView> outputs = {TensorView(first, x.shape)};
          if (kernel.outputCount() > 1)
            outputs.push_back(sums.view());
          RunOptions options = runOptions(1 + turn % 2);
          options.stores = Stores::Streamed;
          std::fill(first, first + size, 7.0f);
          ASSERT_TRUE(kernel.run(viewsOf({x}), outputs, options));
          engineOf(0).settle();
          ASSERT_EQ(std::memcmp(first, expected[0].bytes().data(),
                                size * sizeof(float)),
                    0)
              << text << ' ' << length << ' ' << rows;
          if (outputs.size() > 1) {
            ASSERT_EQ(sums.bytes(), expected[1].bytes());
          }
        }
        EXPECT_TRUE(std::all_of(memory.data(), first, isGuard));
        EXPECT_TRUE(
            std::all_of(first + size, memory.data() + memory.size(), isGuard));
      }
}

TEST(StaggeredRows, OfSeveralBlocks) {
  for (std::int64_t length : {2064, 4096, 5000, 6160, 8192, 18432})
    for (std::int64_t rows : {3, 8, 77})
      for (const char *text :
           {"softmax(@0,-1)", "log_softmax(@0,-1)",
            "mul(tanh(@0),rsqrt(mean(mul(@0,@0),-1,True)))",
            "layer_norm(@0,-1)",
            "[var(exp(@0),-1),amax(exp(@0),-1),prod(sigmoid(@0),-1)]"})
        expectSame(text, {randomTensor(DType::F32, {rows, length}, 22)});
  for (std::int64_t length : {50304, 65536, 65552})
    for (const char *text : {"softmax(@0,-1)", "rms_norm(@0,-1)"})
      expectSame(text, {randomTensor(DType::F32, {6, length}, 27)});
  for (DType type : {DType::F64, DType::F16, DType::BF16})
    expectSame("softmax(@0,-1)", {randomTensor(type, {20, 4096}, 23)});
  const Tensor apart = randomTensor(DType::F32, {9, 4096}, 24);
  expectSame("softmax(@0,-1)", {apart.with({5000, 1})});
  expectSame("mul(softmax(@0,-1),@1)",
             {apart, randomTensor(DType::F32, {9, 1}, 25)});
  for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,-1)"})
    for (std::int64_t length : {4096, 5008})
      expectSameInPlace(text, randomTensor(DType::F32, {40, length}, 26));
}

TEST(StaggeredRows, OfMoreThanCachesHold) {
  // More than most caches hold, and parts that these do hold.
  constexpr std::int64_t elements = 5 << 20, parts = 8;
  for (std::int64_t length : {130, 700, 1600}) {
    const std::int64_t rows = elements / length / parts;
    const Tensor x = randomTensor(DType::F32, {parts * rows, length}, 20);
    for (const char *text : {"sub(@0,mean(@0,-1,True))",
                             "mul(@0,rsqrt(mean(mul(@0,@0),-1,True)))"}) {
      const Kernel kernel = compiled(text, {DType::F32});
      Tensor expected(DType::F32, x.shape);
      const Tensor &in = x;
      for (std::int64_t part = 0; part < parts; ++part) {
        const auto from = part * rows * length;
        ASSERT_TRUE(
            kernel.run({{TensorView(static_cast<const void *>(in.at(from)),
                                    DType::F32, {rows, length})}},
                       {{TensorView(static_cast<void *>(
                                        const_cast<char *>(expected.at(from))),
                                    DType::F32, {rows, length})}},
                       runOptions(1)));
      }
      for (unsigned threads : {1, 2}) {
        Tensor out(DType::F32, x.shape);
        ASSERT_TRUE(
            kernel.run(viewsOf({x}), {{out.view()}}, runOptions(threads)));
        EXPECT_TRUE(out.bytes() == expected.bytes()) << text << ' ' << length;
      }
    }
  }
}

TEST(StaggeredRows, HaveOneLoopForAllLengths) {
  const Kernel kernel = compiled("softmax(mul(@0,3),-1)", {DType::F32});
  std::vector<std::size_t> sizes = {kernel.codeSize()};
  for (std::int64_t length : {300, 1000, 2048, 2064}) {
    const Tensor x = randomTensor(DType::F32, {60, length}, 13);
    Tensor out(DType::F32, x.shape);
    ASSERT_TRUE(kernel.run(viewsOf({x}), {{out.view()}}));
    engineOf(0).settle();
    sizes.push_back(kernel.codeSize());
  }
  EXPECT_GT(sizes[1], sizes[0] + 1000);
  for (std::size_t i = 2; i < sizes.size(); ++i)
    EXPECT_EQ(sizes[i], sizes[1]);
}

TEST(LongBodies, HaveStatesOfEachLength) {
  // Lanes move up by one vector a step, and a tail has the rest.
  for (std::int64_t length = 90; length < 230; ++length)
    expectSame("[sum(exp(@0),-1),amax(exp(@0),-1)]",
               {randomTensor(DType::F32, {3, length}, 14)});
}

} // namespace
} // namespace kexpr::test::rows::staggered
